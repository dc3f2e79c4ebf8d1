// Upsweep: how many keys of each digit a block has. The reduce of reduce-then-scan.
//
// Input: `keys`, raw bits in the first pass, words in later ones. Output: `spine`, RADIX rows of a count a
// block, row stride `order.maxBlocks`. One workgroup a block, whose keys lie next to each other:
// Merrill and Grimshaw, "Revisiting sorting for GPGPU stream architectures", 4.1. Reads a key once, 4 × KEY_WORDS bytes.
// Workgroup storage: 4 × RADIX bytes. Barriers: after zeroing the counters, before reading them.

//#include fragments/order.wgsl

@group(0) @binding(0) var<uniform> order: Order;
@group(0) @binding(1) var<storage, read> plan: Plan;
@group(0) @binding(2) var<storage, read_write> spine: array<u32>;
@group(1) @binding(0) var<uniform> slot: u32;
@group(2) @binding(0) var<storage, read> keys: array<Key>;

var<workgroup> counters: array<atomic<u32>, RADIX>;

@compute @workgroup_size(THREADS)
fn upsweep(
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) group: vec3u,
) {
  let pass_ = plan.passes[slot];
  for (var digit = thread; digit < RADIX; digit += THREADS) {
    atomicStore(&counters[digit], 0u);
  }
  workgroupBarrier();

  let first = group.x * plan.tilesPerBlock * TILE;
  let end = min(first + plan.tilesPerBlock * TILE, plan.count);
  let isFirst = pass_.isFirst == 1u;
  for (var start = first; start < end; start += TILE) {
    // All loads first, so that they are under way together.
//#unroll i in KEYS
    let at_i = start + i * THREADS + thread;
    let key_i = keys[pass_.sourceOffset + min(at_i, end - 1u)];
//#end
//#unroll i in KEYS
    if (at_i < end) {
      let word = select(key_i, wordOf(key_i, order), isFirst);
      atomicAdd(&counters[digitOf(word, order, pass_)], 1u);
    }
//#end
  }

  workgroupBarrier();
  for (var digit = thread; digit < RADIX; digit += THREADS) {
    spine[digit * order.maxBlocks + group.x] = atomicLoad(&counters[digit]);
  }
}
