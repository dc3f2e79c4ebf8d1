// Histogram: how many keys have each digit, for all digits in one read.
//
// Input: `keys`, raw bits, from `offset` on. Output: the chain's totals, which the starts kernel left zero; its statuses
// are cleared. 4 × KEY_WORDS bytes a key. Any number of workgroups: each takes every so-manieth chunk.
// What bounds it is the counting, KEY_WORDS × 4 atomic additions a key, which meet in banks as random digits do.
// Workgroup storage: 4 × RADIX × MAX_PASSES bytes. Barriers: before the counters are read.

//#include fragments/order.wgsl
//#include fragments/command-numbers.wgsl
//#include fragments/scan-state.wgsl
//#include fragments/aligned-digit.wgsl

@group(0) @binding(0) var<uniform> order: Order;
@group(0) @binding(2) var<storage, read_write> scanState: array<atomic<u32>>;
@group(2) @binding(0) var<storage, read> keys: array<Key>;

const CHUNK = THREADS * HISTOGRAM_KEYS;

var<workgroup> counters: array<atomic<u32>, MAX_PASSES * RADIX>;

@compute @workgroup_size(THREADS)
fn countDigits(
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
) {
  let count = keyCount(order.maxCount);
//#unroll p in MAX_PASSES
  let mask_p = digitMask(order, p * RADIX_BITS);
//#end
  let statuses = (count + TILE - 1u) / TILE * RADIX;
  for (var at = group.x * THREADS + thread; at < statuses; at += groups.x * THREADS) {
    atomicStore(&scanState[STATUSES_AT + at], 0u);
  }
  for (var start = group.x * CHUNK; start < count; start += groups.x * CHUNK) {
    // All loads first, so that they are under way together.
//#unroll i in HISTOGRAM_KEYS
    let at_i = start + i * THREADS + thread;
    let raw_i = keys[offset + min(at_i, count - 1u)];
//#end
//#unroll i in HISTOGRAM_KEYS
    if (at_i < count) {
      let word = decisiveWord(wordOf(raw_i, order), order);
//#unroll p in MAX_PASSES
      atomicAdd(&counters[p * RADIX + digitAt(word, p * RADIX_BITS, mask_p)], 1u);
//#end
    }
//#end
  }
  workgroupBarrier();
  for (var at = thread; at < MAX_PASSES * RADIX; at += THREADS) {
    let total = atomicLoad(&counters[at]);
    if (total > 0u) {
      atomicAdd(&scanState[DIGIT_COUNTS_AT + at], total);
    }
  }
}
