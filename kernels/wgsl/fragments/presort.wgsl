// Pre-sort: a workgroup's tile, sorted stably by one digit, in rounds of four bits, by implicit
// counting.
// Part of a function: reduce-then-scan/downsweep.wgsl, workgroup-sort.wgsl.
//
// Reads: word_0 to word_(KEYS - 1), what the thread sorts, places thread × KEYS + i of the tile;
// `limit`, how many of them are inside the data; roundsEnd, the width of the digit in bits; order,
// pass_, thread; `tile`, scanWorkgroup, localDigit and PITCH of fragments/tile.wgsl; KEYS,
// THREADS.
// Changes: word_0 to word_(KEYS - 1), now those of the sorted tile, which is in `tile`, too.
// (digit_i, field_i, isHigh_i, rank_i, places_i, place_i, count_j, before_j are its own.)
//
// Phases of a round:
//   1. Each thread counts its own keys, in sixteen counters of four bits in two words, `low` and
//      `high`. What a key's counter was before is its rank in the thread. KEYS is at most 15, so
//      that no counter overflows.
//   2. The counters are widened to 16 bits, two a word (digits d and d + 8), in `tile`, and one
//      scan in the order of digits, then threads, turns all of them into places: Ha, Krüger and
//      Silva, 2.1.
//   3. place = sum before + rank, and every key goes there through `tile`.
// Places past the end of the data have the digit 15 in all rounds and begin last, so they stay
// last, whatever is in them.
//
// The THREADS × 8 counters are written a column a thread, and read in runs of eight threads: PITCH
// makes both free of bank conflicts on 32 banks.
// Workgroup storage: that of fragments/tile.wgsl. Barriers: between two uses of it by different
// threads.
// Source: Ha, Krüger and Silva, "Implicit radix sorting on GPUs", 2.1.

  for (var at = 0u; at < roundsEnd; at += 4u) {
    // 1. Count.
    var low = 0u;
    var high = 0u;
//#unroll i in KEYS
    let digit_i = select(15u, (localDigit(word_i, order, pass_) >> at) & 15u, i < limit);
    let field_i = (digit_i & 7u) * 4u;
    let isHigh_i = digit_i > 7u;
    let rank_i = (select(low, high, isHigh_i) >> field_i) & 15u;
    low += select(1u << field_i, 0u, isHigh_i);
    high += select(0u, 1u << field_i, isHigh_i);
//#end
    workgroupBarrier(); // all keys are read from `tile`
    // 2. Widen and scan.
    let mine = (thread & 7u) * PITCH + (thread >> 3u);
//#unroll j in 8
    tile[j * 8u * PITCH + mine] =
      ((low >> (4u * j)) & 15u) | (((high >> (4u * j)) & 15u) << 16u);
//#end
    workgroupBarrier(); // all counters are there
    let column = (thread / (THREADS / 8u)) * 8u * PITCH + (thread % (THREADS / 8u));
    var sum = 0u;
//#unroll j in 8
    let count_j = tile[column + j * PITCH];
    let before_j = sum;
    sum += count_j;
//#end
    let scan = scanWorkgroup(thread, sum);
    // Digits from 8 on, in the upper halves, come after those below 8, the total of the lower.
    let start = scan.before + (scan.total << 16u);
//#unroll j in 8
    tile[column + j * PITCH] = start + before_j;
//#end
    workgroupBarrier(); // the counters have become places
    // 3. Move.
//#unroll i in KEYS
    let places_i = tile[(digit_i & 7u) * 8u * PITCH + mine];
    let place_i = rank_i + extractBits(places_i, select(0u, 16u, isHigh_i), 16u);
//#end
    workgroupBarrier(); // all places are known
//#unroll i in KEYS
    tile[place_i] = word_i;
//#end
    workgroupBarrier(); // all keys have moved
//#unroll i in KEYS
    word_i = tile[thread * KEYS + i];
//#end
  }
