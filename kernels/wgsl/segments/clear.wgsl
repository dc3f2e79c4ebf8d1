// Clear: zeroes what segments/marks.wgsl adds to. The first stage of a sort of segments on devices
// with subgroups.
//
// Output: `marks` and the numbers of `state`, all zero. Any number of workgroups.
// Memory: writes a bit a key. Workgroup storage and barriers: none.

//#include fragments/order.wgsl
//#include fragments/segment-state.wgsl

@group(0) @binding(0) var<uniform> order: Order;
@group(1) @binding(0) var<storage, read_write> state: array<u32>;
@group(1) @binding(1) var<storage, read_write> marks: array<u32>;

@compute @workgroup_size(THREADS)
fn clearMarks(
  @builtin(global_invocation_id) invocation: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
) {
  if (invocation.x < STATE_WORDS) {
    state[invocation.x] = 0u;
  }
  for (var at = invocation.x; at < arrayLength(&marks); at += workgroups.x * THREADS) {
    marks[at] = 0u;
  }
}
