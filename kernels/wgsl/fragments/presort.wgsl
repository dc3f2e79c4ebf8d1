// Pre-sort: a workgroup's tile, sorted stably by one digit in rounds of four bits, by implicit counting.
//
// Thread t holds places t × KEYS to t × KEYS + KEYS - 1 of the tile in word_0 to word_(KEYS - 1). A round:
//   1. Each thread counts its own keys, sixteen counters of four bits in two words (`low`, `high`), and notes each key's
//      rank among its own: what its counter was before. KEYS is at most 15, so that no counter overflows.
//   2. The counters are widened to 16 bits, two a word (digits d and d + 8), and one scan in digit-major order turns
//      them all into places: Ha, Krüger and Silva, "Implicit radix sorting on GPUs", 2.1.
//   3. place = sum before + rank; every key goes there through workgroup storage.
// Places past the end of the data (`limit` of this thread's are inside) have the digit 15 in all
// rounds and start last: they stay last, whatever is in them.
//
// The first half of THREADS × 8 counters is written by thread and read in runs of eight threads: PITCH makes both
// free of bank conflicts on 32 banks.
// Workgroup storage: `tile`, 4 × TILE bytes, which also holds 8 × 8 × PITCH counters and the scan's 2 × THREADS sums.
// Barriers: each between one use of the storage and the next by other threads, as noted.

  for (var at = 0u; at < roundsEnd; at += 4u) {
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
    workgroupBarrier(); // everyone has read its keys from `tile`
    let mine = (thread & 7u) * PITCH + (thread >> 3u);
//#unroll j in 8
    tile[j * 8u * PITCH + mine] = ((low >> (4u * j)) & 15u) | (((high >> (4u * j)) & 15u) << 16u);
//#end
    workgroupBarrier();
    let column = (thread / (THREADS / 8u)) * 8u * PITCH + (thread % (THREADS / 8u));
    var sum = 0u;
//#unroll j in 8
    let count_j = tile[column + j * PITCH];
    let before_j = sum;
    sum += count_j;
//#end
    let scan = scanWorkgroup(thread, sum);
    // Digits from 8 on, in the upper halves, come after all those below, whose number is in the lower.
    let start = scan.before + (scan.total << 16u);
//#unroll j in 8
    tile[column + j * PITCH] = start + before_j;
//#end
    workgroupBarrier();
//#unroll i in KEYS
    let places_i = tile[(digit_i & 7u) * 8u * PITCH + mine];
    let place_i = rank_i + extractBits(places_i, select(0u, 16u, isHigh_i), 16u);
//#end
    workgroupBarrier(); // all places are known
//#unroll i in KEYS
    tile[place_i] = word_i;
//#end
    workgroupBarrier();
//#unroll i in KEYS
    word_i = tile[thread * KEYS + i];
//#end
  }
