// Separate arrays to pairs, and back: what comes before and after the layouts 1 and 2 of
// implicit-counters.wgsl.
//
// pack. Input: `keys`, `values`, `count` of each. Output: `pairs`, and `keysAlone`, the keys again.
// unpack. Input: `pairs`. Output: `keys`, `values`.
// One thread a record. Bytes a record: 20 and 16. Operations: none.
// Workgroup storage and barriers: none.
// Source: Ha, Krüger and Silva, "Implicit radix sorting on GPUs": its layouts.

struct Params {
  count: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> keys: array<u32>;
@group(0) @binding(2) var<storage, read_write> values: array<u32>;
@group(0) @binding(3) var<storage, read_write> pairs: array<vec2u>;
@group(0) @binding(4) var<storage, read_write> keysAlone: array<u32>;

@compute @workgroup_size(THREADS)
fn pack(@builtin(global_invocation_id) invocation: vec3u,
        @builtin(num_workgroups) groups: vec3u) {
  let i = invocation.x + invocation.y * groups.x * THREADS;
  if (i < params.count) {
    pairs[i] = vec2u(keys[i], values[i]);
    keysAlone[i] = keys[i];
  }
}

@compute @workgroup_size(THREADS)
fn unpack(@builtin(global_invocation_id) invocation: vec3u,
          @builtin(num_workgroups) groups: vec3u) {
  let i = invocation.x + invocation.y * groups.x * THREADS;
  if (i < params.count) {
    keys[i] = pairs[i].x;
    values[i] = pairs[i].y;
  }
}
