// Survey: what all keys have in common. The first stage of reduce-then-scan.
//
// Input: `keys`, raw bits; as many as fragments/command-numbers.wgsl says, from there.
// Output: `ranges`, one KeyRange a workgroup: smallest and largest word, bits set in any and in
// all. Any number of workgroups; workgroup g takes chunks g, g + groups, g + 2 × groups, … of
// CHUNK keys.
// Memory: reads each key once, 4 × KEY_WORDS bytes; writes 16 × KEY_WORDS bytes a workgroup.
//
// After a hybrid sort by a map (MAPPED) nothing is done, unless it was given up.
//
// Phases:
//   1. Each thread joins the ranges of its keys, SURVEY_KEYS loads at a time.
//   2. The workgroup joins the ranges of its threads (fragments/key-range.wgsl).
//
// Workgroup storage: 16 × KEY_WORDS × THREADS bytes, that of fragments/key-range.wgsl.
// Barriers: those of fragments/key-range.wgsl.
// Source: the range limiter of Ha, Krüger and Silva, "Implicit radix sorting on GPUs", 2.3; here
// the host does not read the result.

//#include fragments/order.wgsl
//#include fragments/command-numbers.wgsl
//#include fragments/key-range.wgsl

const CHUNK = THREADS * SURVEY_KEYS;

@group(0) @binding(0) var<uniform> order: Order;
//#if MAPPED
@group(0) @binding(1) var<storage, read> plan: Plan;
//#end
@group(0) @binding(2) var<storage, read_write> ranges: array<KeyRange>;
@group(2) @binding(0) var<storage, read> keys: array<Key>;

@compute @workgroup_size(THREADS)
fn survey(
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
) {
//#if MAPPED
  if (plan.mode != BY_SWEEPS && plan.isGivenUp == 0u) {
    return;
  }
//#end
  // 1. The ranges of the threads' keys.
  let count = keyCount(order.maxCount);
  var seen = emptyRange();
  for (var start = group.x * CHUNK; start < count; start += groups.x * CHUNK) {
    let last = count - 1u;
    // Past the end the last key is read once more, which changes no range.
//#unroll i in SURVEY_KEYS
    let word_i = clampWord(
      wordOf(keys[offset + min(start + i * THREADS + thread, last)], order),
      order,
    );
//#end
//#unroll i in SURVEY_KEYS
//#if APPROXIMATE
    // Only finite keys have a part in the scale.
    if ((bitsOf(word_i, order) & 0x7f800000u) != 0x7f800000u) {
      seen = joinRanges(seen, KeyRange(word_i, word_i, word_i, word_i));
    }
//#else
    seen = joinRanges(seen, KeyRange(word_i, word_i, word_i, word_i));
//#end
//#end
  }
  // 2. The range of the workgroup.
  let all = joinWorkgroup(thread, seen);
  if (thread == 0u) {
    ranges[group.x] = all;
  }
}
