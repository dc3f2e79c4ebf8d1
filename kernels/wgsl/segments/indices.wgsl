// Segment indices: of every key in a segment, its place becomes its value.
//
// Input: `bounds` of segments/bounds.wgsl. Output: `values`, values[i] = i from the first key of
// the first segment to the last one of the last. Any number of workgroups. Memory: writes 4 bytes a
// record. Workgroup storage and barriers: none.

//#include fragments/order.wgsl

@group(0) @binding(0) var<uniform> order: Order;
@group(1) @binding(0) var<storage, read> bounds: array<u32>;
@group(1) @binding(1) var<storage, read_write> values: array<u32>;

@compute @workgroup_size(THREADS)
fn makeIndices(
  @builtin(global_invocation_id) invocation: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
) {
  let end = bounds[arrayLength(&bounds) - 1u];
  for (var i = bounds[0] + invocation.x; i < end; i += workgroups.x * THREADS) {
    values[i] = i;
  }
}
