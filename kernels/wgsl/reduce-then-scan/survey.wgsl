// Survey: smallest and largest word, and the bits that are set in any word and in all, of the keys.
//
// Input: `keys`, raw bits, from `offset` on. Output: `partials`, one a workgroup. The plan kernel reduces them:
// the range limiter of Ha, Krüger and Silva, "Implicit radix sorting on GPUs", 2.3, without a look from the host.
// One read of the keys, no write: 4 or 8 bytes a key. Any number of workgroups: each takes every so-manieth chunk.
// Workgroup storage and barriers: those of partial.wgsl.

//#include fragments/order.wgsl
//#include fragments/command-numbers.wgsl
//#include fragments/key-range.wgsl

const CHUNK = THREADS * SURVEY_KEYS;

@group(0) @binding(0) var<uniform> order: Order;
@group(0) @binding(2) var<storage, read_write> ranges: array<KeyRange>;
@group(2) @binding(0) var<storage, read> keys: array<Key>;

@compute @workgroup_size(THREADS)
fn survey(
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
) {
  let count = keyCount(order.maxCount);
  var seen = emptyRange();
  for (var start = group.x * CHUNK; start < count; start += groups.x * CHUNK) {
    let last = count - 1u;
    // Keys past the end are the last key once more, which changes nothing.
//#unroll i in SURVEY_KEYS
    let word_i = clampWord(wordOf(keys[offset + min(start + i * THREADS + thread, last)], order), order);
//#end
//#unroll i in SURVEY_KEYS
//#if APPROXIMATE
    // The scale is that of the finite keys.
    if ((bitsOf(word_i, order) & 0x7f800000u) != 0x7f800000u) {
      seen = joinRanges(seen, KeyRange(word_i, word_i, word_i, word_i));
    }
//#else
    seen = joinRanges(seen, KeyRange(word_i, word_i, word_i, word_i));
//#end
//#end
  }
  let all = joinWorkgroup(thread, seen);
  if (thread == 0u) {
    ranges[group.x] = all;
  }
}
