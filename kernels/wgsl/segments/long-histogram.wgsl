// Long histogram: how many keys of each long segment have each digit, for all digits in one read.
//
// Input: `keys`, raw bits; `tiles` of segments/long-tiles.wgsl. Output: `counts`, RADIX words for
// each digit of each long segment, zero before. Any number of workgroups; each takes a stretch of
// neighbouring tiles. Memory: reads each key once, 4 × KEY_WORDS bytes.
//
// Phases, for each tile:
//   1. Count the digits of its keys, HISTOGRAM_KEYS loads a thread at a time.
//   2. If the next tile is none of this workgroup's or of another segment, add the counters to
//      those of the segment, and zero them.
//
// Workgroup storage: 4 × RADIX × MAX_PASSES bytes, zero at the start (WGSL), and 16.
// Barriers: around phase 2.
// Source: Adinets and Merrill, "Onesweep", 2022, for the histogram of all digits at once.

//#include fragments/order.wgsl
//#include fragments/segment-state.wgsl
//#include fragments/ties.wgsl
//#include fragments/aligned-digit.wgsl

@group(0) @binding(0) var<uniform> order: Order;
@group(1) @binding(0) var<storage, read> state: array<u32>;
@group(1) @binding(1) var<storage, read> tiles: array<Tile>;
@group(1) @binding(2) var<storage, read_write> counts: array<atomic<u32>>;
@group(2) @binding(0) var<storage, read_write> keys: array<Key>;

var<workgroup> counters: array<atomic<u32>, MAX_PASSES * RADIX>;

@compute @workgroup_size(THREADS)
fn countLong(
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
) {
  let all = min(state[TILES_AT], arrayLength(&tiles));
  let stretch = (all + groups.x - 1u) / groups.x;
  let end = min((group.x + 1u) * stretch, all);
//#unroll d in MAX_PASSES
  let mask_d = digitMask(order, d * RADIX_BITS);
//#end
  for (var number = group.x * stretch; number < end; number += 1u) {
    let tile = tiles[number];
    // 1. Count.
    for (var from_ = thread; from_ < tile.valid; from_ += THREADS * HISTOGRAM_KEYS) {
//#unroll i in HISTOGRAM_KEYS
      let key_i = keys[tile.first + min(from_ + i * THREADS, tile.valid - 1u)];
//#end
//#unroll i in HISTOGRAM_KEYS
      if (from_ + i * THREADS < tile.valid) {
        let word_i = tiedWord(wordOf(key_i, order), order);
//#unroll d in MAX_PASSES
        atomicAdd(&counters[d * RADIX + digitAt(word_i, d * RADIX_BITS, mask_d)], 1u);
//#end
      }
//#end
    }
    // 2. Add.
    let next = min(number + 1u, arrayLength(&tiles) - 1u);
    if (number + 1u == end || tiles[next].segment != tile.segment) {
      workgroupBarrier(); // all keys are counted
      for (var at = thread; at < MAX_PASSES * RADIX; at += THREADS) {
        let count = atomicExchange(&counters[at], 0u);
        if (count > 0u) {
          atomicAdd(&counts[tile.segment * MAX_PASSES * RADIX + at], count);
        }
      }
      workgroupBarrier(); // the counters are zero
    }
  }
}
