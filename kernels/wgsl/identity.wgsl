// Identity: the permutation that changes nothing.
//
// Output: `permutation`, as many words as its binding holds, permutation[i] = i.
// Any number of workgroups. Memory: 4 bytes a row. Workgroup storage and barriers: none.

@group(0) @binding(0) var<storage, read_write> permutation: array<u32>;

@compute @workgroup_size(THREADS)
fn makeIdentity(
  @builtin(global_invocation_id) invocation: vec3u,
  @builtin(num_workgroups) groups: vec3u,
) {
  for (var i = invocation.x; i < arrayLength(&permutation); i += groups.x * THREADS) {
    permutation[i] = i;
  }
}
