// Sort runs: the keys of each tile, in order by themselves. The first stage of a sort by regular
// sampling.
//
// Input: `sourceKeys`, raw bits, and `sourceValues`; as many as fragments/command-numbers.wgsl
// says, from there. Output: `targetKeys`, words, and `targetValues`: run after run of TILE records,
// each in order, equal keys in that of the input. A workgroup for each run; TILE = THREADS × KEYS.
// Memory: reads and writes each key and value once, 8 × (KEY_WORDS + VALUE_WORDS) bytes a record;
// reads each key once more, from the cache.
//
// Phases:
//   1. Load the keys as words, and the values; find the bits in which the words differ, and whether
//      they are in order already.
//   2. Unless they are, sort by each digit with such bits (fragments/sort-digits.wgsl).
//   3. Write.
//
// Workgroup storage: `pool`, 4 × max(TILE, COUNTER_ROWS × RADIX) bytes, first counters and then
// words; and 4 × (SUBGROUPS + 8) bytes, and 4 more without SUBGROUP_ID.
// Barriers: only in fragments/differing-bits.wgsl and fragments/sort-digits.wgsl, between two uses
// of the storage by different threads.
// Relied on: the lanes of a subgroup that take part in one ballot are in step
// (fragments/rank.wgsl).
// Source: Shi and Schaeffer, "Parallel sorting by regular sampling", 1992.

//#include fragments/order.wgsl
//#include fragments/command-numbers.wgsl
//#include fragments/ties.wgsl
//#include fragments/aligned-digit.wgsl
//#include fragments/lanes.wgsl

@group(0) @binding(0) var<uniform> order: Order;
@group(2) @binding(0) var<storage, read> sourceKeys: array<Key>;
@group(2) @binding(1) var<storage, read_write> targetKeys: array<Key>;
//#if VALUE_WORDS > 0
@group(2) @binding(2) var<storage, read> sourceValues: array<Value>;
@group(2) @binding(3) var<storage, read_write> targetValues: array<Value>;
//#end

var<workgroup> pool: array<atomic<u32>, max(TILE, COUNTER_ROWS * RADIX)>;
var<workgroup> sums: array<u32, SUBGROUPS>;
/// Bits that are set in any word, low and high; then bits that are clear in any.
var<workgroup> bitsSeen: array<atomic<u32>, 4>;
/// Bits in which words differ.
var<workgroup> differing: vec2u;
/// 1 where a key comes before the one in front of it.
var<workgroup> isMixed: atomic<u32>;
/// The same, for all threads to read.
var<workgroup> mixed: u32;

//#include fragments/subgroup-entry.wgsl
fn sortRun(
//#include fragments/subgroup-thread.wgsl
  @builtin(workgroup_id) group: vec3u,
) {
  let first = group.x * TILE;
  let count = keyCount(order.maxCount);
  if (first >= count) {
    return;
  }
  let valid = min(count - first, TILE);
//#include fragments/subgroup-number.wgsl
  let mine = number * SUBGROUP_SIZE * KEYS + lane;
  let row = number * RADIX;
  let id = number * SUBGROUP_SIZE + lane;
  let hasBins = id < RADIX / DIGITS_PER_THREAD;
//#unroll j in DIGITS_PER_THREAD
  let bin_j = min(id * DIGITS_PER_THREAD + j, RADIX - 1u);
//#end

  // 1. Load. Past the end the last record stands.
//#unroll i in KEYS
  let at_i = mine + i * SUBGROUP_SIZE;
  var key_i = wordOf(sourceKeys[offset + first + min(at_i, valid - 1u)], order);
  let before_i = wordOf(sourceKeys[offset + first + min(max(at_i, 1u), valid) - 1u], order);
//#if VALUE_WORDS > 0
  var value_i = sourceValues[offset + first + min(at_i, valid - 1u)];
//#end
//#end
  var isBehind = false;
//#unroll i in KEYS
  let seen_i = wide(tiedWord(key_i, order));
  isBehind |= isBefore(key_i, before_i, order);
//#end
  if (subgroupAny(isBehind) && lane == 0u) {
    atomicStore(&isMixed, 1u);
  }
//#include fragments/differing-bits.wgsl
  if (thread == 0u) {
    mixed = atomicLoad(&isMixed);
  }
  let decisiveBits = bits * workgroupUniformLoad(&mixed);

  // 2. Sort by digits.
  {
    let bits = decisiveBits;
//#include fragments/sort-digits.wgsl
  }

  // 3. Write.
//#unroll i in KEYS
  if (at_i < valid) {
    targetKeys[first + at_i] = key_i;
//#if VALUE_WORDS > 0
    targetValues[first + at_i] = value_i;
//#end
  }
//#end
}
