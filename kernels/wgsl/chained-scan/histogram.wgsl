// Histogram: how many keys have each digit value, for all digits in one read, and so where the keys
// of each digit value begin. The first stage of the chained scan.
//
// For example, of the words 0x0201, 0x0103 and 0x0101 two have the lowest byte 1 and one has 3: in
// the pass by that byte, keys of 1 begin at place 0, and keys of 3 at place 2.
//
// Input: `keys`, raw bits; as many as fragments/command-numbers.wgsl says, from there.
// Output: `plan`; `scanState`: the digit starts, and the statuses of all tiles, cleared. On the way
// the digit counts, RADIX words a digit, zero before and after. Any number of workgroups; workgroup
// g takes chunks g, g + groups, g + 2 × groups, … of CHUNK keys.
// Memory: reads each key once, 4 × KEY_WORDS bytes; writes 4 × RADIX bytes a tile. The time goes to
// counting: COUNTER_DIGITS atomic additions a key, to banks that random digits share.
//
// Phases:
//   1. Clear the statuses.
//   2. Count the digits of the threads' keys, HISTOGRAM_KEYS loads at a time, and compare each key
//      with its neighbours.
//   3. Add the workgroup's counters to the digit counts.
//   4. The last workgroup to do so finds the digit starts (fragments/digit-starts.wgsl,
//      COUNTS_BUCKETS fragments/bucket-starts.wgsl).
// Keys that are in order already are noticed in the same read, because then no pass is run. A
// subgroup compares neighbours until it meets two that are out of order, which random keys are at
// once. A thread whose keys are all the same as the first one of the array leaves that out, because
// equal keys would take half as long again.
//
// Variants, each with the only thing that it changes:
//   COUNTS_BUCKETS: the keys of each bucket of a sort by a map are counted, in place of digits: one
//     counter a key (fragments/bucket-digit.wgsl). The counts of the bins are cleared, too, and
//     statuses only in sorts with values.
//   COUNTS_SOME: one in `plan.stride` of the keys is counted, in blocks of neighbours.
//   MAPPED: if the sample has decided for the other kind of sort, nothing is done.
//   COUNTED: the sort may be hybrid. For some of the keys it is also counted into which of RADIX
//     cells they come, which all buckets share, and the last workgroup decides
//     (fragments/counted-decision.wgsl).
//   HEAVY: if there are heavy values (fragments/heavy-values.wgsl), each key is looked up. A key
//     that has one is counted by its value, and the last workgroup finds where its copies go, for
//     `plan`.
//
// Workgroup storage: 4 × RADIX × COUNTER_DIGITS bytes, zero at the start (WGSL); and
// 4 × (SUBGROUPS × COUNTER_DIGITS + 6) bytes, COUNTED 4 × COUNTER_DIGITS more,
// COUNTS_BUCKETS 4 × MAP_CELLS more, HEAVY 8 × HEAVY_SLOTS + 4 × (SUBGROUPS + 1) more, and that of
// fragments/lanes.wgsl. COUNTER_DIGITS is MAX_PASSES, COUNTED one more, the cells, and
// COUNTS_BUCKETS 1.
// Barriers: before phase 3, which reads counters of other threads, and after it; those of the
// fragments.
// Source: Adinets and Merrill, "Onesweep", 2022, for the histogram of all digits at once.

//#include fragments/order.wgsl
//#include fragments/command-numbers.wgsl
//#include fragments/scan-state.wgsl
//#include fragments/ties.wgsl
//#include fragments/lanes.wgsl

@group(0) @binding(0) var<uniform> order: Order;
@group(0) @binding(1) var<storage, read_write> plan: Plan;
@group(0) @binding(2) var<storage, read_write> scanState: array<atomic<u32>>;
@group(2) @binding(0) var<storage, read> keys: array<Key>;

//#if COUNTS_BUCKETS
//#include fragments/map.wgsl
//#include fragments/bucket-digit.wgsl
//#else
//#include fragments/aligned-digit.wgsl
//#end
//#if COUNTED
//#include fragments/batches.wgsl
//#end
//#if MAPPED
//#include fragments/bucket-rooms.wgsl
//#end
//#if HEAVY
//#include fragments/heavy-values.wgsl
//#end

const CHUNK = THREADS * HISTOGRAM_KEYS;
//#if COUNTS_SOME

/// Keys in the 32 bytes that memory brings at least.
const NEIGHBOURS = 8u / KEY_WORDS;
//#end
//#if HEAVY

/// Where the counters of heavy values are.
const HEAVY_KEYS_AT = COUNTER_DIGITS * RADIX;
//#end

//#if COUNTED
/// The cell of a bucket: each has equally many buckets, from all over the range. Digits that are
/// alike meet in few cells.
fn cellOf(bucket: u32) -> u32 {
  return (bucket >> RADIX_BITS) ^ (bucket & (RADIX - 1u));
}
//#end

