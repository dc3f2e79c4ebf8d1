// Splitters: the two samples between which a bucket lies, by their ranks. Part of a function:
// regular-sampling/sort-buckets.wgsl.
//
// Reads: sample_0 to sample_(SAMPLE_LOADS - 1), the thread's samples, and isSample_0 and so on,
// whether there is one; samples, buckets, group, id, number, lane; `counters`, zero, `searches`,
// `splitterWords`, `sums`; digitAt of fragments/aligned-digit.wgsl; hasPrefix, withDigit,
// splitterOf, Search; wide of fragments/order.wgsl; SAMPLE_LOADS, SEARCH_DIGITS, MAX_PASSES, RADIX,
// RADIX_BITS, SUBGROUP_SIZE, SUBGROUPS.
// Defines: splitter_0 and splitter_1; rank_0 and rank_1, their ranks among the samples equal to
// them; alike_0 and alike_1, how many of these there are; isLast, whether all samples are before
// the upper one, which is then any. (All other names are its own.)
//
// Phases, for each digit from the highest one on, until both splitters stand alone or are whole:
//   1. Count the next digit of all samples that begin as the splitter does.
//   2. Find the digits in which their ranks lie.
// Then a thread with such a sample, all of which are equal, tells it.
// Barriers: between the phases, as noted.

  let isLast = group.x + 1u == buckets;
  var rank_0 = group.x * samples / buckets;
  var rank_1 = min((group.x + 1u) * samples / buckets, samples - 1u);
  var alike_0 = samples;
  var alike_1 = samples;
  var prefix_0 = Key();
  var prefix_1 = Key();
  var shift = MAX_PASSES * RADIX_BITS;
  // A thread has SEARCH_DIGITS digits of a splitter: the lower one's come first.
  let isSearching = id < 2u * RADIX / SEARCH_DIGITS;
  let searched = min(id, 2u * RADIX / SEARCH_DIGITS - 1u);
  let isForUpper = searched >= RADIX / SEARCH_DIGITS;
  loop {
    shift -= RADIX_BITS;
    // 1. Count.
//#unroll i in SAMPLE_LOADS
    if (isSample_i) {
      let digit = digitAt(sample_i, shift, RADIX - 1u);
//#unroll e in 2
      if (hasPrefix(sample_i, prefix_e, shift)) {
        atomicAdd(&counters[e * RADIX + digit], 1u);
      }
//#end
    }
//#end
    workgroupBarrier(); // all digits are counted
    // 2. Find the digit.
    var own = 0u;
//#unroll d in SEARCH_DIGITS
    let count_d = select(0u, atomicLoad(&counters[searched * SEARCH_DIGITS + d]), isSearching);
    own += count_d;
//#end
    let throughDigits = subgroupInclusiveAdd(own);
    if (lane == SUBGROUP_SIZE - 1u) {
      sums[number] = throughDigits;
    }
    workgroupBarrier(); // all subgroups are summed up
    // The upper splitter's digits come after all of the lower one's.
    var smaller = throughDigits - own - select(0u, alike_0, isForUpper);
//#unroll r in SUBGROUPS
    smaller += select(0u, sums[r], r < number);
//#end
    let rank = select(rank_0, rank_1, isForUpper);
    let prefix = select(prefix_0, prefix_1, isForUpper);
//#unroll d in SEARCH_DIGITS
    if (isSearching) {
      atomicStore(&counters[searched * SEARCH_DIGITS + d], 0u);
    }
    if (smaller <= rank && rank - smaller < count_d) {
      let digit = (searched * SEARCH_DIGITS + d) & (RADIX - 1u);
      searches[select(0u, 1u, isForUpper)] =
        Search(withDigit(prefix, digit, shift), rank - smaller, count_d);
    }
    smaller += count_d;
//#end
    let found = workgroupUniformLoad(&searches); // a barrier: both are found
//#unroll e in 2
    prefix_e = found[e].prefix;
    rank_e = found[e].rank;
    alike_e = found[e].alike;
//#end
    if (shift == 0u || (alike_0 == 1u && alike_1 == 1u)) {
      break;
    }
  }
//#unroll i in SAMPLE_LOADS
//#unroll e in 2
  let isSplitter_i_e = hasPrefix(sample_i, prefix_e, shift)
    && digitAt(sample_i, shift, RADIX - 1u) == digitAt(prefix_e, shift, RADIX - 1u);
  if (isSample_i && isSplitter_i_e) {
    atomicStore(&splitterWords[2u * e], wide(sample_i).x);
    atomicStore(&splitterWords[2u * e + 1u], wide(sample_i).y);
  }
//#end
//#end
  workgroupBarrier(); // the splitters are told
  let splitter_0 = splitterOf(0u);
  let splitter_1 = splitterOf(1u);
