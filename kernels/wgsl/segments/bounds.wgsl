// Segment bounds: where the caller's segments begin, within what may be sorted.
//
// Input: as many segments as fragments/command-numbers.wgsl says; from its offset on, `places` has
// the first key of each, and then the end of the last. The four bytes of `room`, the number of
// records that the buffers hold, lowest first.
// Output: `bounds`, one more than there may be segments. Those after the last segment are empty.
// All bounds are within the buffers, and at most order.maxCount apart, whatever `places` says.
// `sums`: by workgroup, keys of its long segments.
// Any number of workgroups; each has a stretch of the bounds. Memory: reads and writes
// 4 bytes a segment. Workgroup storage: 8 × THREADS bytes. Barriers: those of fragments/scan.wgsl.

//#include fragments/order.wgsl
//#include fragments/command-numbers.wgsl
//#include fragments/segment-bounds.wgsl

@group(0) @binding(0) var<uniform> order: Order;
@group(2) @binding(0) var<storage, read> places: array<u32>;
@group(2) @binding(1) var<storage, read_write> bounds: array<u32>;
@group(2) @binding(2) var<storage, read_write> sums: array<u32>;
@group(2) @binding(3) var<uniform> room0: u32;
@group(2) @binding(4) var<uniform> room1: u32;
@group(2) @binding(5) var<uniform> room2: u32;
@group(2) @binding(6) var<uniform> room3: u32;

const SUMS_AT = 0u;
var<workgroup> tile: array<u32, 2u * THREADS>;

//#include fragments/scan.wgsl

@compute @workgroup_size(THREADS)
fn boundSegments(
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
) {
  let lines = arrayLength(&bounds);
  let room = room0 | (room1 << 8u) | (room2 << 16u) | (room3 << 24u);
  // A count that only the GPU knows may be of more places than there are.
  let last = min(offset + keyCount(lines - 1u), arrayLength(&places) - 1u);
  let first = min(places[offset], room);
  let end = first + min(order.maxCount, room - first);

  let stretch = (lines + workgroups.x - 1u) / workgroups.x;
  let from_ = workgroup.x * stretch;
  var sum = 0u;
  for (var i = from_ + thread; i < min(from_ + stretch, lines); i += THREADS) {
    let bound = clamp(places[min(offset + i, last)], first, end);
    let next = clamp(places[min(offset + i + 1u, last)], first, end);
    bounds[i] = bound;
    sum += longLength(bound, next);
  }
  let total = scanWorkgroup(thread, sum).total;
  if (thread == 0u) {
    sums[workgroup.x] = total;
  }
}