/// Where the counts of a digit are in the state, or of the cells.
fn countsAt(digit: u32) -> u32 {
  return select(CELLS_AT, DIGIT_COUNTS_AT + digit * RADIX, digit < MAX_PASSES);
}

/// Counters of each digit; COUNTED: then of the cells; HEAVY: then of the heavy values, by slot.
var<workgroup> counters: array<atomic<u32>, COUNTER_DIGITS * RADIX + HEAVY * HEAVY_SLOTS>;

/// 1 where a key is smaller than the one before.
var<workgroup> isMixed: atomic<u32>;
/// What the workgroups that are done have added to COUNTED_AT.
var<workgroup> done: u32;
/// Sums of each subgroup's totals, pass by pass.
var<workgroup> sums: array<u32, SUBGROUPS * COUNTER_DIGITS>;
//#if COUNTS_BUCKETS
/// 1 where the counts of all workgroups are there.
var<workgroup> awaited: u32;
//#else
/// 1 where counts of other workgroups are missing.
var<workgroup> missing: atomic<u32>;
/// The same, for all threads to read.
var<workgroup> awaited: u32;
/// A bit for each digit that all keys share.
var<workgroup> shared_: atomic<u32>;
//#end
//#if MAPPED
/// The plan's mode.
var<workgroup> mode: u32;
//#end
//#if COUNTS_BUCKETS
/// The plan's stride.
var<workgroup> planStride: u32;
//#end
//#if HEAVY
/// The number of heavy values, their table, and sums of each subgroup's keys that have one.
var<workgroup> heavyCount: u32;
var<workgroup> heavyTable: array<u32, HEAVY_SLOTS>;
var<workgroup> heavySums: array<u32, SUBGROUPS>;
//#end
//#if COUNTED
/// The most keys that have one value, of each digit, or that are in one cell.
var<workgroup> fullest: array<atomic<u32>, COUNTER_DIGITS>;
//#end

/// The index of the key that is counted as number `at`; past the last one, that of the last.
fn placeOf(at: u32, stride: u32, counted: u32) -> u32 {
  let number = min(at, max(counted, 1u) - 1u);
//#if COUNTS_SOME
  // NEIGHBOURS of them lie side by side, as memory brings them; each such block somewhere in its
  // part of the array, so that no period of the keys' misleads.
  let block = number / NEIGHBOURS;
  let mixed = (block ^ (block >> 16u)) * 0x7feb352du;
  let place = block * stride + ((mixed >> 15u) & (stride - 1u));
  return offset + min(place * NEIGHBOURS + number % NEIGHBOURS, max(counted * stride, 1u) - 1u);
//#else
  return offset + number;
//#end
}

