// Sample: looks at some thousand keys, makes a map from keys to even buckets, and decides whether
// the sort is hybrid. The first stage of a sort that may be hybrid, before a chained scan or
// reduce-then-scan.
//
// A hybrid sort splits the keys twice, into RADIX buckets and each bucket into RADIX bins, by a map
// that makes them even (fragments/map.wgsl). Then neighbouring bins, a batch, are sorted in the
// storage of one workgroup (batch-sort.wgsl). That pays if no bin has many more keys than others,
// or only keys that are equal.
//
// Input: `keys`, raw bits; as many as fragments/command-numbers.wgsl says, from there.
// Output: `plan`: mode and map, HEAVY the heavy values; `scanState`: the map's table, and first
// position and scale of each bucket. SAMPLE_GROUPS workgroups of THREADS threads. On the way their
// ranges, in `scanState`.
// Memory: reads SAMPLES keys a workgroup, somewhere in equal parts of the array; writes
// 4 × (MAP_CELLS + 3 × RADIX) bytes.
//
// Phases:
//   1. Each workgroup finds the least and the largest word of its keys. The last one to be done
//      goes on alone, with its own keys and the range of all. If a range comes late, because WGSL
//      orders no accesses to two words, the map is less even, and nothing else.
//   2. The lead of each key: its word, or of two words the 32 bits that begin at the highest one in
//      which the ends of the range differ. And whether a thread has a key that is less than an
//      earlier one: if none has, the keys may be in order already, and each one is counted
//      (chained-scan/histogram.wgsl).
//   3. Find the widest gap between leads, which the map leaves out (fragments/map-gap.wgsl).
//   4. Count the positions in each cell of the map, and so divide the buckets among the cells
//      (fragments/map-cells.wgsl).
//   5. Find each bucket's first position by bisection, and so the scale of its bins.
//   6. Look how even the bins are, by SAMPLES keys: how many meet an earlier one in their bin, less
//      those that meet an equal key; and how many are in one bin or bucket at most
//      (fragments/judged-keys.wgsl, which has phase 7, too).
//   7. VALUE_WORDS: how many keys meet an equal one, of those that are still remembered. Records
//      whose keys are equal cannot be told from each other by a batch's cells.
//   8. HEAVY: if the sweeps sort, look for values of many keys (fragments/heavy-search.wgsl).
//
// Workgroup storage: 4 × (2 × MARK_WORDS + BIN_COUNTERS + 4 × RADIX + 2 × MAP_CELLS +
// 2 × KEY_WORDS + 21) bytes, and HEAVY 8 more.
// Barriers: after each step in which threads add to what all of them read next, as noted.
// Source: Stehle and Jacobsen, "A memory bandwidth-efficient hybrid radix sort on GPUs", 2017, for
// sorting buckets in the storage of a workgroup. Frazer and McKellar, "Samplesort", 1970, for
// splitters from a sample.

//#include fragments/order.wgsl
//#include fragments/ties.wgsl
//#include fragments/command-numbers.wgsl
//#include fragments/scan-state.wgsl

@group(0) @binding(0) var<uniform> order: Order;
@group(0) @binding(1) var<storage, read_write> plan: Plan;
@group(0) @binding(2) var<storage, read_write> scanState: array<atomic<u32>>;
@group(2) @binding(0) var<storage, read> keys: array<Key>;

//#include fragments/map.wgsl
//#if HEAVY
//#include fragments/heavy-values.wgsl
//#end

/// Equal parts of the range of leads, a thread each.
const GAP_CELLS = RADIX;

/// The map goes on into the gap by the 2^MARGIN_BITS-th part of the positions. If more than
/// MAX_NEAR keys are as near the gap, they end there, and it is 2^EDGE_BITS times less.
const MARGIN_BITS = 3u;
const MAX_NEAR = 64u;
const EDGE_BITS = 4u;

/// Words with marks, of bins or of keys; and counters that all bins share.
const MARK_WORDS = 1024u;
const BIN_COUNTERS = 512u;

