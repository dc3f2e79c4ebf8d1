// Long offsets: how many keys of long segments, which no workgroup can hold, come before each
// segment. For example, segments of 9,000, 3 and 7,000 keys give 0, 9,000, 9,000 and 16,000.
//
// Input: `bounds` and `sums` of segments/bounds.wgsl, which as many workgroups have made.
// Output: `offsets`, as long as `bounds`; the last one is the number of keys in long segments.
// Memory: reads and writes 4 bytes a segment. Workgroup storage: 8 × THREADS bytes.
//
// Phases:
//   1. Add up the keys of earlier workgroups.
//   2. Scan this one's stretch of the bounds, as many at a time as it has threads.
//
// Barriers: those of fragments/scan.wgsl, and one before each scan but the first.

//#include fragments/order.wgsl
//#include fragments/segment-bounds.wgsl

@group(0) @binding(0) var<uniform> order: Order;
@group(1) @binding(0) var<storage, read> bounds: array<u32>;
@group(1) @binding(1) var<storage, read> sums: array<u32>;
@group(1) @binding(2) var<storage, read_write> offsets: array<u32>;

const SUMS_AT = 0u;
var<workgroup> tile: array<u32, 2u * THREADS>;

//#include fragments/scan.wgsl

@compute @workgroup_size(THREADS)
fn addLengths(
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
) {
  let lines = arrayLength(&bounds);
  let stretch = (lines + workgroups.x - 1u) / workgroups.x;
  let from_ = workgroup.x * stretch;
  let end = min(from_ + stretch, lines);

  // 1. Keys of earlier workgroups.
  var earlier = 0u;
  for (var i = thread; i < workgroup.x; i += THREADS) {
    earlier += sums[i];
  }
  var before = scanWorkgroup(thread, earlier).total;

  // 2. This one's stretch.
  for (var at = from_; at < end; at += THREADS) {
    let i = at + thread;
    let length = longLength(bounds[min(i, lines - 1u)], bounds[min(i + 1u, lines - 1u)]);
    workgroupBarrier(); // sums of the scan before are read
    let scan = scanWorkgroup(thread, select(0u, length, i < end));
    if (i < end) {
      offsets[i] = before + scan.before;
    }
    before += scan.total;
  }
}