//#include fragments/subgroup-entry.wgsl
fn countDigits(
//#include fragments/subgroup-thread.wgsl
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
) {
//#if MAPPED
  if (thread == 0u) {
    mode = plan.mode;
//#if HEAVY
    heavyCount = plan.heavy.count;
//#end
//#if COUNTS_BUCKETS
    planStride = plan.stride;
//#else
    // A hybrid sort that found no room for its keys has left them as they were.
    if (isGivenUp()) {
      mode = BY_SWEEPS;
    }
//#end
  }
  if (workgroupUniformLoad(&mode) != select(BY_SWEEPS, HYBRID_MODE, COUNTS_BUCKETS == 1u)) {
    return;
  }
//#end
  let count = keyCount(order.maxCount);
//#if COUNTS_BUCKETS
  let stride = workgroupUniformLoad(&planStride);
  let counted = count / stride;
  loadMapCells(thread);
  let map = plan.map;
  workgroupBarrier(); // the table is there
  for (var at = group.x * THREADS + thread; at < RADIX * RADIX; at += groups.x * THREADS) {
    atomicStore(&scanState[BINS_AT + at], 0u);
  }
//#else
  let stride = 1u;
  let counted = count;
//#unroll p in MAX_PASSES
  let mask_p = digitMask(order, p * RADIX_BITS);
//#end
//#if HEAVY
  let heavies = workgroupUniformLoad(&heavyCount);
  if (heavies > 0u) {
    for (var slot = thread; slot < HEAVY_SLOTS; slot += THREADS) {
      heavyTable[slot] = plan.heavy.table[slot];
    }
    workgroupBarrier(); // the table is there
  }
//#end
//#end
  // 1. Clear the statuses.
//#if COUNTS_BUCKETS
  let statuses = select(0u, tilesAt(count) - STATUSES_AT, VALUE_WORDS > 0u);
//#else
  let statuses = (count + TILE - 1u) / TILE * RADIX;
//#end
  for (var at = group.x * THREADS + thread; at < statuses; at += groups.x * THREADS) {
    atomicStore(&scanState[STATUSES_AT + at], 0u);
  }
  // 2. Count.
  var isAscending = stride == 1u;
  let alike = keys[offset];
  // All loads first, so that memory serves them together, and while the chunk before is counted.
//#unroll i in HISTOGRAM_KEYS
  var next_i = keys[placeOf(group.x * CHUNK + i * THREADS + thread, stride, counted)];
//#end
  for (var start = group.x * CHUNK; start < counted; start += groups.x * CHUNK) {
//#unroll i in HISTOGRAM_KEYS
    let at_i = start + i * THREADS + thread;
    let raw_i = next_i;
//#end
//#unroll i in HISTOGRAM_KEYS
    next_i = keys[placeOf(at_i + groups.x * CHUNK, stride, counted)];
//#end
    var isAlike = true;
//#unroll i in HISTOGRAM_KEYS
    isAlike &= all(raw_i == alike);
//#end
    // Both neighbours: the thread of another one may have left it out.
    if (isAscending && !isAlike) {
//#unroll i in HISTOGRAM_KEYS
      let word_i = wordOf(raw_i, order);
      let before_i = wordOf(keys[offset + max(at_i, 1u) - 1u], order);
      let after_i = wordOf(keys[offset + min(at_i + 1u, count - 1u)], order);
      let isBetween_i = !isBefore(word_i, before_i, order) && !isBefore(after_i, word_i, order);
      isAscending &= isBetween_i || at_i >= count;
//#end
    }
    isAscending = allAgree(isAscending);
//#if HEAVY
    // In a branch of its own, because one for each key would slow down sorts without heavy values.
    if (heavies > 0u) {
//#unroll i in HISTOGRAM_KEYS
      let thinned_i = wordOf(raw_i, order);
      let slot_i = heavySlot(thinned_i);
      let isHeavy_i = heavyTable[slot_i] == thinned_i;
//#end
//#unroll i in HISTOGRAM_KEYS
      if (at_i < counted) {
        // In the place of its lowest digit a heavy key counts for its value.
        let counter_i = select(digitAt(thinned_i, 0u, mask_0), HEAVY_KEYS_AT + slot_i, isHeavy_i);
        atomicAdd(&counters[counter_i], 1u);
        if (!isHeavy_i) {
//#unroll p in HIGHER_DIGITS
          let digit_i_p = digitAt(thinned_i, (p + 1u) * RADIX_BITS, mask_pnext);
          atomicAdd(&counters[(p + 1u) * RADIX + digit_i_p], 1u);
//#end
        }
      }
//#end
      continue;
    }
//#end
//#unroll i in HISTOGRAM_KEYS
    if (at_i < counted) {
      let word = wordOf(raw_i, order);
//#if COUNTS_BUCKETS
      atomicAdd(&counters[digitIn(word, order, map)], 1u);
//#else
      let tied = tiedWord(word, order);
//#unroll p in MAX_PASSES
      atomicAdd(&counters[p * RADIX + digitAt(tied, p * RADIX_BITS, mask_p)], 1u);
//#end
//#end
//#if COUNTED
      if (i == 0u && start / CHUNK % CELL_CHUNKS == 0u) {
        atomicAdd(&counters[MAX_PASSES * RADIX + cellOf(highestWord(tied) >> BUCKET_BITS)], 1u);
      }
//#end
    }
//#end
  }
  if (!isAscending) {
    atomicStore(&isMixed, 1u);
  }
//#if HEAVY
  // One key of each heavy value is swept.
  if (group.x == 0u) {
    for (var at = thread; at < heavies; at += THREADS) {
      let word = plan.heavy.words[at];
//#unroll p in MAX_PASSES
      atomicAdd(&counters[p * RADIX + digitAt(word, p * RADIX_BITS, mask_p)], 1u);
//#end
    }
  }
//#end
  workgroupBarrier(); // all keys are counted
  // 3. Add up.
//#if HEAVY
  if (heavies > 0u) {
    for (var slot = thread; slot < HEAVY_SLOTS; slot += THREADS) {
      let total = atomicLoad(&counters[HEAVY_KEYS_AT + slot]);
      if (total > 0u) {
        atomicAdd(&scanState[HEAVY_COUNTS_AT + slot], total);
      }
    }
  }
//#end
  for (var digit = 0u; digit < COUNTER_DIGITS; digit += 1u) {
    let total = atomicLoad(&counters[digit * RADIX + thread]);
    if (total > 0u) {
      atomicAdd(&scanState[countsAt(digit) + thread], total);
    }
  }
  workgroupBarrier(); // the workgroup has added up
  if (thread == 0u) {
    let own = 1u | (atomicLoad(&isMixed) << GROUP_BITS);
    done = own + atomicAdd(&scanState[COUNTED_AT], own);
  }
  // 4. The digit starts.
  let allDone = workgroupUniformLoad(&done);
  if (extractBits(allDone, 0u, GROUP_BITS) == groups.x) {
    let isSorted = (allDone >> GROUP_BITS) == 0u;
//#include fragments/subgroup-number.wgsl
//#if COUNTS_BUCKETS
//#include fragments/bucket-starts.wgsl
//#else
//#include fragments/digit-starts.wgsl
//#end
  }
}
