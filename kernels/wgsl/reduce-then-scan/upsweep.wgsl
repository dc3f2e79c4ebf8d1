// Upsweep: how many keys of each digit a block has. The reduce of reduce-then-scan.
//
// Input: `keys`, raw bits in the first pass, words in later ones; `plan`.
// Output: `spine`, RADIX rows of one count a block; rows are order.maxBlocks counts apart.
// One workgroup a block, whose plan.tilesPerBlock × TILE keys lie next to each other. Other
// workgroups return at once, and so do all in a pass that is not run.
// Memory: reads each key once, 4 × KEY_WORDS bytes; writes 4 × RADIX bytes a block.
//
// Phases:
//   1. Zero the counters.
//   2. Count the digits of the block's keys, KEYS loads a thread at a time.
//   3. Write the counters to the block's column of the spine.
//
// Workgroup storage: 4 × RADIX bytes. Barriers: between the phases, as each uses counters that
// other threads have written.
// Source: Merrill and Grimshaw, "Revisiting sorting for GPGPU stream architectures", 4.1.

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
  if (slot >= plan.passesRun || group.x >= plan.blocks) {
    return;
  }
  // 1. Zero the counters.
  let pass_ = plan.passes[slot];
  for (var digit = thread; digit < RADIX; digit += THREADS) {
    atomicStore(&counters[digit], 0u);
  }
  workgroupBarrier(); // the counters are zero

  // 2. Count.
  let first = group.x * plan.tilesPerBlock * TILE;
  let end = min(first + plan.tilesPerBlock * TILE, plan.count);
  let isFirst = pass_.isFirst == 1u;
  for (var start = first; start < end; start += TILE) {
    // All loads first, so that memory serves them together.
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

  workgroupBarrier(); // all keys are counted
  // 3. The column of the spine.
  for (var digit = thread; digit < RADIX; digit += THREADS) {
    spine[digit * order.maxBlocks + group.x] = atomicLoad(&counters[digit]);
  }
}
