// Claimed places: where a tile's keys of each digit value go, if tiles may come in any order
// (UNSTABLE). Part of a function: chained-scan/sweep.wgsl, in place of fragments/lookback.wgsl.
//
// One atomic addition to the start of a digit value does all of it: what it returns is the tile's
// first place, and the places up to the sum are taken.
// SPILLS: the room of a bucket may end among them. Keys after its end get places in the list of
// spilled keys (fragments/bucket-rooms.wgsl).
//
// Reads: hasBins, bin_j, total_j and start_j of fragments/rank.wgsl, taken, tile_, slot, pass_;
// `scanState`, `handed`; DIGITS_PER_THREAD, RADIX, SPLIT, SPILLS; SPILLS roomEnd_j.
// Defines: `bases`, for each digit value what to add to a place in the tile for a place in the
// target; next, what `handed` has of that name, for a variable of the caller's; SPILLS `spilling`,
// and `spillBases`, the same for a place among the spilled keys. (first_j, kept_j and spilled_j are
// its own.)
// Barriers: one at the end, so that all threads know the bases.

//#unroll j in DIGITS_PER_THREAD
    if (hasBins) {
//#if SPLIT == 2
      let first_j = atomicAdd(&scanState[BINS_AT + taken.bucket * RADIX + bin_j], total_j);
//#else
      let first_j = atomicAdd(&scanState[DIGIT_STARTS_AT + slot * RADIX + bin_j], total_j);
//#end
//#if SPILLS
      let kept_j = max(roomEnd_j, first_j) - first_j;
      if (total_j > kept_j) {
        let spilled_j = atomicAdd(&scanState[SPILLED_AT], total_j - kept_j);
        spillBases[bin_j] = spilled_j - (start_j + kept_j);
        atomicStore(&spilling, tile_ + 1u);
      }
//#end
      atomicStore(&bases[bin_j], first_j + pass_.targetOffset - start_j);
    }
//#end
    next = workgroupUniformLoad(&handed.next); // a barrier: the bases are known
