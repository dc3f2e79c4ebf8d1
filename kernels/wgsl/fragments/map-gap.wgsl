// Map gap: the widest gap between the leads of a sample, which the map leaves out. Part of a
// function: hybrid/sample.wgsl, its phase 3.
//
// For example, if half of the leads lie near 1,000 and half near 4,000,000,000, nearly all
// positions would be wasted on what lies between. So the map has positions for [least, below] and
// [above, most] only (fragments/map.wgsl). Both parts go on into the gap a little, because some
// keys lie there that are not in the sample.
//
// Steps:
//   a. Mark which of GAP_CELLS equal parts of the range have a lead, and find the widest run of
//      parts that have none. It is a gap if it takes more than half of the range, because the
//      sample may have missed keys in a narrower one.
//   b. The leads next to the gap are its ends; move them into it by a margin.
//   c. Choose shift and factor, which make fractions of positions. Positions above the gap begin
//      with a cell of the map of their own.
//
// Reads: lead_0 to lead_(SAMPLE_KEYS - 1), the thread's leads; thread; map.least and map.most;
// `range` with these two, `parts`, `widest` and `near`, zero; positionOf and fractionOf of
// fragments/map.wgsl; GAP_CELLS, MARGIN_BITS, MAX_NEAR, EDGE_BITS, FRACTION_BITS, MAP_CELLS,
// SAMPLE_KEYS.
// Changes: map.below, map.above, map.shift, map.factor; without a gap, below and above are most.
// Defines: hasGap; firstAbove, the first cell above the gap, MAP_CELLS without one. (wide_,
// lastPart, part_i, ownPart, below, margin, used, room and lower are its own.)
// Barriers: after each of four steps in which threads add to what all read: the marks, the widest
// gap, its ends, the keys near it.

  let wide_ = countLeadingZeros((map.most - map.least) | 1u);
  let lastPart = ((map.most - map.least) << wide_) >> 24u;
  if (thread < 2u) {
    let end = select(0u, lastPart, thread == 1u);
    atomicOr(&parts[end >> 5u], 1u << (end & 31u));
  }
//#unroll i in SAMPLE_KEYS
  let part_i = ((lead_i - map.least) << wide_) >> 24u;
  if ((atomicLoad(&parts[part_i >> 5u]) & (1u << (part_i & 31u))) == 0u) {
    atomicOr(&parts[part_i >> 5u], 1u << (part_i & 31u));
  }
//#end
  workgroupBarrier(); // all parts with keys are marked
  let ownPart = min(thread, GAP_CELLS - 1u);
  if (thread < GAP_CELLS && (atomicLoad(&parts[ownPart >> 5u]) & (1u << (thread & 31u))) != 0u) {
    var word = thread >> 5u;
    // Two steps, because a shift by 32 would be one by 0.
    var marks = atomicLoad(&parts[word]) & ((~0u << (thread & 31u)) << 1u);
    while (marks == 0u && word + 1u < GAP_CELLS / 32u) {
      word += 1u;
      marks = atomicLoad(&parts[word]);
    }
    if (marks != 0u) {
      let next = 32u * word + firstTrailingBit(marks);
      atomicMax(&widest, ((next - thread - 1u) << 8u) | thread);
    }
  }
  workgroupBarrier(); // the widest gap is known
  let below = atomicLoad(&widest) & 255u;
  // A narrower gap may well have keys that the sample does not.
  let hasGap = 2u * (atomicLoad(&widest) >> 8u) > lastPart + 1u;
  if (hasGap) {
    var maxBelow = 0u;
    var minAbove = ~0u;
//#unroll i in SAMPLE_KEYS
    maxBelow = max(maxBelow, select(0u, lead_i, part_i <= below));
    minAbove = min(minAbove, select(~0u, lead_i, part_i > below));
//#end
    atomicMax(&range[0], maxBelow);
    atomicMin(&range[1], minAbove);
  }
  workgroupBarrier(); // the gap is known
  map.below = select(map.most, atomicLoad(&range[0]), hasGap);
  map.above = select(map.most, atomicLoad(&range[1]), hasGap);
  // Some keys lie a little further into the gap than the sample's.
  let margin = select(0u, positionOf(map.most, map) >> MARGIN_BITS, hasGap);
  if (hasGap) {
    var nearBelow = 0u;
    var nearAbove = 0u;
//#unroll i in SAMPLE_KEYS
    nearBelow += select(0u, 1u, map.below - min(lead_i, map.below) <= margin && part_i <= below);
    nearAbove += select(0u, 1u, max(lead_i, map.above) - map.above <= margin && part_i > below);
//#end
    atomicAdd(&near[0], nearBelow);
    atomicAdd(&near[1], nearAbove);
  }
  workgroupBarrier(); // keys near the gap are counted
  // Not far beyond many keys: a bucket of few keys would have part of them, in one bin.
  map.below += margin >> select(0u, EDGE_BITS, atomicLoad(&near[0]) > MAX_NEAR);
  map.above -= margin >> select(0u, EDGE_BITS, atomicLoad(&near[1]) > MAX_NEAR);
  let used = positionOf(map.most, map);
  // Positions above the gap begin with a cell of their own, for which there has to be room.
  let room = used + select(0u, used >> 4u, hasGap);
  map.shift = max(32u - countLeadingZeros(room), FRACTION_BITS) - FRACTION_BITS;
  map.factor = ~0u / ((room >> map.shift) + 1u);
  let lower = map.below - map.least;
  let firstAbove = select(MAP_CELLS, (fractionOf(lower, map) >> 27u) + 1u, hasGap);
  if (hasGap) {
    let fraction = firstAbove << 27u;
    map.below = map.least + ((fraction / map.factor + 1u) << map.shift);
  }