/// Complement of the least word, and the largest word: the high words, then the low ones.
var<workgroup> ends: array<atomic<u32>, 2u * KEY_WORDS>;
/// Workgroups that were done before.
var<workgroup> before: u32;
/// The largest lead below the gap, and the least one above.
var<workgroup> range: array<atomic<u32>, 2>;
/// Keys near the gap, below and above.
var<workgroup> near: array<atomic<u32>, 2>;
/// The widest gap: its cells, above 8 bits of the cell before.
var<workgroup> widest: atomic<u32>;
/// Marks of parts of the range that have a lead; counts of the map's cells.
var<workgroup> parts: array<atomic<u32>, GAP_CELLS / 32u>;
var<workgroup> cellCounts: array<atomic<u32>, MAP_CELLS>;
/// 1 where the cells have different shares of the keys.
var<workgroup> isUneven: atomic<u32>;
/// Marks of bins, and of keys; counts of buckets, and of some bins together.
var<workgroup> binMarks: array<atomic<u32>, MARK_WORDS>;
var<workgroup> keyMarks: array<atomic<u32>, MARK_WORDS>;
var<workgroup> bucketCounts: array<atomic<u32>, RADIX>;
var<workgroup> binCounts: array<atomic<u32>, BIN_COUNTERS>;
/// The first position of each bucket, its least lead, and the scale of its bins.
var<workgroup> firsts: array<u32, RADIX>;
var<workgroup> leasts: array<u32, RADIX>;
var<workgroup> scales: array<u32, RADIX>;
/// Keys that meet another one in their bin, and that meet an equal one; VALUE_WORDS: equal ones of
/// all keys; HEAVY: keys that have a heavy value.
var<workgroup> meetings: array<atomic<u32>, 3>;
/// The most keys of some bins together, and of a bucket.
var<workgroup> fullest: array<atomic<u32>, 2>;
/// 1 where a key is smaller than an earlier one.
var<workgroup> isMixed: atomic<u32>;
//#if HEAVY
/// 1 where the sweeps sort, and many keys meet an equal one; and the heavy values.
var<workgroup> seeksHeavy: u32;
var<workgroup> heavyFound: atomic<u32>;
//#end

/// A number that tells little of `number`.
fn scramble(number: u32) -> u32 {
  let mixed = (number ^ (number >> 16u)) * 0x7feb352du;
  return ((mixed ^ (mixed >> 15u)) * 0x846ca68bu) >> 8u;
}

/// The index of sample `number`: somewhere in its part of the array.
fn placeOf(number: u32, part: u32, count: u32) -> u32 {
  return min(number * part + scramble(number) % part, count - 1u);
}

/// Brings `ends` to the largest of the words of both kinds that threads have.
fn findEnds(lowest: Key, highest: Key) {
//#if KEY_WORDS == 1
  atomicMax(&ends[0], ~lowest);
  atomicMax(&ends[1], highest);
  workgroupBarrier(); // the ends are known
//#else
  atomicMax(&ends[0], ~lowest.y);
  atomicMax(&ends[1], highest.y);
  workgroupBarrier(); // the high words are known
  if (~lowest.y == atomicLoad(&ends[0])) {
    atomicMax(&ends[2], ~lowest.x);
  }
  if (highest.y == atomicLoad(&ends[1])) {
    atomicMax(&ends[3], highest.x);
  }
  workgroupBarrier(); // the ends are known
//#end
}

