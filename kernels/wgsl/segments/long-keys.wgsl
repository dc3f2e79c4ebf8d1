// Long keys: what long segments are sorted by. First the words of their keys, then, in the order of
// those, the numbers of their segments: a stable sort by each puts every segment in order.
//
// takeKeys
//   Input: `keys`, raw bits; the tables of fragments/long-places.wgsl.
//   Output: `words`, the bits that decide of each key in a long segment; `taken`, its place.
// numberSegments
//   Input: `taken`, in any order, and the tables.
//   Output: `words`, the number of the segment of each place.
//
// Any number of workgroups. Memory: reads 4 × KEY_WORDS bytes a key, writes 4 + 4 × KEY_WORDS.
// Workgroup storage and barriers: none.

//#include fragments/order.wgsl

@group(0) @binding(0) var<uniform> order: Order;
@group(2) @binding(0) var<storage, read> keys: array<Key>;
@group(2) @binding(1) var<storage, read_write> words: array<Key>;
@group(2) @binding(2) var<storage, read_write> taken: array<u32>;

//#include fragments/long-places.wgsl

@compute @workgroup_size(THREADS)
fn takeKeys(
  @builtin(global_invocation_id) invocation: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
) {
  let count = longCount();
  for (var j = invocation.x; j < count; j += workgroups.x * THREADS) {
    let place = placeOf(j);
    taken[j] = place;
    // Words that are ties become the same: NaNs, and bits that do not decide.
    let word = clampWord(wordOf(keys[min(place, arrayLength(&keys) - 1u)], order), order);
//#if KEY_WORDS == 1
    words[j] = word & order.mask.x;
//#else
    words[j] = word & order.mask;
//#end
  }
}

@compute @workgroup_size(THREADS)
fn numberSegments(
  @builtin(global_invocation_id) invocation: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
) {
  let count = longCount();
  for (var j = invocation.x; j < count; j += workgroups.x * THREADS) {
    let place = taken[j];
    // The last segment that begins there or before: others that do are empty.
    var low = 0u;
    var high = arrayLength(&bounds) - 1u;
    while (high - low > 1u) {
      let middle = (low + high) / 2u;
      if (bounds[middle] <= place) {
        low = middle;
      } else {
        high = middle;
      }
    }
//#if KEY_WORDS == 1
    words[j] = low;
//#else
    words[j] = vec2u(low, 0u);
//#end
  }
}
