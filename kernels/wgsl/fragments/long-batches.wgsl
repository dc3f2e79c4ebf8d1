// Long batches: what a workgroup could not sort in its storage, a batch of any length, by a sweep
// of its own for each digit that not all of its keys share. Part of a function:
// hybrid/batch-sort.wgsl.
//
// In and out: the long batches of `keys`, words, and of `values`; keys leave as raw bits. Scratch:
// the same records of `scratchKeys` and `scratchValues`.
// Memory: reads each key twice and each value once a digit, and writes both once; at the end once
// more. A digit that all keys share is only counted. Rarely needed, so it is kept simple.
//
// Reads: group, groups, thread, lane, number, id, order, batches, longBatches; `pool`, `sums`,
// `scanState`, `plan`, the records' buffers; RANK_KEYS, RANK_TILE and what fragments/rank.wgsl
// reads; what fragments/long-batch-records.wgsl defines.
// Defines: nothing.
//
// Phases, for each batch and digit:
//   1. Count the digit's values over the batch, and scan the counts.
//   2. For each tile of RANK_TILE = THREADS × RANK_KEYS keys: rank (fragments/rank.wgsl), then
//      scatter. Tiles come one after the other, so the starts move on with them.
// At the end all records go to the caller's buffers.
//
// Workgroup storage: `pool`: the counters of the rank, then where the next key of each digit value
// goes, counted from the batch's first, then what to add to a place in the tile for one in the
// batch. Barriers: between two uses of the storage by different threads, as noted.

    let bounds = vec2u(0u, ~0u);
    let mine = number * SUBGROUP_SIZE * RANK_KEYS + lane;
    let row = number * RADIX;
    let hasBins = id < RADIX / DIGITS_PER_THREAD;
//#unroll j in DIGITS_PER_THREAD
    let bin_j = min(id * DIGITS_PER_THREAD + j, RADIX - 1u);
//#end
    for (var index = 0u; index < longBatches; index += 1u) {
      if (thread == 0u) {
        let batch = atomicLoad(&scanState[longAt(index, group.x, groups.x, batches)]);
        current = Batch(
          plan.offset + atomicLoad(&scanState[STATUSES_AT + batch]),
          plan.offset + atomicLoad(&scanState[STATUSES_AT + batch + 1u]),
        );
      }
      let range = workgroupUniformLoad(&current);
      let first = range.first;
      let count = range.end - first;
      var isInScratch = false;
      for (var shift = 0u; shift < MAX_PASSES * RADIX_BITS; shift += RADIX_BITS) {
        let mask = digitMask(order, shift);
        // 1. Count and scan.
        for (var at = id; at < RADIX; at += THREADS) {
          atomicStore(&pool[STARTS_AT + at], 0u);
        }
        if (thread == 0u) {
          atomicStore(&isShared, 0u);
        }
        workgroupBarrier(); // the counters are zero
        for (var at = id; at < count; at += THREADS) {
          let word = decisiveWord(wordAt(at, first, isInScratch), order, bounds);
          atomicAdd(&pool[STARTS_AT + digitAt(word, shift, mask)], 1u);
        }
        workgroupBarrier(); // all keys are counted
        var sum = 0u;
//#unroll j in DIGITS_PER_THREAD
        let found_j = atomicLoad(&pool[STARTS_AT + bin_j]);
        sum += found_j;
        if (found_j == count) {
          atomicStore(&isShared, 1u);
        }
//#end
        let upTo = subgroupInclusiveAdd(sum);
        if (lane == SUBGROUP_SIZE - 1u) {
          sums[number] = upTo;
        }
        workgroupBarrier(); // all subgroups are summed up
        if (thread == 0u) {
          shared_ = atomicLoad(&isShared);
        }
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
        if (workgroupUniformLoad(&shared_) == 1u) { // a barrier: the starts are there
          continue;
        }

        // 2. Tiles.
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
