// Spine: for each block and digit, how many keys of that digit are in earlier blocks. The scan of
// reduce-then-scan.
//
// In and out: `spine`, RADIX rows of plan.blocks counts: each row becomes its exclusive prefix
// sums.
// Output: after the rows, the sum of each row, RADIX words.
// plan.spineLanes threads a row, THREADS / plan.spineLanes rows a workgroup; other workgroups
// return at once, and so do all in a pass that is not run. No workgroup waits for another. Memory:
// reads and writes each count once, 8 bytes.
//
// Phases, for SPINE_COUNTS × plan.spineLanes counts of a row at a time:
//   1. Each thread loads and adds up SPINE_COUNTS counts.
//   2. The sums of a row's threads are scanned, by doubling strides.
//   3. Each thread writes the prefix sums of its counts.
// At the end the first thread of a row writes its sum.
//
// Workgroup storage: 4 × THREADS bytes. Barriers, as noted: before a step's sums are read, and
// before they are overwritten.
// Source: Hillis and Steele, "Data parallel algorithms", 1986, for phase 2.

//#include fragments/order.wgsl

@group(0) @binding(0) var<uniform> order: Order;
@group(0) @binding(1) var<storage, read> plan: Plan;
@group(0) @binding(2) var<storage, read_write> spine: array<u32>;
@group(1) @binding(0) var<uniform> slot: u32;

var<workgroup> sums: array<u32, THREADS>;

@compute @workgroup_size(THREADS)
fn scanSpine(
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) group: vec3u,
) {
  let lanes = plan.spineLanes;
  if (slot >= plan.passesRun || plan.blocks == 0u || group.x >= RADIX * lanes / THREADS) {
    return;
  }
  let lane = thread % lanes;
  let row = group.x * (THREADS / lanes) + thread / lanes;
  let rowStart = row * order.maxBlocks;
  let blocks = plan.blocks;
  var before = 0u;
  for (var start = 0u; start < blocks; start += SPINE_COUNTS * lanes) {
    // 1. Counts.
    let at = start + SPINE_COUNTS * lane;
    var own = 0u;
//#unroll i in SPINE_COUNTS
    let count_i = select(0u, spine[rowStart + min(at + i, blocks - 1u)], at + i < blocks);
    own += count_i;
//#end
    // 2. Scan.
    var sum = own;
    for (var stride = 1u; stride < lanes; stride *= 2u) {
      sums[thread] = sum;
      workgroupBarrier(); // the step's sums are there
      if (lane >= stride) {
        sum += sums[thread - stride];
      }
      workgroupBarrier(); // and read
    }
    sums[thread] = sum;
    workgroupBarrier(); // the last sum of each row is there
    // 3. Prefix sums.
    var earlier = before + sum - own;
//#unroll i in SPINE_COUNTS
    if (at + i < blocks) {
      spine[rowStart + at + i] = earlier;
    }
    earlier += count_i;
//#end
    before += sums[thread - lane + lanes - 1u];
    workgroupBarrier(); // and read
  }
  if (lane == 0u) {
    spine[RADIX * order.maxBlocks + row] = before;
  }
}
