// Sample: whether a sort is hybrid, by some thousand of the keys. The first stage of a chained scan
// that may be hybrid.
//
// A hybrid sort sweeps twice, by the 16 most telling bits of the keys: a bucket has the keys that
// are equal in these. Then neighbouring buckets, a batch, are sorted in the storage of one
// workgroup (batch-sort.wgsl). That pays where no bucket has many more keys than others.
//
// Input: `keys`, raw bits; as many as fragments/command-numbers.wgsl says, from there.
// Output: `plan`: isHybrid; bounds and bucketShift, of a sort that is not hybrid those of whole
// keys. On the way `scanState`: the sample's counts, zero before and after. Any number of
// workgroups of THREADS threads.
// Memory: 2 × SAMPLE_KEYS keys a thread, somewhere in equal parts of the array; the first half of
// them is the same for all workgroups.
//
// Phases:
//   1. Find the bits in which keys of the first half differ. A bucket's number is made of the 16
//      bits from the highest of them on, of a key's highest word. Other keys may lie beyond them:
//      these count for the first or last bucket. Keys that differ in few bytes are not sorted so.
//   2. Count, of the second half, higher digits of buckets, and buckets, several of them together.
//   3. Add the workgroup's counters to the sample's.
//   4. The last workgroup to do so decides (fragments/decision.wgsl).
//
// Workgroup storage: 4 × (RADIX + SAMPLE_CELLS + 10) bytes, zero at the start (WGSL).
// Barriers: between the phases.
// Source: Stehle and Jacobsen, "A memory bandwidth-efficient hybrid radix sort on GPUs", 2017, for
// sorting buckets in the storage of a workgroup.

//#include fragments/order.wgsl
//#include fragments/command-numbers.wgsl
//#include fragments/scan-state.wgsl

@group(0) @binding(0) var<uniform> order: Order;
@group(0) @binding(1) var<storage, read_write> plan: Plan;
@group(0) @binding(2) var<storage, read_write> scanState: array<atomic<u32>>;
@group(2) @binding(0) var<storage, read> keys: array<Key>;

const HIGHEST_WORD = KEY_WORDS - 1u;

/// Bits that are set in any word, low and high; then bits that are clear in any.
var<workgroup> bitsSeen: array<atomic<u32>, 4>;
/// Keys by the higher digit of their bucket; then by a number that several buckets share.
var<workgroup> counters: array<atomic<u32>, RADIX + SAMPLE_CELLS>;

/// 1 where keys differ in enough bytes.
var<workgroup> pays: u32;
/// Workgroups that have yet to add up their counters.
var<workgroup> others: u32;
/// Keys that other counters have.
var<workgroup> counted: atomic<u32>;
/// The same, for all threads to read.
var<workgroup> found: u32;
/// The most keys of one counter, of a digit and of several buckets.
var<workgroup> fullest: array<atomic<u32>, 2>;

/// Writes down that the sort is not hybrid.
fn refuse() {
  plan.isHybrid = 0u;
  plan.bounds = vec2u(0u, ~0u);
  plan.bucketShift = 0u;
}

/// A number that tells little of `number`.
fn scramble(number: u32) -> u32 {
  let mixed = (number ^ (number >> 16u)) * 0x7feb352du;
  return ((mixed ^ (mixed >> 15u)) * 0x846ca68bu) >> 8u;
}

/// The index of sample `number`: somewhere in its part of the array.
fn placeOf(number: u32, part: u32, count: u32) -> u32 {
  return min(number * part + scramble(number) % part, count - 1u);
}

/// The counter of a bucket: each is that of equally many buckets, from all over the range.
fn cellOf(bucket: u32) -> u32 {
  return ((bucket * 40503u) % BUCKETS) / (BUCKETS / SAMPLE_CELLS);
}

/// The number of bytes of `bits` in which a bit is set.
fn bytesOf(bits: u32) -> u32 {
  let bytes = vec4u(bits, bits >> 8u, bits >> 16u, bits >> 24u) & vec4u(255u);
  return dot(vec4u(1u), min(bytes, vec4u(1u)));
}

@compute @workgroup_size(THREADS)
fn sampleKeys(
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
) {
  let count = keyCount(order.maxCount);
  if (count < max(order.leastHybrid, 2u)) {
    if (thread == 0u && group.x == 0u) {
      refuse();
    }
    return;
  }
  let own = THREADS * SAMPLE_KEYS;
  let largePart = max(count / own, 1u);
  let smallPart = max(count / (own * groups.x), 1u);
//#unroll i in SAMPLE_KEYS
  let number_i = i * THREADS + thread;
  let first_i = keys[offset + placeOf(number_i, largePart, count)];
  let second_i = keys[offset + placeOf(number_i * groups.x + group.x, smallPart, count)];
//#end

  // 1. Bits that differ.
  var setBits = vec2u(0u);
  var clearBits = vec2u(0u);
//#unroll i in SAMPLE_KEYS
  let seen_i = wide(clampWord(wordOf(first_i, order), order));
  setBits |= seen_i;
  clearBits |= ~seen_i;
//#end
  atomicOr(&bitsSeen[0], setBits.x);
  atomicOr(&bitsSeen[1], setBits.y);
  atomicOr(&bitsSeen[2], clearBits.x);
  atomicOr(&bitsSeen[3], clearBits.y);
  workgroupBarrier(); // all bits are seen
  let differing = vec2u(
    atomicLoad(&bitsSeen[0]) & atomicLoad(&bitsSeen[2]),
    atomicLoad(&bitsSeen[1]) & atomicLoad(&bitsSeen[3]),
  );
  let bits = max(32u - countLeadingZeros(differing[HIGHEST_WORD]), BUCKET_BITS);
  let within = ~0u >> (32u - bits);
  let lowest = ~atomicLoad(&bitsSeen[2u + HIGHEST_WORD]) & ~within;
  let shift = bits - BUCKET_BITS;
  if (thread == 0u) {
//#if KEY_WORDS == 1
    // Sweeps would leave out the other bytes.
    let isWorth = bytesOf(differing.x) == 4u;
//#else
    // The cells of a batch are cut from the highest word, below the bucket's number.
    let isWorth = bytesOf(differing.x) + bytesOf(differing.y) > 5u && shift + 3u >= BUCKET_BITS;
//#end
    pays = select(0u, 1u, isWorth || order.leastHybrid == 0u);
    if (pays == 0u && group.x == 0u) {
      refuse();
    }
  }
  if (workgroupUniformLoad(&pays) == 0u) {
    return;
  }

  // 2. Count.
//#unroll i in SAMPLE_KEYS
  let word_i = wide(clampWord(wordOf(second_i, order), order))[HIGHEST_WORD];
  let bucket_i = (clamp(word_i, lowest, lowest | within) - lowest) >> shift;
  atomicAdd(&counters[bucket_i >> RADIX_BITS], 1u);
  atomicAdd(&counters[RADIX + cellOf(bucket_i)], 1u);
//#end
  workgroupBarrier(); // all keys are counted

  // 3. Add up.
  for (var at = thread; at < RADIX + SAMPLE_CELLS; at += THREADS) {
    let total = atomicLoad(&counters[at]);
    if (total > 0u) {
      atomicAdd(&scanState[SAMPLE_AT + at], total);
    }
  }
  workgroupBarrier(); // the workgroup has added up
  if (thread == 0u) {
    others = groups.x - 1u - atomicAdd(&scanState[SAMPLED_AT], 1u);
  }
  // 4. The decision.
  if (workgroupUniformLoad(&others) == 0u) {
//#include fragments/decision.wgsl
  }
}
