// Decision: whether a sort is hybrid, by the counts of the sample.
//
// Input: the sample's counts in `scanState`, of `samples` keys; `plan`, as the sample left it.
// Output: `plan`: isHybrid; where it is 0, bounds and bucketShift of a sort that is not. The
// sample's counts, zero for the next sort. One workgroup, a thread a digit value.
// Workgroup storage: 8 bytes. Barriers: before the decision.

//#include fragments/order.wgsl
//#include fragments/command-numbers.wgsl
//#include fragments/scan-state.wgsl

@group(0) @binding(0) var<uniform> order: Order;
@group(0) @binding(1) var<storage, read_write> plan: Plan;
@group(0) @binding(2) var<storage, read_write> scanState: array<atomic<u32>>;

/// Keys of the sample.
var<workgroup> samples: atomic<u32>;
/// The most keys of one counter, of a digit and of several buckets.
var<workgroup> fullest: array<atomic<u32>, 2>;

@compute @workgroup_size(THREADS)
fn decide(@builtin(local_invocation_index) thread: u32) {
  let digit = atomicExchange(&scanState[SAMPLE_AT + thread], 0u);
  atomicAdd(&samples, digit);
  atomicMax(&fullest[0], digit);
  for (var at = thread; at < SAMPLE_CELLS; at += THREADS) {
    atomicMax(&fullest[1], atomicExchange(&scanState[SAMPLE_AT + RADIX + at], 0u));
  }
  workgroupBarrier(); // all counts are seen
  if (thread == 0u) {
    let count = keyCount(order.maxCount);
    let all = f32(atomicLoad(&samples));
    // How much fuller than all the fullest digit is. A batch has to hold a bucket of it.
    let fullness = f32(atomicLoad(&fullest[0])) * f32(RADIX) / all;
    let isEven = fullness <= 4.0 && fullness * f32(count) <= f32(BATCH_AIM) * f32(BUCKETS);
    // What keys that are evenly spread hardly ever reach.
    let mean = all / f32(SAMPLE_CELLS);
    let isFlat = f32(atomicLoad(&fullest[1])) <= mean + 6.0 * sqrt(mean) + 8.0;
    let isHybrid = count >= LEAST_HYBRID &&
      (FORCES_HYBRID == 1u || (plan.isHybrid == 1u && isEven && isFlat));
    plan.isHybrid = select(0u, 1u, isHybrid);
    if (!isHybrid) {
      plan.bounds = vec2u(0u, ~0u);
      plan.bucketShift = 0u;
    }
  }
}
