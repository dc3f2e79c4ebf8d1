// Lookback: how many keys of each digit value are in earlier tiles. Part of a function:
// chained-scan/sweep.wgsl.
//
// Reads: tile_, earlier and chainStart (the tiles before it in its chain, and the place of the
// first one's keys), slot, hasBins, bin_j, total_j, start_j, begin_j, isFirst, order, digit,
// thread, lane, number; `scanState`, `sourceKeys`, `handed`: `next`, and `waits`, a place for each
// subgroup that has digit values; RADIX, TILE, THREADS, DIGITS_PER_THREAD, DIGIT_SUBGROUPS,
// LOOK_AHEAD, LOOK_LIMIT, STALLED_TILE, STATUS_BITS.
// Defines: `bases`, for each digit value what to add to a place in the tile for a place in the
// target; next, what `handed` has of that name, for a variable of the caller's. (before_j, left_j,
// last_j, status_j_k, chainAt are its own.)
//
// Phases, until no thread waits:
//   1. Each thread goes back from its tile within its chain, LOOK_AHEAD statuses at a time. It adds
//      up aggregates until it meets a prefix, or has read LOOK_LIMIT times in vain.
//   2. It publishes its own prefix, and writes the bases.
//   3. If a thread still waits for a tile, the workgroup counts the keys of that tile itself, from
//      the pass's source, which does not change during the pass. WebGPU promises no forward
//      progress: the workgroup of that tile may not run before those that wait.
//
// Workgroup storage: that of the sweep. Barriers: between bases, the tile that is waited for, and
// its count, as noted.
// Sources: Merrill and Garland, "Single-pass parallel prefix scan with decoupled look-back", 2016,
// 4.2; for phase 3 Smith, Levien and Owens, "Decoupled Fallback", 2025.

//#unroll j in DIGITS_PER_THREAD
    var before_j = 0u;
    // Earlier tiles that are not added up yet, the first ones.
    var left_j = select(0u, earlier, hasBins);
//#end
    // The statuses of the chain's tiles.
    let chainAt = STATUSES_AT + (tile_ - earlier) * RADIX;
    loop {
      // 1. Look back.
      var waiting = 0u;
//#unroll j in DIGITS_PER_THREAD
      for (var looks = LOOK_LIMIT; left_j > 0u && looks > 0u; looks -= 1u) {
        let last_j = left_j;
//#unroll k in LOOK_AHEAD
        let status_j_k = atomicLoad(
          &scanState[chainAt + (max(last_j, k + 1u) - 1u - k) * RADIX + bin_j]
        );
//#end
//#unroll k in LOOK_AHEAD
        // Only where all in between were known.
        if (left_j > 0u && left_j + k == last_j) {
          let kind = status_j_k & STATUS_MASK;
          if (kind == prefixFlag(slot)) {
            before_j += status_j_k >> STATUS_BITS;
            left_j = 0u;
          } else if (kind == aggregateFlag(slot)) {
            before_j += status_j_k >> STATUS_BITS;
            left_j -= 1u;
          }
        }
//#end
      }
      waiting = max(waiting, left_j);
      // 2. The prefix, and the bases.
      if (hasBins) {
        if (left_j == 0u && earlier > 0u && tile_ + 1u != STALLED_TILE) {
          let sum = before_j + total_j;
          atomicStore(
            &scanState[STATUSES_AT + tile_ * RADIX + bin_j],
            (sum << STATUS_BITS) | prefixFlag(slot)
          );
        }
        atomicStore(&bases[bin_j], begin_j + before_j - start_j);
      }
//#end
      let latest = subgroupMax(waiting);
      if (lane == 0u && number < DIGIT_SUBGROUPS) {
        handed.waits[number] = latest;
      }
      // A barrier: all threads are done, or have noted what they wait for.
      let got = workgroupUniformLoad(&handed);
      var missing = 0u;
//#unroll r in DIGIT_SUBGROUPS
      missing = max(missing, got.waits[r]);
//#end
      next = got.next;
      if (missing == 0u) {
        break;
      }

      // 3. Count tile missing - 1, in the place of the bases.
      for (var digit = thread; digit < RADIX; digit += THREADS) {
        atomicStore(&bases[digit], 0u);
      }
      workgroupBarrier(); // the counters are zero
      let from_ = chainStart + (missing - 1u) * TILE;
      for (var at = thread; at < TILE; at += THREADS) {
        let key = sourceKeys[from_ + at];
        let word = select(key, wordOf(key, order), isFirst);
        atomicAdd(&bases[digitIn(word, order, digit)], 1u);
      }
      workgroupBarrier(); // the tile is counted
//#unroll j in DIGITS_PER_THREAD
      if (left_j == missing) {
        before_j += atomicLoad(&bases[bin_j]);
        left_j -= 1u;
      }
//#end
    }
