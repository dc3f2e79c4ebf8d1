// Workgroup sort: as many keys as one workgroup holds, in place, all digits in one dispatch.
//
// In and out: `keys`, raw bits, and `values`. At most TILE keys a workgroup.
// Without SEGMENTS: one workgroup; count and offset are those of fragments/command-numbers.wgsl.
// With SEGMENTS: a workgroup for each of `groups`, neighbouring segments that are each sorted by
// itself; the segment's number is one more digit, the most significant.
// Memory: reads and writes each key and value once, 8 × (KEY_WORDS + VALUE_WORDS) bytes a record;
// unless MOVES_KEYS, reads each key once a digit more, from the cache.
//
// Phases:
//   1. Load the keys as words, and find the bits in which they differ.
//   2. For each digit that begins at such a bit, sort stably (fragments/presort.wgsl). What moves
//      is the key itself (MOVES_KEYS), or a word of the digit and the place that the key came
//      from.
//   3. With SEGMENTS, sort by the number of the segment in the same way.
//   4. Write the keys, or load keys and values from the places they came from and write them.
//
// Workgroup storage: 4 × TILE_WORDS + 24 bytes; see fragments/tile.wgsl for TILE_WORDS.
// Barriers: one before `bitsSeen` is read, because every thread adds to it; in phase 4, unless
// MOVES_KEYS, one for memory, because keys overwrite others that must have been read; and the
// barriers of fragments/presort.wgsl.
// Source: Ha, Krüger and Silva, "Implicit radix sorting on GPUs", 2.1.

//#include fragments/order.wgsl
//#if SEGMENTS
//#include fragments/segment-group.wgsl

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

/// Bits that are set in any word, low and high; then bits that are clear in any.
var<workgroup> bitsSeen: array<atomic<u32>, 4>;
/// Bits in which words differ.
var<workgroup> differing: vec2u;

//#include fragments/tile.wgsl

//#if SEGMENTS
/// The segment of key `at`, counted from the group's first: the last that begins at or before it.
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

  // 1. Load.
//#unroll i in KEYS
  let at_i = first + min(thread * KEYS + i, valid - 1u);
  let key_i = wordOf(keys[at_i], order);
//#end
//#unroll i in KEYS
  let seen_i = wide(clampWord(key_i, order));
//#end
//#include fragments/differing-bits.wgsl

  // 2. Sort by digits. A place that a key came from stands above the digit.
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
  // 3. Sort by segment.
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

  // 4. Write.
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
  storageBarrier(); // all keys and values are read
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
