// The places of the keys of long segments: number j of them, counted over all long segments in
// their order, is place `placeOf(j)` in the caller's buffers.
//
// Reads: order. Defines: the bindings of group 1, longCount, placeOf, NOWHERE.

/// Where segments begin, and where the last one ends.
@group(1) @binding(0) var<storage, read> bounds: array<u32>;
/// Keys of long segments before each segment, and of all.
@group(1) @binding(1) var<storage, read> offsets: array<u32>;

const NOWHERE = 0xffffffffu;

/// The number of keys in long segments. Places that do not ascend might give more than fit.
fn longCount() -> u32 {
  return min(offsets[arrayLength(&offsets) - 1u], order.maxCount);
}

/// NOWHERE only of places that do not ascend.
fn placeOf(j: u32) -> u32 {
  // The last segment with no more keys before it: those that are not long have none themselves.
  var low = 0u;
  var high = arrayLength(&offsets) - 1u;
  while (high - low > 1u) {
    let middle = (low + high) / 2u;
    if (offsets[middle] <= j) {
      low = middle;
    } else {
      high = middle;
    }
  }
  let first = bounds[low];
  let within = j - offsets[low];
  return select(NOWHERE, first + within, within < max(bounds[low + 1u], first) - first);
}
