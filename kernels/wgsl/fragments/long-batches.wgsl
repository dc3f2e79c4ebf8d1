// Long batches: what a workgroup could not sort in its storage, a batch of any length, by a sweep
// of its own for each digit in which its keys differ. Part of a function:
// hybrid/batch-sort.wgsl.
//
// In and out: the long batches of `keys`, words, and of `values`; keys leave as raw bits. Scratch:
// the same records of `scratchKeys` and `scratchValues`.
// Memory: reads each key once; then each key twice and each value once a digit, and writes both
// once; at the end once more. Rarely needed, so it is kept simple.
//
// Reads: group, groups, thread, lane, number, id, order, batches, longBatches; `pool`, `sums`,
// `scanState`, `plan`, the records' buffers; RANK_KEYS, RANK_TILE and what fragments/rank.wgsl
// reads; what fragments/long-batch-records.wgsl defines; digitIn of
// fragments/aligned-digit.wgsl; inclusiveAdd of fragments/lanes.wgsl.
// Defines: nothing.
//
// Phases, for each batch:
//   1. Find the bits in which its keys differ: often none, of values that are frequent.
// And for each digit with such bits:
//   2. Count the digit's values over the batch, and scan the counts.
//   3. For each tile of RANK_TILE = THREADS × RANK_KEYS keys: rank (fragments/rank.wgsl), then
//      scatter. Tiles come one after the other, so the starts move on with them.
// At the end all records go to the caller's buffers.
//
// Workgroup storage: `pool`: the counters of the rank, then where the next key of each digit value
// goes, counted from the batch's first, then what to add to a place in the tile for one in the
// batch, and without subgroups the words that stand in for ballots.
// Barriers: between two uses of the storage by different threads, as noted.

    let mine = number * SUBGROUP_SIZE * RANK_KEYS + lane;
    let row = number * RADIX;
    let hasBins = id < RADIX / DIGITS_PER_THREAD;
//#unroll j in DIGITS_PER_THREAD
    let bin_j = min(id * DIGITS_PER_THREAD + j, RADIX - 1u);
//#end
//#if HAS_SUBGROUPS == 0
    for (var at = id; at < BALLOT_WORDS * RADIX; at += THREADS) {
      atomicStore(&pool[BALLOTS_AT + at], 0u);
    }
//#end
    for (var index = 0u; index < longBatches; index += 1u) {
      if (thread == 0u) {
        let batch = atomicLoad(&scanState[longAt(index, group.x, groups.x, batches)]);
        current = batchAt(batch);
      }
      let range = workgroupUniformLoad(&current);
      let first = range.first;
      let count = range.end - first;
      var isInScratch = false;
      // 1. The bits in which keys differ.
      let alike = tiedWord(keys[first], order);
      var differs = vec2u(0u);
      for (var at = id; at < count; at += THREADS) {
        differs |= wide(tiedWord(keys[first + at], order) ^ alike);
      }
      if (thread == 0u) {
        atomicStore(&differing[0], 0u);
        atomicStore(&differing[1], 0u);
      }
      workgroupBarrier(); // no bit is known to differ
      atomicOr(&differing[0], differs.x);
      atomicOr(&differing[1], differs.y);
      workgroupBarrier(); // all bits that differ are known
      if (thread == 0u) {
        telling = vec2u(atomicLoad(&differing[0]), atomicLoad(&differing[1]));
      }
      let bits = workgroupUniformLoad(&telling);
      for (var shift = 0u; shift < MAX_PASSES * RADIX_BITS; shift += RADIX_BITS) {
        let tellingWord = select(bits.x, bits.y, shift > 31u) >> (shift & 31u);
        if ((tellingWord & (RADIX - 1u)) == 0u) {
          continue;
        }
        let digit = Digit(shift, digitMask(order, shift));
        // 2. Count and scan.
        for (var at = id; at < RADIX; at += THREADS) {
          atomicStore(&pool[STARTS_AT + at], 0u);
        }
        workgroupBarrier(); // the counters are zero
        for (var at = id; at < count; at += THREADS) {
          let word = wordAt(at, first, isInScratch);
          atomicAdd(&pool[STARTS_AT + digitIn(word, order, digit)], 1u);
        }
        workgroupBarrier(); // all keys are counted
        var sum = 0u;
//#unroll j in DIGITS_PER_THREAD
        let found_j = atomicLoad(&pool[STARTS_AT + bin_j]);
        sum += found_j;
//#end
        let upTo = inclusiveAdd(sum, thread);
        if (lane == SUBGROUP_SIZE - 1u) {
          sums[number] = upTo;
        }
        workgroupBarrier(); // all subgroups are summed up
        var begin = upTo - sum;
//#unroll r in DIGIT_SUBGROUPS
        begin += select(0u, sums[r], r < number);
//#end
//#unroll j in DIGITS_PER_THREAD
        if (hasBins) {
          atomicStore(&pool[STARTS_AT + bin_j], begin);
        }
        begin += found_j;
//#end
        for (var at = id; at < COUNTER_ROWS * RADIX; at += THREADS) {
          atomicStore(&pool[at], 0u);
        }
        workgroupBarrier(); // the starts are there

        // 3. Tiles.
        for (var start = 0u; start < count; start += RANK_TILE) {
          let valid = min(RANK_TILE, count - start);
//#unroll i in RANK_KEYS
          let key_i = wordAt(min(start + mine + i * SUBGROUP_SIZE, count - 1u), first, isInScratch);
//#if VALUE_WORDS > 0
          let value_i = valueAt(
            min(start + mine + i * SUBGROUP_SIZE, count - 1u), first, isInScratch
          );
//#end
//#end
//#include fragments/rank.wgsl
//#unroll j in DIGITS_PER_THREAD
          if (hasBins) {
            let next_j = atomicLoad(&pool[STARTS_AT + bin_j]);
            atomicStore(&pool[BASES_AT + bin_j], next_j - start_j);
            atomicStore(&pool[STARTS_AT + bin_j], next_j + total_j);
          }
//#end
          workgroupBarrier(); // the bases are known, and the pool is free
//#unroll i in RANK_KEYS
          let to_i = atomicLoad(&pool[BASES_AT + digit_i]) + place_i;
          if (mine + i * SUBGROUP_SIZE < valid) {
            putWord(to_i, first, !isInScratch, key_i);
//#if VALUE_WORDS > 0
            putValue(to_i, first, !isInScratch, value_i);
//#end
          }
//#end
          for (var at = id; at < COUNTER_ROWS * RADIX; at += THREADS) {
            atomicStore(&pool[at], 0u);
          }
          workgroupBarrier(); // the counters are zero
        }
        storageBarrier(); // the records have moved
        isInScratch = !isInScratch;
      }
      // To the caller's buffers.
      for (var at = id; at < count; at += THREADS) {
        keys[first + at] = bitsOf(wordAt(at, first, isInScratch), order);
//#if VALUE_WORDS > 0
        if (isInScratch) {
          values[first + at] = scratchValues[first - plan.offset + at];
        }
//#end
      }
      storageBarrier(); // the batch is done
    }
