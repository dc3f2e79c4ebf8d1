// Small: what fits one workgroup, sorted in place in one dispatch, all digits of it.
//
// In and out: `keys` and `values`, raw bits. At most TILE keys a workgroup: one array of a given count, or with SEGMENTS
// a group of neighbouring segments, each sorted on its own, by the segment's number as one more digit on top.
// Pre-sort as in the passes over large arrays, on digits that begin at a bit that varies: equal digits cost nothing.
// Reads and writes every key and value once from memory, and keys once a digit from the cache.
// Workgroup storage: 4 × TILE + 20 bytes. Barriers: before `bitsSeen` is read, before memory is written that others read.

//#include fragments/order.wgsl
//#if SEGMENTS
/// Keys [first, end) are segments [firstSegment, endSegment).
struct SegmentGroup {
  first: u32,
  end: u32,
  firstSegment: u32,
  endSegment: u32,
}

@group(1) @binding(0) var<storage, read> groups: array<SegmentGroup>;
/// First key of every segment.
@group(1) @binding(1) var<storage, read> starts: array<u32>;
//#else
//#include fragments/command-numbers.wgsl
//#end
//#include fragments/bits.wgsl

@group(0) @binding(0) var<uniform> order: Order;
@group(2) @binding(0) var<storage, read_write> keys: array<Key>;
//#if VALUE_WORDS > 0
@group(2) @binding(1) var<storage, read_write> values: array<Value>;
//#end

/// Bits that are set in any word, then those that are clear in any.
var<workgroup> bitsSeen: array<atomic<u32>, 4>;
var<workgroup> decisive: vec2u;

//#include fragments/tile.wgsl

//#if SEGMENTS
/// The segment that key `at` is in, the last of those that begin at or before it, counted from the group's first.
fn segmentOf(at: u32, group: SegmentGroup) -> u32 {
  var low = group.firstSegment;
  var high = group.endSegment;
  while (high - low > 1u) {
    let middle = (low + high) / 2u;
    if (starts[middle] <= at) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low - group.firstSegment;
}
//#end

@compute @workgroup_size(THREADS)
fn sortWorkgroup(
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
) {
//#if SEGMENTS
  let index = workgroup.x + workgroup.y * workgroups.x;
  if (index >= arrayLength(&groups)) {
    return;
  }
  let group = groups[index];
  let first = group.first;
  let valid = group.end - group.first;
  let segmentBits = bitLength(vec2u(group.endSegment - group.firstSegment - 1u, 0u));
//#else
  let first = offset;
  let valid = keyCount(order.maxCount);
//#end
  if (valid < 2u) {
    return;
  }
  let limit = max(valid, thread * KEYS) - thread * KEYS;

//#unroll i in KEYS
  let at_i = first + min(thread * KEYS + i, valid - 1u);
  let key_i = wordOf(keys[at_i], order);
//#end
  var setBits = vec2u(0u);
  var clearBits = vec2u(0u);
//#unroll i in KEYS
  let seen_i = wide(clampWord(key_i, order));
  setBits |= seen_i;
  clearBits |= ~seen_i;
//#end
  atomicOr(&bitsSeen[0], setBits.x);
  atomicOr(&bitsSeen[1], setBits.y);
  atomicOr(&bitsSeen[2], clearBits.x);
  atomicOr(&bitsSeen[3], clearBits.y);
  workgroupBarrier();
  if (thread == 0u) {
    decisive = vec2u(
      atomicLoad(&bitsSeen[0]) & atomicLoad(&bitsSeen[2]),
      atomicLoad(&bitsSeen[1]) & atomicLoad(&bitsSeen[3]),
    ) & order.mask;
  }
  let bits = workgroupUniformLoad(&decisive);

  // What moves: the key, or the place that it came from, below which each digit's pass puts the digit.
//#unroll i in KEYS
//#if MOVES_KEYS
  var word_i = key_i;
//#else
  var word_i = (thread * KEYS + i) << RADIX_BITS;
//#end
//#end
  var pass_: Pass;
  for (var bit = nextBit(bits, 0u); bit < 64u; bit = nextBit(bits, bit + RADIX_BITS)) {
    pass_.shift = bit;
    pass_.width = min(RADIX_BITS, bitLength(bits) - bit);
    let roundsEnd = pass_.width;
//#if MOVES_KEYS == 0
//#unroll i in KEYS
    let came_i = word_i >> RADIX_BITS;
    let digit_i = digitOf(wordOf(keys[first + min(came_i, valid - 1u)], order), order, pass_);
    word_i = (came_i << RADIX_BITS) | digit_i;
//#end
//#end
//#include fragments/presort.wgsl
  }
//#if SEGMENTS
  for (var bit = 0u; bit < segmentBits; bit += RADIX_BITS) {
    let roundsEnd = min(RADIX_BITS, segmentBits - bit);
//#unroll i in KEYS
    let came_i = word_i >> RADIX_BITS;
    let segment_i = segmentOf(first + min(came_i, valid - 1u), group);
    word_i = (came_i << RADIX_BITS) | extractBits(segment_i, bit, RADIX_BITS);
//#end
//#include fragments/presort.wgsl
  }
//#end

//#if MOVES_KEYS
//#unroll i in KEYS
  if (i < limit) {
    keys[at_i] = bitsOf(word_i, order);
  }
//#end
//#else
//#unroll i in KEYS
  let from_i = first + min(word_i >> RADIX_BITS, valid - 1u);
  let moved_i = keys[from_i];
//#if VALUE_WORDS > 0
  let value_i = values[from_i];
//#end
//#end
  storageBarrier(); // nothing is written while another thread has yet to read
//#unroll i in KEYS
  if (i < limit) {
    keys[at_i] = moved_i;
//#if VALUE_WORDS > 0
    values[at_i] = value_i;
//#end
  }
//#end
//#end
}
