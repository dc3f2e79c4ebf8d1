// Spine: for every block and digit, how many keys of that digit come in earlier blocks.
//
// In and out: `spine`, counts to exclusive sums along each row; behind the rows, output, the sum of each row.
// `plan.spineLanes` threads a row, each with SPINE_COUNTS counts at a time: no workgroup waits for another, and a few do for
// short rows. 8 bytes a count.
// Workgroup storage: 4 × THREADS bytes. Barriers: two a step of the scan, which is by doubling (Hillis and
// Steele, "Data parallel algorithms", 1986): before a step's sums are read, and before they are replaced.

//#include fragments/order.wgsl

@group(0) @binding(0) var<uniform> order: Order;
@group(0) @binding(1) var<storage, read> plan: Plan;
@group(0) @binding(2) var<storage, read_write> spine: array<u32>;

var<workgroup> sums: array<u32, THREADS>;

@compute @workgroup_size(THREADS)
fn scanSpine(
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) group: vec3u,
) {
  let lanes = plan.spineLanes;
  let lane = thread % lanes;
  let row = group.x * (THREADS / lanes) + thread / lanes;
  let rowStart = row * order.maxBlocks;
  let blocks = plan.blocks;
  var before = 0u;
  for (var start = 0u; start < blocks; start += SPINE_COUNTS * lanes) {
    let at = start + SPINE_COUNTS * lane;
    var own = 0u;
//#unroll i in SPINE_COUNTS
    let count_i = select(0u, spine[rowStart + min(at + i, blocks - 1u)], at + i < blocks);
    own += count_i;
//#end
    var sum = own;
    for (var stride = 1u; stride < lanes; stride *= 2u) {
      sums[thread] = sum;
      workgroupBarrier();
      if (lane >= stride) {
        sum += sums[thread - stride];
      }
      workgroupBarrier();
    }
    sums[thread] = sum;
    workgroupBarrier();
    var earlier = before + sum - own;
//#unroll i in SPINE_COUNTS
    if (at + i < blocks) {
      spine[rowStart + at + i] = earlier;
    }
    earlier += count_i;
//#end
    before += sums[thread - lane + lanes - 1u];
    workgroupBarrier();
  }
  if (lane == 0u) {
    spine[RADIX * order.maxBlocks + row] = before;
  }
}
