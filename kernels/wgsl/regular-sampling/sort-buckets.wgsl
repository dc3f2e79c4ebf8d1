// Sort buckets: from sorted runs to one order. The second and last stage of a sort by regular
// sampling.
//
// Input: `sourceKeys`, words, and `sourceValues`, in runs of RUN records as
// regular-sampling/sort-runs.wgsl leaves them. Output: `targetKeys`, raw bits, and
// `targetValues`, in order, stably; `plan`: the passes. At least as many workgroups as there are
// buckets, of which each sorts one.
// Memory: reads and writes each record once, 8 × (KEY_WORDS + VALUE_WORDS) bytes; for each bucket,
// reads all samples, and up to STRIDE keys of each run at either end.
//
// The first of STRIDE neighbouring keys of a run is a sample. A bucket has the keys from one sample
// up to another one, its splitters; ties are in the order of the runs, and of the places in a run.
// So a bucket with s samples has at most STRIDE × s keys that follow these samples, and before them
// at most STRIDE - 1 of each run. Therefore a bucket finds room in a tile whatever the keys are,
// equal ones included, and no workgroup needs to know what others have found.
//
// Phases:
//   1. Load the samples, and find the two splitters (fragments/splitters.wgsl).
//   2. Find where the bucket's keys begin and end in each run: from the samples to within STRIDE
//      keys, then by comparing those.
//   3. Load the bucket, run after run, and see whether it is in order already.
//   4. Unless it is: keys without values are merged (fragments/merge-runs.wgsl), and records with
//      values are sorted by digits (fragments/sort-digits.wgsl).
//   5. Write.
// Without values each run begins where a thread's places do, and there may be free places after it.
//
// Workgroup storage: `pool`, without values 4 × KEY_WORDS × TILE × 9 / 8 bytes, else
// 4 × max(TILE, COUNTER_ROWS × RADIX); and 4 × (2 × RADIX + 12 × MAX_RUNS + 3 × SUBGROUPS + 32)
// bytes at most.
// Barriers:
//   in phase 1, the barriers of fragments/splitters.wgsl;
//   in phase 2 six: all samples are compared; the sums of all subgroups are there; the samples
//     before each end are known; the ends are known; the sums are there again; the parts are known;
//   in phase 3 two: the keys are there, and all neighbouring parts compared, with values in
//     fragments/differing-bits.wgsl; the threads agree whether the bucket is in order;
//   in phase 4, the barriers of the fragments that sort.
// Relied on, with values: the lanes of a subgroup that take part in one ballot are in step
// (fragments/rank.wgsl).
// Source: Shi and Schaeffer, "Parallel sorting by regular sampling", 1992.

//#include fragments/order.wgsl
//#include fragments/command-numbers.wgsl
//#include fragments/ties.wgsl
//#include fragments/aligned-digit.wgsl
//#include fragments/lanes.wgsl

@group(0) @binding(0) var<uniform> order: Order;
@group(0) @binding(1) var<storage, read_write> plan: Plan;
@group(2) @binding(0) var<storage, read> sourceKeys: array<Key>;
@group(2) @binding(1) var<storage, read_write> targetKeys: array<Key>;
//#if VALUE_WORDS > 0
@group(2) @binding(2) var<storage, read> sourceValues: array<Value>;
@group(2) @binding(3) var<storage, read_write> targetValues: array<Value>;
//#end

const RUN_SAMPLES = RUN / STRIDE;

/// Places in runs: of both ends of the bucket, run by run.
const ENDS = 2u * MAX_RUNS;

/// A splitter while it is looked for.
struct Search {
  /// Its digits so far.
  prefix: Key,
  /// Its rank among the samples that have them, and their number.
  rank: u32,
  alike: u32,
}

//#if VALUE_WORDS == 0
/// Each run begins at a multiple of this many places.
const PART_PLACES = KEYS;

/// A slot is left free after those of a thread: so threads find theirs in different banks.
const SLOTS = TILE + TILE / KEYS;

var<workgroup> pool: array<u32, KEY_WORDS * SLOTS>;
//#else
const PART_PLACES = 1u;

