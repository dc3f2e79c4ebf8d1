// Long moves: brings a column, of keys or of values, into the order of long segments.
//
// gatherColumn
//   Input: `column`, the caller's; `taken`, the places of the keys of long segments in their order.
//   Output: `moved`, what `column` has there.
// putColumn
//   Input: `moved`, and the tables of fragments/long-places.wgsl.
//   Output: `column`, with `moved` at the places of long segments, from the first one on.
//
// KEY_WORDS are words of the column. Any number of workgroups. Memory: each reads and writes
// 4 × KEY_WORDS bytes a record. Workgroup storage and barriers: none.

//#include fragments/order.wgsl

@group(0) @binding(0) var<uniform> order: Order;
@group(2) @binding(0) var<storage, read> taken: array<u32>;
@group(2) @binding(1) var<storage, read_write> column: array<Key>;
@group(2) @binding(2) var<storage, read_write> moved: array<Key>;

//#include fragments/long-places.wgsl

@compute @workgroup_size(THREADS)
fn gatherColumn(
  @builtin(global_invocation_id) invocation: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
) {
  let count = longCount();
  for (var j = invocation.x; j < count; j += workgroups.x * THREADS) {
    moved[j] = column[min(taken[j], arrayLength(&column) - 1u)];
  }
}

@compute @workgroup_size(THREADS)
fn putColumn(
  @builtin(global_invocation_id) invocation: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
) {
  let count = longCount();
  for (var j = invocation.x; j < count; j += workgroups.x * THREADS) {
    let place = placeOf(j);
    if (place != NOWHERE) {
      column[place] = moved[j];
    }
  }
}
