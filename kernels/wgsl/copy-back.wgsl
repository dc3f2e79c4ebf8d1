// Copy back: after an odd number of passes the result is in scratch; this copies it to the caller's
// buffers. The last stage of reduce-then-scan.
//
// Input: `sourceKeys`, `sourceValues`, scratch; `plan`. Output: `targetKeys`, `targetValues`, from
// plan.offset on. After an even number of passes nothing is copied. Any number of workgroups.
// Memory: 8 × (KEY_WORDS + VALUE_WORDS) bytes a record. Workgroup storage and barriers: none.

//#include fragments/order.wgsl

@group(0) @binding(1) var<storage, read> plan: Plan;
@group(2) @binding(0) var<storage, read> sourceKeys: array<Key>;
@group(2) @binding(1) var<storage, read_write> targetKeys: array<Key>;
//#if VALUE_WORDS > 0
@group(2) @binding(2) var<storage, read> sourceValues: array<Value>;
@group(2) @binding(3) var<storage, read_write> targetValues: array<Value>;
//#end

@compute @workgroup_size(THREADS)
fn copyBack(
  @builtin(global_invocation_id) invocation: vec3u,
  @builtin(num_workgroups) groups: vec3u,
) {
  if (plan.passesRun % 2u == 0u) {
    return;
  }
  for (var i = invocation.x; i < plan.count; i += groups.x * THREADS) {
    targetKeys[plan.offset + i] = sourceKeys[i];
//#if VALUE_WORDS > 0
    targetValues[plan.offset + i] = sourceValues[i];
//#end
  }
}
