// Middle sort: segments that fill the storage of a workgroup, one each, in place.
//
// In and out: `keys`, raw bits, and `values`. Input: the list of `pieces` of segments/marks.wgsl:
// FEWER its front, else its end. At most TILE = THREADS × KEYS keys a segment. Any number of
// workgroups; workgroup g takes segments g, g + groups, g + 2 × groups, …
// Memory: reads and writes each key and value once, 8 × (KEY_WORDS + VALUE_WORDS) bytes a record.
//
// Phases, for each segment:
//   1. Load the keys as words, and the values; find the bits in which the words differ.
//   2. Sort by each digit with such bits (fragments/sort-digits.wgsl).
//   3. Write.
//
// Workgroup storage: `pool`, 4 × max(TILE, COUNTER_ROWS × RADIX) bytes, first counters and then
// words; and 4 × (SUBGROUPS + 6) bytes, and 4 more without SUBGROUP_ID.
// Barriers: only in fragments/differing-bits.wgsl and fragments/sort-digits.wgsl, between two uses
// of the storage by different threads.
// Relied on: the lanes of a subgroup that take part in one ballot are in step
// (fragments/rank.wgsl).

//#include fragments/order.wgsl
//#include fragments/segment-state.wgsl
//#include fragments/ties.wgsl
//#include fragments/aligned-digit.wgsl
//#include fragments/lanes.wgsl

@group(0) @binding(0) var<uniform> order: Order;
@group(1) @binding(0) var<storage, read> state: array<u32>;
@group(1) @binding(1) var<storage, read> pieces: array<Piece>;
@group(2) @binding(0) var<storage, read_write> keys: array<Key>;
//#if VALUE_WORDS > 0
@group(2) @binding(1) var<storage, read_write> values: array<Value>;
//#end

var<workgroup> pool: array<atomic<u32>, max(TILE, COUNTER_ROWS * RADIX)>;
var<workgroup> sums: array<u32, SUBGROUPS>;
/// Bits that are set in any word, low and high; then bits that are clear in any.
var<workgroup> bitsSeen: array<atomic<u32>, 4>;
/// Bits in which words differ.
var<workgroup> differing: vec2u;

//#include fragments/subgroup-entry.wgsl
fn sortMiddle(
//#include fragments/subgroup-thread.wgsl
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
) {
//#include fragments/subgroup-number.wgsl
  let mine = number * SUBGROUP_SIZE * KEYS + lane;
  let row = number * RADIX;
  let id = number * SUBGROUP_SIZE + lane;
  let hasBins = id < RADIX / DIGITS_PER_THREAD;
//#unroll j in DIGITS_PER_THREAD
  let bin_j = min(id * DIGITS_PER_THREAD + j, RADIX - 1u);
//#end
  let length = arrayLength(&pieces);
//#if FEWER
  let count = min(state[FEWER_AT], length);
//#else
  let count = min(state[MORE_AT], length);
//#end
  for (var number_ = group.x; number_ < count; number_ += groups.x) {
//#if FEWER
    let piece = pieces[number_];
//#else
    let piece = pieces[length - 1u - number_];
//#end
    let first = piece.first;
    let valid = piece.count;

    // 1. Load. Past the end the last record stands.
    if (thread < 4u) {
      atomicStore(&bitsSeen[thread], 0u);
    }
//#unroll i in KEYS
    let at_i = mine + i * SUBGROUP_SIZE;
    var key_i = wordOf(keys[first + min(at_i, valid - 1u)], order);
//#if VALUE_WORDS > 0
    var value_i = values[first + min(at_i, valid - 1u)];
//#end
//#end
    workgroupBarrier(); // no bits are seen yet
//#unroll i in KEYS
    let seen_i = wide(tiedWord(key_i, order));
//#end
//#include fragments/differing-bits.wgsl

    // 2. Sort by digits.
//#include fragments/sort-digits.wgsl

    // 3. Write.
//#unroll i in KEYS
    if (at_i < valid) {
      keys[first + at_i] = bitsOf(key_i, order);
//#if VALUE_WORDS > 0
      values[first + at_i] = value_i;
//#end
    }
//#end
  }
}