var<workgroup> pool: array<atomic<u32>, max(TILE, COUNTER_ROWS * RADIX)>;
/// Bits that are set in any word, low and high; then bits that are clear in any.
var<workgroup> bitsSeen: array<atomic<u32>, 4>;
/// Bits in which words differ.
var<workgroup> differing: vec2u;
//#end

/// 1 where keys of a run come before those of an earlier one.
var<workgroup> isMixed: atomic<u32>;
/// The same, for all threads to read.
var<workgroup> mixed: u32;
/// Counters of the digits of both splitters.
var<workgroup> counters: array<atomic<u32>, 2u * RADIX>;
var<workgroup> sums: array<u32, SUBGROUPS>;
var<workgroup> lengthSums: array<u32, SUBGROUPS>;
var<workgroup> startSums: array<u32, SUBGROUPS>;
var<workgroup> searches: array<Search, 2>;
/// The two splitters, low words and high ones.
var<workgroup> splitterWords: array<atomic<u32>, 4>;
/// Samples before an end, and samples that are equal to its splitter, run by run.
var<workgroup> before: array<atomic<u32>, ENDS>;
var<workgroup> equal: array<atomic<u32>, ENDS>;
/// The keys of a run of which some may be before an end: above 8 bits the place of the first one,
/// then their number, and in the lowest bit whether keys equal to the splitter are before it.
var<workgroup> looks: array<u32, ENDS>;
/// The ends of the bucket in each run.
var<workgroup> ends: array<atomic<u32>, ENDS>;
/// Of each run: where its keys begin in the tile and end there, and what to add to a place in the
/// tile for a place in the source.
var<workgroup> offsets: array<u32, MAX_RUNS + 1u>;
var<workgroup> partEnds: array<u32, MAX_RUNS>;
var<workgroup> sources: array<u32, MAX_RUNS>;
/// What to add to a place in the tile for a place in the bucket, if that is in order.
var<workgroup> targets: array<u32, MAX_RUNS>;

//#include fragments/splitter-words.wgsl

/// The run that has the tile's item at `place`.
fn runAt(place: u32) -> u32 {
  var run = 0u;
//#unroll k in RUN_BITS
  run += select(0u, MAX_RUNS >> (k + 1u), offsets[run + (MAX_RUNS >> (k + 1u))] <= place);
//#end
  return run;
}

//#if VALUE_WORDS == 0
/// Where a run begins.
fn edgeOf(run: u32) -> u32 {
  return offsets[min(run, MAX_RUNS)];
}

fn slotOf(place: u32) -> u32 {
  return place + place / KEYS;
}

//#if KEY_WORDS == 1
fn itemAt(place: u32) -> Key {
  return pool[slotOf(place)];
}

fn putItem(place: u32, item: Key) {
  pool[slotOf(place)] = item;
}
//#else
fn itemAt(place: u32) -> Key {
  let slot = slotOf(place);
  return vec2u(pool[slot], pool[SLOTS + slot]);
}

fn putItem(place: u32, item: Key) {
  let slot = slotOf(place);
  pool[slot] = item.x;
  pool[SLOTS + slot] = item.y;
}
//#end

fn isAfter(a: Key, b: Key) -> bool {
  return isBelow(b, a);
}
//#end

