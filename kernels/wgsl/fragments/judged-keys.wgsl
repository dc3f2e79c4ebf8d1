// Judged keys: how even a map makes the bins, and how many keys are equal. Part of a function:
// hybrid/sample.wgsl, its phases 6 and 7.
//
// Reads: word_0 to word_(SAMPLE_KEYS - 1), the thread's words, and their leads, lead_0, …; count,
// map; `leasts`, `scales`; scramble; bucketOf of fragments/map.wgsl; KEY_WORDS, VALUE_WORDS, RADIX,
// SAMPLES, SAMPLE_KEYS, MARK_WORDS, BIN_COUNTERS, MEETINGS_DIVISOR, IN_BIN_DIVISOR,
// IN_BUCKET_DIVISOR, MIN_REPEATS, MAX_REPEATS, REPETITIVE_DIVISOR.
// Defines: isEven, isFlat, isRepeated, isRepetitive; `meetings`, `fullest`, `binMarks`, `keyMarks`,
// `binCounts` and `bucketCounts`. (Its other names are its own.)
// Barriers: after either count.

  // 6. How even the bins are.
  var metBin = 0u;
  var metKey = 0u;
  var inBin = 0u;
  var inBucket = 0u;
//#unroll i in SAMPLE_KEYS
  let bucket_i = bucketOf(lead_i, map);
  let scale_i = scales[bucket_i];
  let above_i = (lead_i - min(leasts[bucket_i], lead_i)) >> (scale_i >> 24u);
  let bin_i = bucket_i * RADIX + min((above_i * (scale_i & 0xffffffu)) >> 16u, RADIX - 1u);
  let binMark_i = scramble(bin_i);
//#if KEY_WORDS == 1
  let keyMark_i = scramble(word_i);
//#else
  let keyMark_i = scramble(word_i.x ^ scramble(word_i.y));
//#end
  let binBit_i = 1u << (binMark_i & 31u);
  let keyBit_i = 1u << (keyMark_i & 31u);
  let binsSeen_i = atomicOr(&binMarks[(binMark_i >> 5u) % MARK_WORDS], binBit_i);
  let keysSeen_i = atomicOr(&keyMarks[(keyMark_i >> 5u) % MARK_WORDS], keyBit_i);
  let inBin_i = atomicAdd(&binCounts[(binMark_i >> 15u) % BIN_COUNTERS], 1u);
  let inBucket_i = atomicAdd(&bucketCounts[bucket_i], 1u);
  metBin += select(0u, 1u, (binsSeen_i & binBit_i) != 0u);
  metKey += select(0u, 1u, (keysSeen_i & keyBit_i) != 0u);
  inBin = max(inBin, inBin_i);
  inBucket = max(inBucket, inBucket_i);
//#end
  atomicAdd(&meetings[0], metBin);
  atomicAdd(&meetings[1], metKey);
  atomicMax(&fullest[0], inBin);
  atomicMax(&fullest[1], inBucket);
  workgroupBarrier(); // all are counted
  var isRepeated = false;
//#if VALUE_WORDS > 0
  // 7. Equal keys with values.
  var metAgain = 0u;
//#unroll i in SAMPLE_KEYS
//#if KEY_WORDS == 1
  let hash_i = scramble(word_i);
//#else
  let hash_i = scramble(word_i.x ^ scramble(word_i.y));
//#end
  let latest_i = atomicExchange(&binMarks[hash_i % MARK_WORDS], hash_i);
  metAgain += select(0u, 1u, latest_i == hash_i);
//#end
  atomicAdd(&meetings[2], metAgain);
  workgroupBarrier(); // all keys have been looked up
  let repeats = atomicLoad(&meetings[2]);
  isRepeated = repeats >= MIN_REPEATS && f32(repeats) * f32(count) > f32(MAX_REPEATS);
//#end
  let isEven = atomicLoad(&meetings[0]) <= atomicLoad(&meetings[1]) + SAMPLES / MEETINGS_DIVISOR;
  let isFlat = atomicLoad(&fullest[0]) <= SAMPLES / IN_BIN_DIVISOR
    && atomicLoad(&fullest[1]) <= SAMPLES / IN_BUCKET_DIVISOR;
  // Many keys of the sample meet an equal one.
  let isRepetitive = atomicLoad(&meetings[1]) * REPETITIVE_DIVISOR >= SAMPLES;