@compute @workgroup_size(THREADS)
fn sampleKeys(
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
) {
  let count = keyCount(order.maxCount);
  if (count < max(order.minHybrid, 2u)) {
    if (thread == 0u && group.x == 0u) {
      plan.mode = BY_SWEEPS;
//#if HEAVY
      plan.heavy.count = 0u;
//#end
    }
    return;
  }
  let part = max(count / (SAMPLES * groups.x), 1u);
//#unroll i in SAMPLE_KEYS
  let number_i = (i * THREADS + thread) * groups.x + group.x;
  let raw_i = keys[offset + placeOf(number_i, part, count)];
//#end
  // 1. The range.
//#unroll i in SAMPLE_KEYS
  let word_i = clampWord(wordOf(raw_i, order), order);
//#end
  var lowest = word_0;
  var highest = word_0;
//#unroll i in SAMPLE_KEYS
//#if KEY_WORDS == 1
  lowest = min(lowest, word_i);
  highest = max(highest, word_i);
//#else
  lowest = select(lowest, word_i, isLess(word_i, lowest));
  highest = select(highest, word_i, isLess(highest, word_i));
//#end
//#end
  findEnds(lowest, highest);
  let rangeAt = RANGES_AT + group.x * 2u * KEY_WORDS;
  if (thread < 2u * KEY_WORDS) {
    atomicStore(&scanState[rangeAt + thread], atomicLoad(&ends[thread]));
  }
  storageBarrier();
  if (thread == 0u) {
    before = atomicAdd(&scanState[SAMPLED_AT], 1u);
  }
  if (workgroupUniformLoad(&before) + 1u < groups.x) {
    return;
  }
  if (thread == 0u) {
    atomicStore(&scanState[SAMPLED_AT], 0u);
  }
  if (thread < groups.x) {
    let at = RANGES_AT + thread * 2u * KEY_WORDS;
//#if KEY_WORDS == 1
    lowest = ~atomicLoad(&scanState[at]);
    highest = atomicLoad(&scanState[at + 1u]);
//#else
    lowest = ~vec2u(atomicLoad(&scanState[at + 2u]), atomicLoad(&scanState[at]));
    highest = vec2u(atomicLoad(&scanState[at + 3u]), atomicLoad(&scanState[at + 1u]));
//#end
  }
  // The ends only grow, so low words that belong to other high words have to go.
//#if KEY_WORDS == 2
  if (thread < 2u) {
    atomicStore(&ends[2u + thread], 0u);
  }
  workgroupBarrier(); // the low words are gone
//#end
  findEnds(lowest, highest);
  var map: Map;

  // 2. The lead.
//#if KEY_WORDS == 1
  map.least = ~atomicLoad(&ends[0]);
  map.most = atomicLoad(&ends[1]);
//#else
  let least = ~vec2u(atomicLoad(&ends[2]), atomicLoad(&ends[0]));
  let most = vec2u(atomicLoad(&ends[3]), atomicLoad(&ends[1]));
  map.tail = 32u - countLeadingZeros(least.y ^ most.y);
  // A shift by 32 would be one by 0, and there is no prefix then.
  map.prefix = select(most.y >> map.tail, 0u, map.tail == 32u);
  map.least = leadOf(least, map);
  map.most = leadOf(most, map);
//#end
//#unroll i in SAMPLE_KEYS
  let lead_i = clamp(leadOf(word_i, map), map.least, map.most);
//#end
  // A thread's keys, one after the other: if the array is in order, none is less than one before.
  var isAscending = true;
  var latest = 0u;
//#unroll i in SAMPLE_KEYS
  isAscending &= lead_i >= latest;
  latest = lead_i;
//#end
  if (!isAscending) {
    atomicStore(&isMixed, 1u);
  }
  if (thread < 2u) {
    atomicStore(&range[thread], select(map.least, map.most, thread == 1u));
  }

  // 3. The gap. The ends may be keys of other workgroups.
//#include fragments/map-gap.wgsl

  // 4. The table.
//#include fragments/map-cells.wgsl

  // 5. Buckets: the first position whose bucket is not below this thread's.
  var low = 0u;
  var high = select(0u, last, thread < RADIX);
  while (low < high) {
    let middle = low + (high - low) / 2u;
    if (bucketOf(leadAt(middle, map), map) < thread) {
      low = middle + 1u;
    } else {
      high = middle;
    }
  }
  if (thread < RADIX) {
    firsts[thread] = low;
  }
  workgroupBarrier(); // the first positions are known
  if (thread < RADIX) {
    // Of the last bucket up to the last position; a bucket without positions has any range.
    let end = select(last, max(firsts[min(thread + 1u, RADIX - 1u)], 1u) - 1u, thread + 1u < RADIX);
    let least_ = leadAt(low, map);
    let within = leadAt(max(end, low), map) - least_;
    let shift = max(32u - countLeadingZeros(within), 16u) - 16u;
    let factor = min((1u << 24u) / ((within >> shift) + 1u), (1u << 24u) - 1u);
    scales[thread] = (shift << 24u) | factor;
    leasts[thread] = least_;
    atomicStore(&scanState[BUCKET_LEASTS_AT + thread], least_);
    atomicStore(&scanState[BUCKET_MOSTS_AT + thread], least_ + within);
    atomicStore(&scanState[BUCKET_SCALES_AT + thread], (shift << 24u) | factor);
  }
  workgroupBarrier(); // the scales are known

//#include fragments/judged-keys.wgsl
  if (thread == 0u) {
    // If few digits differ, sweeps by only these take less.
//#if KEY_WORDS == 1
    let range = 32u - countLeadingZeros(map.least ^ map.most);
//#else
    let range = 32u - countLeadingZeros(map.least ^ map.most) + map.tail;
//#end
    let isLong = range > SHORT_DIGITS * RADIX_BITS;
    let isWorth = isEven && isFlat && isLong && !isRepeated;
    let isHybrid = order.minHybrid == 0u || isWorth;
    plan.mode = select(BY_SWEEPS, HYBRID_MODE, isHybrid);
//#if HEAVY
    plan.heavy.count = 0u;
    seeksHeavy = select(0u, 1u, !isHybrid && isLong && isRepetitive);
//#end
    // Records with values keep their order, so every place has to be known. And an array that may
    // be in order already is read whole, which tells.
    let isWhole = VALUE_WORDS > 0u || atomicLoad(&isMixed) == 0u;
    let bits = 32u - countLeadingZeros(count);
    let countedBits = min(32u - countLeadingZeros(order.countedKeys), bits);
    plan.stride = select(1u << (bits - countedBits), 1u, isWhole);
    plan.map = map;
    plan.isGivenUp = 0u;
  }
//#if HEAVY
  // 8. Heavy values.
  if (workgroupUniformLoad(&seeksHeavy) == 1u) {
//#include fragments/heavy-search.wgsl
  }
//#end
}