//#include fragments/subgroup-entry.wgsl
fn sortBucket(
//#include fragments/subgroup-thread.wgsl
  @builtin(workgroup_id) group: vec3u,
) {
  let count = keyCount(order.maxCount);
  let runs = (count + RUN - 1u) / RUN;
  let samples = (count + STRIDE - 1u) / STRIDE;
  let maxShare = (TILE - runs * (STRIDE - 1u + KEYS - 1u)) / STRIDE;
  let buckets = (samples + maxShare - 1u) / maxShare;
  if (group.x == 0u && thread == 0u) {
    plan.passesRun = 2u;
    plan.passesSkipped = 0u;
  }
  if (group.x >= buckets) {
    return;
  }
//#include fragments/subgroup-number.wgsl
  let id = number * SUBGROUP_SIZE + lane;
//#if VALUE_WORDS > 0
  let mine = number * SUBGROUP_SIZE * KEYS + lane;
  let row = number * RADIX;
  let hasBins = id < RADIX / DIGITS_PER_THREAD;
//#unroll j in DIGITS_PER_THREAD
  let bin_j = min(id * DIGITS_PER_THREAD + j, RADIX - 1u);
//#end
//#end

  // 1. The splitters: the samples of these ranks.
//#unroll i in SAMPLE_LOADS
  let number_i = i * THREADS + id;
  let isSample_i = number_i < samples;
  let sample_i = decisive(sourceKeys[min(number_i, samples - 1u) * STRIDE]);
//#end
//#include fragments/splitters.wgsl

  // 2. Where the bucket begins and ends in each run.
//#unroll i in SAMPLE_LOADS
  if (isSample_i) {
//#unroll e in 2
    if (isBelow(sample_i, splitter_e)) {
      atomicAdd(&before[e * MAX_RUNS + number_i / RUN_SAMPLES], 1u);
    }
    if (all(sample_i == splitter_e)) {
      atomicAdd(&equal[e * MAX_RUNS + number_i / RUN_SAMPLES], 1u);
    }
//#end
  }
//#end
  workgroupBarrier(); // all samples are compared
  // A thread an end of a run. Equal samples are before the splitter as far as its rank says.
  let end = min(id, ENDS - 1u);
  let isUpper = end >= MAX_RUNS;
  let run = end & (MAX_RUNS - 1u);
  let equals = select(0u, atomicLoad(&equal[end]), id < ENDS);
  let throughEqual = subgroupInclusiveAdd(equals);
  if (lane == SUBGROUP_SIZE - 1u) {
    sums[number] = throughEqual;
  }
  workgroupBarrier(); // all subgroups are summed up
  var equalBefore = throughEqual - equals;
//#unroll r in SUBGROUPS
  equalBefore += select(0u, sums[r], r < number);
//#end
  if (id < ENDS) {
    // The upper splitter's come after all of the lower one's.
    equalBefore -= select(0u, alike_0, isUpper);
    let rank = select(rank_0, rank_1, isUpper);
    let taken = min(max(rank, equalBefore) - equalBefore, equals);
    let samplesBefore = atomicLoad(&before[end]) + taken;
    let length = min(max(count, run * RUN) - run * RUN, RUN);
    let hasTies = equalBefore + equals <= rank;
    // The splitter itself: all before it in its run are known.
    let isOwn = !hasTies && equalBefore <= rank;
    let known = max(samplesBefore, 1u) - 1u;
    if (isUpper && isLast) {
      atomicStore(&ends[end], length);
      looks[end] = 0u;
    } else if (isOwn || samplesBefore == 0u) {
      atomicStore(&ends[end], samplesBefore * STRIDE);
      looks[end] = 0u;
    } else {
      let from_ = known * STRIDE;
      atomicStore(&ends[end], from_);
      looks[end] = ((run * RUN + from_) << 8u) | (min(length - from_, STRIDE) << 1u)
        | select(0u, 1u, hasTies);
    }
  }
  workgroupBarrier(); // all samples before the ends are known
//#unroll i in LOOK_LOADS
  let look_i = i * THREADS + id;
  let lookEnd_i = min(look_i / STRIDE, ENDS - 1u);
  let looked_i = looks[lookEnd_i];
  let isLooked_i = look_i / STRIDE < ENDS && look_i % STRIDE < ((looked_i >> 1u) & 127u);
  let other_i = decisive(sourceKeys[(looked_i >> 8u) + select(0u, look_i % STRIDE, isLooked_i)]);
//#end
//#unroll i in LOOK_LOADS
  if (isLooked_i) {
    let splitter = select(splitter_0, splitter_1, lookEnd_i >= MAX_RUNS);
    let isTie = (looked_i & 1u) == 1u && all(other_i == splitter);
    if (isTie || isBelow(other_i, splitter)) {
      atomicAdd(&ends[lookEnd_i], 1u);
    }
  }
//#end
  workgroupBarrier(); // the ends are known
  let ownRun = min(id, MAX_RUNS - 1u);
  let low = select(0u, atomicLoad(&ends[ownRun]), id < MAX_RUNS);
  let high = select(0u, atomicLoad(&ends[MAX_RUNS + ownRun]), id < MAX_RUNS);
  let length = high - low;
  let room = (length + PART_PLACES - 1u) / PART_PLACES * PART_PLACES;
  let throughRoom = subgroupInclusiveAdd(room);
  let throughLength = subgroupInclusiveAdd(length);
  let throughStart = subgroupInclusiveAdd(low);
  if (lane == SUBGROUP_SIZE - 1u) {
    sums[number] = throughRoom;
    lengthSums[number] = throughLength;
    startSums[number] = throughStart;
  }
  workgroupBarrier(); // all subgroups are summed up
  var at = throughRoom - room;
  var place = throughLength - length;
  var start = 0u;
  var valid = 0u;
//#unroll r in SUBGROUPS
  at += select(0u, sums[r], r < number);
  place += select(0u, lengthSums[r], r < number);
  start += startSums[r];
  valid += lengthSums[r];
//#end
  if (id < MAX_RUNS) {
    offsets[id] = at;
    partEnds[id] = at + length;
    sources[id] = id * RUN + low - at;
    targets[id] = place - at;
  }
  if (id == 0u) {
    offsets[MAX_RUNS] = TILE;
  }
  workgroupBarrier(); // the parts are known

  // 3. Load.
//#unroll i in KEYS
//#if VALUE_WORDS == 0
  let at_i = i * THREADS + id;
//#else
  let at_i = mine + i * SUBGROUP_SIZE;
//#end
  let run_i = runAt(at_i);
  let isThere_i = at_i < partEnds[run_i];
  let from_i = select(0u, sources[run_i] + at_i, isThere_i);
  var key_i = sourceKeys[from_i];
//#if VALUE_WORDS > 0
  var value_i = sourceValues[from_i];
//#end
//#end
  // In order are the keys if each part of a run ends before the next one begins.
  if (id < MAX_RUNS && length > 0u && place + length < valid) {
    let following = runAt(at + room);
    let next = sourceKeys[sources[following] + at + room];
    if (isBefore(next, sourceKeys[id * RUN + high - 1u], order)) {
      atomicStore(&isMixed, 1u);
    }
  }
//#if VALUE_WORDS == 0
//#unroll i in KEYS
  putItem(at_i, select(LAST_WORD, key_i, isThere_i));
//#end
  workgroupBarrier(); // all parts are compared
  if (thread == 0u) {
    mixed = atomicLoad(&isMixed);
  }
  if (workgroupUniformLoad(&mixed) == 0u) {
//#unroll i in KEYS
    if (isThere_i) {
      targetKeys[offset + start + targets[run_i] + at_i] = bitsOf(key_i, order);
    }
//#end
    return;
  }

  // 4. Merge.
  let levels = 32u - countLeadingZeros(runs - 1u);
//#include fragments/merge-runs.wgsl

  // 5. Write.
//#unroll i in KEYS
  if (at_i < valid) {
    targetKeys[offset + start + at_i] = bitsOf(itemAt(at_i), order);
  }
//#end
//#else
//#unroll i in KEYS
  // Past the end of the bucket stands what is in its first place.
  key_i = select(sourceKeys[sources[runAt(0u)]], key_i, isThere_i);
  let seen_i = wide(tiedWord(key_i, order));
//#end
//#include fragments/differing-bits.wgsl
  if (thread == 0u) {
    mixed = atomicLoad(&isMixed);
  }
  let decisiveBits = bits * workgroupUniformLoad(&mixed);

  // 4. Sort by digits.
  {
    let bits = decisiveBits;
//#include fragments/sort-digits.wgsl
  }

  // 5. Write.
//#unroll i in KEYS
  if (at_i < valid) {
    targetKeys[offset + start + at_i] = bitsOf(key_i, order);
    targetValues[offset + start + at_i] = value_i;
  }
//#end
//#end
}
