// Identity: the permutation that changes nothing. Each record's index becomes its value.
//
// Input: as many records as fragments/command-numbers.wgsl says, from there; the four bytes of the
// index of the first record that is bound, lowest first.
// Output: `values`, values[i] = i, counted from the first record of the buffer, not of the binding.
// Any number of workgroups. Memory: writes 4 bytes a record. Workgroup storage and barriers: none.

//#include fragments/order.wgsl
//#include fragments/command-numbers.wgsl

@group(0) @binding(0) var<uniform> order: Order;
@group(2) @binding(0) var<storage, read_write> values: array<u32>;
@group(2) @binding(1) var<uniform> first0: u32;
@group(2) @binding(2) var<uniform> first1: u32;
@group(2) @binding(3) var<uniform> first2: u32;
@group(2) @binding(4) var<uniform> first3: u32;

@compute @workgroup_size(THREADS)
fn makeIdentity(
  @builtin(global_invocation_id) invocation: vec3u,
  @builtin(num_workgroups) groups: vec3u,
) {
  let first = first0 | (first1 << 8u) | (first2 << 16u) | (first3 << 24u);
  let end = offset + keyCount(order.maxCount);
  for (var i = offset + invocation.x; i < end; i += groups.x * THREADS) {
    values[i] = first + i;
  }
}
