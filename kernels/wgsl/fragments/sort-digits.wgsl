// Sort by digits: the records of a workgroup, in its storage. Part of a function:
// chained-scan/tile-sort.wgsl, segments/middle-sort.wgsl.
//
// Reads: key_0 to key_(KEYS - 1), the thread's words, and value_0 and so on; bits, those in which
// words differ; `mine`, valid, order, row, lane, number, thread, hasBins, bin_j; at_0 and
// so on, the places of the thread's records; `pool` and `sums`; KEYS, KEY_WORDS, VALUE_WORDS,
// MAX_PASSES, and what fragments/rank.wgsl reads.
// Changes: the words and values, which become those of the sorted tile.
//
// For each digit with bits that differ: rank the keys (fragments/rank.wgsl), and bring them to
// their places through `pool`, a word at a time; the values likewise.
// Barriers: between two uses of the storage by different threads, as noted.

  for (var shift = 0u; shift < MAX_PASSES * RADIX_BITS; shift += RADIX_BITS) {
    let decisive = select(bits.x, bits.y, shift > 31u) >> (shift & 31u);
    if ((decisive & (RADIX - 1u)) == 0u) {
      continue;
    }
    let digit = Digit(shift, digitMask(order, shift));
    for (var at = thread; at < COUNTER_ROWS * RADIX; at += THREADS) {
      atomicStore(&pool[at], 0u);
    }
    workgroupBarrier(); // the counters are zero
//#include fragments/rank.wgsl
    workgroupBarrier(); // all places are known
//#unroll i in KEYS
    atomicStore(&pool[place_i], wide(key_i).x);
//#end
    workgroupBarrier(); // the keys are there, or their low words
//#if KEY_WORDS == 1
//#unroll i in KEYS
    key_i = atomicLoad(&pool[at_i]);
//#end
//#else
//#unroll i in KEYS
    let low_i = atomicLoad(&pool[at_i]);
//#end
    workgroupBarrier(); // the low words are read
//#unroll i in KEYS
    atomicStore(&pool[place_i], key_i.y);
//#end
    workgroupBarrier(); // the high words are there
//#unroll i in KEYS
    key_i = vec2u(low_i, atomicLoad(&pool[at_i]));
//#end
//#end
    workgroupBarrier(); // the keys are read
//#if VALUE_WORDS == 1
//#unroll i in KEYS
    atomicStore(&pool[place_i], value_i);
//#end
    workgroupBarrier(); // the values are there
//#unroll i in KEYS
    value_i = atomicLoad(&pool[at_i]);
//#end
    workgroupBarrier(); // and read
//#end
//#if VALUE_WORDS == 2
//#unroll i in KEYS
    atomicStore(&pool[place_i], value_i.x);
//#end
    workgroupBarrier(); // the low words are there
//#unroll i in KEYS
    let lowValue_i = atomicLoad(&pool[at_i]);
//#end
    workgroupBarrier(); // and read
//#unroll i in KEYS
    atomicStore(&pool[place_i], value_i.y);
//#end
    workgroupBarrier(); // the high words are there
//#unroll i in KEYS
    value_i = vec2u(lowValue_i, atomicLoad(&pool[at_i]));
//#end
    workgroupBarrier(); // and read
//#end
  }
