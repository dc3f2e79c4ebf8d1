// Identity: the permutation that changes nothing, 0, 1, 2, …
//
// Output: `permutation`, as long as its binding. 4 bytes an index. Any number of workgroups.

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
