// Heavy starts: where the copies of heavy values go (fragments/heavy-values.wgsl), once the
// histogram has counted them. Part of a function: fragments/digit-starts.wgsl.
//
// Input: `plan.heavy`; heavyKeys_h, how many keys each of the thread's values has, and their sums.
// Output: the rest of `plan.heavy`; its count becomes 0 if the keys are in order. decisive gets a
// second digit if it has only one: the first pass drops keys, and only a later one leaves room for
// their copies.
//
// Reads: thread, number, digit, order, count, swept, isSorted, heavies, heavyThrough, heavySums;
// heavyAt_h, heavySlot_h; digitAt and digitMask of fragments/aligned-digit.wgsl; `plan`,
// `scanState`; RADIX, RADIX_BITS, HEAVY_SLOTS, HEAVY_PER_THREAD, HEAVY_COUNTS_AT.
// Defines: decisive. (Its other names are in a block of their own.)
// Barriers: none.

    if (heavies > 0u) {
      if (countOneBits(decisive) == 1u) {
        decisive |= select(1u, 2u, decisive == 1u);
      }
      // The keys of smaller values, but for one of each.
      var start = heavyThrough;
      for (var r = 0u; r < number; r += 1u) {
        start += heavySums[r];
      }
//#unroll h in HEAVY_PER_THREAD
      start -= heavyKeys_h;
//#end
//#unroll h in HEAVY_PER_THREAD
      plan.heavy.starts[heavyAt_h] = start - min(heavyAt_h, heavies);
      start += heavyKeys_h;
      if (heavyAt_h < heavies) {
        atomicStore(&scanState[HEAVY_COUNTS_AT + heavySlot_h], 0u);
      }
//#end
      // The first value that has no smaller digit in the last pass.
      let lastDigit = RADIX_BITS * (31u - countLeadingZeros(decisive | 1u));
      let lastMask = digitMask(order, lastDigit);
      var low = 0u;
      var high = heavies;
      while (low < high) {
        let middle = (low + high) / 2u;
        if (digitAt(plan.heavy.words[middle], lastDigit, lastMask) < digit) {
          low = middle + 1u;
        } else {
          high = middle;
        }
      }
      plan.heavy.firsts[digit] = low;
    }
    if (thread == 0u) {
      plan.heavy.starts[HEAVY_SLOTS] = count - swept;
      plan.heavy.firsts[RADIX] = heavies;
      plan.heavy.swept = swept;
      plan.heavy.count = select(heavies, 0u, isSorted);
    }
