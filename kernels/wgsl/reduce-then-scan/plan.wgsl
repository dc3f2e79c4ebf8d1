// Plan: which digits are sorted on, and into how many blocks the keys are cut.
//
// Input: `ranges`, order.surveyGroups KeyRanges of the survey.
// Output: `plan`. The host need not read it, because workgroups of a pass that is not needed return
// at once, and so do workgroups beyond the blocks. After a hybrid sort by a map (MAPPED) that was
// not given up, only the number of blocks is written: 0. One workgroup. Memory: reads
// 16 × KEY_WORDS bytes a range.
//
// Phases:
//   1. Join all ranges.
//   2. Cut digits in two ways, and take the one with fewer passes:
//        by range   digits of (word - smallest word): bits of (largest - smallest), but for those
//                   that order.rangeBits leaves out;
//        by bits    digits that begin at a bit in which words differ, leaping over common bits.
//      An approximate sort always cuts the range of its 24-bit codes.
//   3. Divide the tiles among blocks, a workgroup each.
//   4. Write the passes.
// Thread 0 does phases 2 to 4.
//
// Workgroup storage: 16 × KEY_WORDS × THREADS bytes, that of fragments/key-range.wgsl.
// Barriers: those of fragments/key-range.wgsl.
// Source: Ha, Krüger and Silva, "Implicit radix sorting on GPUs", 2.3, for the range; leaping over
// common bits is this project's.

//#include fragments/order.wgsl
//#include fragments/command-numbers.wgsl
//#include fragments/key-range.wgsl
//#include fragments/bits.wgsl

@group(0) @binding(0) var<uniform> order: Order;
@group(0) @binding(1) var<storage, read> ranges: array<KeyRange>;
@group(0) @binding(2) var<storage, read_write> plan: Plan;

//#if APPROXIMATE
/// The scale whose codes fit 24 bits. Without a finite key, one for infinities and NaNs.
fn scaleOf(all: KeyRange) -> Scale {
  if (all.smallest > all.largest) {
    return Scale(0, 1u, 0u, 3u);
  }
  let one = bitsOf(all.smallest, order);
  let other = bitsOf(all.largest, order);
  let exponent = max(1u, max(extractBits(one, 23u, 8u), extractBits(other, 23u, 8u)));
  let floor = min(fixedOf(one, exponent), fixedOf(other, exponent));
  let range = u32(max(fixedOf(one, exponent), fixedOf(other, exponent)) - floor);
  var shift = max(bitLength(vec2u(range, 0u)), 24u) - 24u;
  if ((range >> shift) + 3u > 0xffffffu) {
    shift += 1u;
  }
  return Scale(floor, exponent, shift, (range >> shift) + 3u);
}
//#end

@compute @workgroup_size(THREADS)
fn makePlan(@builtin(local_invocation_index) thread: u32) {
  // 1. The range of all keys.
//#if MAPPED
  let isDone = plan.mode != BY_SWEEPS && plan.isGivenUp == 0u;
//#else
  let isDone = false;
//#end
  var seen = emptyRange();
  for (var i = thread; i < order.surveyGroups && !isDone; i += THREADS) {
    seen = joinRanges(seen, ranges[i]);
  }
  let all = joinWorkgroup(thread, seen);
  if (thread != 0u) {
    return;
  }

  if (isDone) {
    plan.blocks = 0u;
    return;
  }

  // 2. Digits: by bits, `windows` passes, or by range.
  let count = keyCount(order.maxCount);
  let decisive = wide(all.anyBits & ~all.allBits) & order.mask;

  var windows = 0u;
  for (var bit = nextBit(decisive, 0u); bit < 64u; bit = nextBit(decisive, bit + RADIX_BITS)) {
    windows += 1u;
  }
//#if APPROXIMATE
  let scale = scaleOf(all);
  let span = bitLength(vec2u(scale.top, 0u));
  let byRange = true;
  let skipped = 0u;
  plan.scale = vec2u(scale.exponent, scale.shift);
//#else
  let span = bitLength(wide(minus(all.largest, all.smallest)));
  let skipped = max(span, order.rangeBits) - order.rangeBits;
  let byRange =
    order.mayShift == 1u && (span - skipped + RADIX_BITS - 1u) / RADIX_BITS < windows;
  // Descending words count from the largest one down: bits that are left out must not carry.
//#if KEY_WORDS == 1
  let bias = select(all.smallest, all.largest - lowBits(span).x, order.flip.x != 0u);
//#else
  let bias = select(all.smallest, minus(all.largest, lowBits(span)), order.flip.x != 0u);
//#end
//#end
  var passes = select(windows, (span - skipped + RADIX_BITS - 1u) / RADIX_BITS, byRange);
  if (count < 2u) {
    passes = 0u;
  }

  // 3. Blocks.
  let tiles = (count + TILE - 1u) / TILE;
  let tilesPerBlock = max(order.minTiles, (tiles + order.maxBlocks - 1u) / order.maxBlocks);
  let blocks = (tiles + tilesPerBlock - 1u) / tilesPerBlock;
  plan.count = count;
  plan.offset = offset;
  plan.tilesPerBlock = tilesPerBlock;
  plan.blocks = blocks;
  // Few lanes for short rows, where starting a workgroup takes longer than its work.
  var spineLanes = 1u;
  while (spineLanes < SPINE_LANES && spineLanes * SPINE_COUNTS < blocks) {
    spineLanes *= 8u;
  }
  plan.spineLanes = spineLanes;
  plan.passesRun = passes;
  plan.passesSkipped = MAX_PASSES - passes;

  // 4. Passes.
  var from_ = 0u;
  for (var p = 0u; p < MAX_PASSES; p += 1u) {
    let isRun = p < passes;
    let bit = select(nextBit(decisive, from_), skipped + p * RADIX_BITS, byRange);
    let top = select(bitLength(decisive), span, byRange);
    from_ = bit + RADIX_BITS;
    var pass_: Pass;
//#if APPROXIMATE
    pass_.scale = scale;
//#else
    if (byRange) {
      pass_.bias = wide(bias);
    }
//#end
    pass_.shift = bit;
    pass_.width = select(0u, min(RADIX_BITS, top - min(top, bit)), isRun);
    pass_.isFirst = select(0u, 1u, p == 0u);
    pass_.isLast = select(0u, 1u, p + 1u == passes);
    // Ping-pong: even passes read the caller's buffers, odd ones scratch.
    pass_.sourceOffset = select(offset, 0u, (p & 1u) == 1u);
    pass_.targetOffset = select(0u, offset, (p & 1u) == 1u);
    plan.passes[p] = pass_;
  }
}
