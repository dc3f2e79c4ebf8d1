// Long starts: where the keys of each digit begin in each long segment.
//
// In and out: `counts` of segments/long-histogram.wgsl, RADIX words for each digit of each long
// segment; each becomes the number of keys of smaller digits. Input: `longs`. Output: in `state`
// a bit for each digit in which the keys of some long segment differ, and which decides.
// Any number of workgroups; workgroup g takes digits g, g + groups, g + 2 × groups, … of all
// segments. Memory: reads and writes 4 × RADIX bytes a digit of a segment. Workgroup storage:
// 8 × THREADS bytes.
// Barriers: those of fragments/scan.wgsl, and one after each scan.

//#include fragments/order.wgsl
//#include fragments/segment-state.wgsl
//#include fragments/ties.wgsl
//#include fragments/aligned-digit.wgsl

@group(0) @binding(0) var<uniform> order: Order;
@group(1) @binding(0) var<storage, read_write> state: array<atomic<u32>>;
@group(1) @binding(1) var<storage, read> longs: array<Piece>;
@group(1) @binding(2) var<storage, read_write> counts: array<u32>;

const SUMS_AT = 0u;
var<workgroup> tile: array<u32, 2u * THREADS>;
/// Digits of all long segments.
var<workgroup> digits: u32;

//#include fragments/scan.wgsl

@compute @workgroup_size(THREADS)
fn startLong(
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
) {
  if (thread == 0u) {
    digits = min(atomicLoad(&state[LONGS_AT]), arrayLength(&longs)) * MAX_PASSES;
  }
  let all = workgroupUniformLoad(&digits);
  for (var digit = group.x; digit < all; digit += groups.x) {
    // RADIX is THREADS.
    let count = counts[digit * RADIX + thread];
    let pass_ = digit % MAX_PASSES;
    // Some, but not all keys have this value: the keys differ.
    let isPart = count > 0u && count < longs[digit / MAX_PASSES].count;
    if (isPart && digitMask(order, pass_ * RADIX_BITS) != 0u) {
      atomicOr(&state[DIGITS_AT], 1u << pass_);
    }
    let scan = scanWorkgroup(thread, count);
    counts[digit * RADIX + thread] = scan.before;
    workgroupBarrier(); // the sums are read
  }
}
