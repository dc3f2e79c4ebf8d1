// Gather: the keys of a column in the order of a permutation of the rows.
//
// Input: `permutation`, row numbers, as many as its binding holds; `column`, a key a row.
// Output: `keys`, keys[i] = column[permutation[i]]. Any number of workgroups. Memory: 4 + 8 ×
// KEY_WORDS bytes a row. Workgroup storage and barriers: none.

//#include fragments/order.wgsl

@group(0) @binding(0) var<storage, read> permutation: array<u32>;
@group(0) @binding(1) var<storage, read> column: array<Key>;
@group(0) @binding(2) var<storage, read_write> keys: array<Key>;

@compute @workgroup_size(THREADS)
fn gather(
  @builtin(global_invocation_id) invocation: vec3u,
  @builtin(num_workgroups) groups: vec3u,
) {
  for (var i = invocation.x; i < arrayLength(&permutation); i += groups.x * THREADS) {
    keys[i] = column[permutation[i]];
  }
}
