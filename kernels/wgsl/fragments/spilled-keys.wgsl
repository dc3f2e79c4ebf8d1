// Spilled keys: from the place where the first split of a hybrid sort has put them to their bins.
// Part of a function: chained-scan/sweep.wgsl, the second split, without values, after its tiles.
//
// Input: the spilled keys of `scanState`, if the sort goes on (fragments/bucket-rooms.wgsl).
// Output: `targetKeys`; the starts of their bins move on. SPILLED_KEYS at a time, so that memory
// serves them together.
//
// Reads: thread, group, groups, map, order, pass_; digitIn of fragments/bin-digit.wgsl, bucketOf of
// fragments/map.wgsl; SPILLED_KEYS, THREADS.
// Defines: nothing. (step, spilled, word_i, bucket_i, bin_i, to_i are its own.)
// Barriers: none.

  let step = groups.x * THREADS;
  let spilled = select(spilledKeys(), 0u, isGivenUp());
  for (var at = group.x * THREADS + thread; at < spilled; at += SPILLED_KEYS * step) {
//#unroll i in SPILLED_KEYS
    let word_i = spilledKey(min(at + i * step, spilled - 1u));
    let bucket_i = bucketOf(leadOf(tiedWord(word_i, order), map), map);
    let bin_i = digitIn(word_i, order, binsOf(bucket_i, map));
    var to_i = 0u;
    if (at + i * step < spilled) {
      to_i = atomicAdd(&scanState[BINS_AT + bucket_i * RADIX + bin_i], 1u);
    }
//#end
//#unroll i in SPILLED_KEYS
    if (at + i * step < spilled) {
      targetKeys[pass_.targetOffset + to_i] = word_i;
    }
//#end
  }
