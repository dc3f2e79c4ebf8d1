// Tile sort: as many keys as a tile holds, in place, all digits in one dispatch. A chained scan of
// one tile, which needs no other stage.
//
// In and out: `keys`, raw bits, and `values`; as many as fragments/command-numbers.wgsl says, at
// most TILE = THREADS × KEYS. One workgroup.
// Memory: reads and writes each key and value once, 8 × (KEY_WORDS + VALUE_WORDS) bytes a record.
//
// Phases:
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
//#include fragments/command-numbers.wgsl
//#include fragments/ties.wgsl
//#include fragments/aligned-digit.wgsl
//#include fragments/lanes.wgsl

@group(0) @binding(0) var<uniform> order: Order;
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
fn sortTile(
//#include fragments/subgroup-thread.wgsl
) {
  let valid = keyCount(order.maxCount);
  if (valid < 2u) {
    return;
  }
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
  var key_i = wordOf(keys[offset + min(at_i, valid - 1u)], order);
//#if VALUE_WORDS > 0
  var value_i = values[offset + min(at_i, valid - 1u)];
//#end
//#end
//#unroll i in KEYS
  let seen_i = wide(tiedWord(key_i, order));
//#end
//#include fragments/differing-bits.wgsl

  // 2. Sort by digits.
//#include fragments/sort-digits.wgsl

  // 3. Write.
//#unroll i in KEYS
  if (at_i < valid) {
    keys[offset + at_i] = bitsOf(key_i, order);
//#if VALUE_WORDS > 0
    values[offset + at_i] = value_i;
//#end
  }
//#end
}
