// Segment groups: which segments each workgroup sorts, of those that fit one.
//
// Input: `bounds` of segments/bounds.wgsl.
// Output: `groups`, two for each window of WINDOW keys, from the first key on. The first one has
// the segments that begin in the window; if they end beyond a tile, all but the last of them,
// which is then the second group, unless it is long. A group that is not needed is empty.
// A thread for each window. Memory: writes 32 bytes a window. Workgroup storage and barriers: none.

//#include fragments/order.wgsl
//#include fragments/segment-group.wgsl

@group(0) @binding(0) var<uniform> order: Order;
@group(1) @binding(0) var<storage, read> bounds: array<u32>;
@group(1) @binding(1) var<storage, read_write> groups: array<SegmentGroup>;

/// The first bound that is at `place` or after it; the last one if there is none.
fn firstFrom(place: u32) -> u32 {
  var low = 0u;
  var high = arrayLength(&bounds) - 1u;
  while (low < high) {
    let middle = (low + high) / 2u;
    if (bounds[middle] < place) {
      low = middle + 1u;
    } else {
      high = middle;
    }
  }
  return low;
}

/// Segments [segment, end), or none where they are no tile.
fn groupOf(segment: u32, end: u32) -> SegmentGroup {
  let first = bounds[segment];
  let length = max(bounds[end], first) - first;
  if (length > TILE) {
    return SegmentGroup();
  }
  return SegmentGroup(first, first + length, segment, end);
}

@compute @workgroup_size(THREADS)
fn groupSegments(@builtin(global_invocation_id) invocation: vec3u) {
  let window = invocation.x;
  if (window >= arrayLength(&groups) / 2u) {
    return;
  }
  let end = bounds[arrayLength(&bounds) - 1u];
  let from_ = min(bounds[0] + window * WINDOW, end);
  let segment = firstFrom(from_);
  let next = firstFrom(min(from_ + WINDOW, end));
  var all = SegmentGroup();
  var rest = SegmentGroup();
  if (segment < next) {
    if (bounds[next] - bounds[segment] <= TILE) {
      all = groupOf(segment, next);
    } else {
      all = groupOf(segment, next - 1u);
      rest = groupOf(next - 1u, next);
    }
  }
  groups[2u * window] = all;
  groups[2u * window + 1u] = rest;
}
