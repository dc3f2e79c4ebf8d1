// Sweep: one pass over all keys, in one kernel. A workgroup counts the digits of a tile, learns
// from earlier tiles where its keys of each digit go, and scatters them. The chained scan.
//
// For example, the pass by the lowest byte turns the words 0x0201, 0x0103, 0x0101 into 0x0201,
// 0x0101, 0x0103.
//
// Input: `sourceKeys`, raw bits in the first pass, words in later ones; `sourceValues`; the digit
// starts of `scanState`; `plan`.
// Output: `targetKeys`, words, in the last pass raw bits; `targetValues`; sorted by the pass's
// digit, stably. The statuses of `scanState` are used up. Any number of workgroups of THREADS
// threads; a tile is TILE = THREADS × KEYS keys.
// Memory: reads and writes each record once, 8 × (KEY_WORDS + VALUE_WORDS) bytes; and for statuses
// 8 × RADIX bytes a tile, which is a quarter of a byte a key for tiles of 8,448.
//
// Workgroups take tiles from a counter (fragments/next-tile.wgsl). Phases, for each tile:
//   1. Keys become words, in the first pass.
//   2. Count, publish the tile's counts, and rank each key in the tile (fragments/rank.wgsl).
//   3. Keys go to their places in the tile, through `pool`, a word at a time; meanwhile the
//      values, or the next tile's keys, are loaded (fragments/tile-places.wgsl).
//   4. Look back: where the tile's keys of each digit go (fragments/lookback.wgsl).
//   5. Scatter the keys, in the order of the tile, so that keys of one digit leave for
//      neighbouring places (fragments/tile-scatter.wgsl).
//   6. The same for the values, by way of `pool` (fragments/tile-values.wgsl).
//   7. Zero the counters for the next tile.
// A pass that is left out has no tiles. After an odd number of passes, the first pass that is left
// out copies the result from scratch to the caller's buffers (fragments/result-copy.wgsl).
// A thread's keys are scalars in straight lines, so that it seldom waits for memory. Words go
// through `pool` one after the other, so that tiles of wide records are no shorter.
//
// Variants, each with the only thing that it changes:
//   STAGES > 1, without values: `pool` holds a part of the tile at a time, so that several
//     workgroups find room in a multiprocessor. Phase 6 is phases 3 and 5 for the other parts.
//   COUNTED: the sort may be hybrid. The first pass that is left out finds where the batches begin
//     (fragments/batch-starts.wgsl).
//   SPLIT: the kernel is a split of a hybrid sort by a map, 1 of all keys into buckets, 2 of each
//     bucket into bins. With 2 the tiles are the listed ones, each of keys of one bucket, and they
//     start where bins do.
//   UNSTABLE, splits without values and the first pass: phase 4 takes places by adding to the digit
//     starts, which are used up (fragments/claimed-places.wgsl). No status is read or written.
//   SPILLS, SPLIT 1 without values: keys that find no room in their bucket are spilled. SPLIT 2
//     takes them after its tiles, as phase 8 (fragments/bucket-rooms.wgsl, spilled-keys.wgsl).
//   HEAVY: keys of heavy values are left out (fragments/thinned-sweep.wgsl).
//   AHEAD: the first thread asks for a tile's number half a tile before, and for where it is while
//     the tile before is counted.
//
// Workgroup storage: `pool`, 4 × max(POOL, COUNTER_ROWS × RADIX + DROPS × HEAVY_SLOTS) bytes: first
// counters, and after them the table of heavy values, then a stage of the tile;
// 4 × (RADIX + SUBGROUPS + DIGIT_SUBGROUPS + 4) bytes, READS_CELLS 4 × MAP_CELLS more, SPILLS
// 4 × (2 × RADIX + 1) more, and the storage of fragments/lanes.wgsl.
// Barriers:
//   before a tile: all threads know the tile, and its counters are zero;
//   in phase 2, the barriers of fragments/rank.wgsl, and one after it: all ranks are read from the
//     counters before keys overwrite them;
//   in phase 3, of wide keys two: the low words are there, and are read before the high ones;
//   in phase 4: the keys and the bases are there, which other threads read (fragments/lookback.wgsl
//     has more while it counts a stalled tile);
//   after phase 5: the keys are read before values or other parts overwrite them;
//   in phase 6, after each word or part: it is there, and it is read;
//   after phase 7: the counters are zero.
// Relied on: the lanes of a subgroup in one ballot are in step (fragments/rank.wgsl).
// Source: Adinets and Merrill, "Onesweep: a faster least significant digit radix sort for GPUs",
// 2022.

//#include fragments/order.wgsl
//#include fragments/scan-state.wgsl
//#include fragments/ties.wgsl
//#include fragments/lanes.wgsl

@group(0) @binding(0) var<uniform> order: Order;
@group(0) @binding(1) var<storage, read> plan: Plan;
@group(0) @binding(2) var<storage, read_write> scanState: array<atomic<u32>>;
@group(1) @binding(0) var<uniform> slot: u32;
@group(2) @binding(0) var<storage, read> sourceKeys: array<Key>;
@group(2) @binding(1) var<storage, read_write> targetKeys: array<Key>;
//#if VALUE_WORDS > 0
@group(2) @binding(2) var<storage, read> sourceValues: array<Value>;
@group(2) @binding(3) var<storage, read_write> targetValues: array<Value>;
//#end

//#if SPLIT > 0
//#include fragments/map.wgsl
//#include fragments/bucket-rooms.wgsl
//#end
//#if SPLIT == 0
//#include fragments/aligned-digit.wgsl
//#end
//#if COUNTED
//#include fragments/batches.wgsl
//#include fragments/batch-starts.wgsl
//#end
//#if SPLIT == 1
//#include fragments/bucket-digit.wgsl
//#end
//#if SPLIT == 2
//#include fragments/bin-digit.wgsl
//#end

/// A tile that a workgroup takes.
struct Tile {
  number: u32,
  /// Its first key, and its keys: counted from `sourceOffset` of the pass.
  first: u32,
  valid: u32,
  /// SPLIT 2: the bucket that it is of.
  bucket: u32,
}

/// What a workgroup's threads tell all of them.
struct Handed {
  /// The tile that the workgroup takes next.
  next: Tile,
  /// Of each subgroup with digits, the latest tile that it has waited for in vain, counted from 1;
  /// 0 for none.
  waits: array<u32, DIGIT_SUBGROUPS>,
}

var<workgroup> pool: array<atomic<u32>, max(POOL, COUNTER_ROWS * RADIX + DROPS * HEAVY_SLOTS)>;
/// For every digit value, what to add to a place in the tile for a place in the target.
var<workgroup> bases: array<atomic<u32>, RADIX>;
var<workgroup> sums: array<u32, SUBGROUPS>;
var<workgroup> handed: Handed;
//#if SPILLS
/// For every bucket, what to add to a place in the tile for a place among the spilled keys.
var<workgroup> spillBases: array<u32, RADIX>;
/// Where the rooms of the buckets end.
var<workgroup> roomEnds: array<u32, RADIX>;
/// The latest tile that has keys to spill, counted from 1; 0 for none.
var<workgroup> spilling: atomic<u32>;
//#end

//#include fragments/next-tile.wgsl

//#if HEAVY
//#include fragments/thinned-sweep.wgsl
//#end

//#include fragments/subgroup-entry.wgsl
fn sweep(
//#include fragments/subgroup-thread.wgsl
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
) {
//#if SPLIT > 0
  if (plan.mode != HYBRID_MODE) {
    return;
  }
  let map = plan.map;
//#if READS_CELLS
  loadMapCells(thread);
//#end
//#else
//#if MAPPED
  if (plan.mode != BY_SWEEPS) {
    return;
  }
//#end
//#end
  if (thread == 0u) {
    handed.next = tileOf(takeNumber());
  }
//#if SPLIT == 0
  if (slot >= plan.passesRun) {
//#if COUNTED
    if (plan.mode == HYBRID_MODE && slot == HYBRID_PASSES) {
      findBatchStarts(group.x * THREADS + thread, groups.x * THREADS);
    }
//#end
    // After an odd number of passes the result is in scratch.
    if (slot == plan.passesRun && slot % 2u == 1u) {
//#include fragments/result-copy.wgsl
    }
    return;
  }
//#end
//#include fragments/subgroup-number.wgsl
  let pass_ = plan.passes[slot];
  let isFirst = pass_.isFirst == 1u;
  let isLast = pass_.isLast == 1u;
//#if SPLIT == 0
  let digit = Digit(pass_.shift, digitMask(order, pass_.shift));
//#end
//#if SPLIT == 1
  let digit = map;
//#end
  // The place of the thread's first key in the tile; the next ones follow SUBGROUP_SIZE apart.
  let mine = number * SUBGROUP_SIZE * KEYS + lane;
  // Limits that a compiler sees spare a check of each access to storage.
  let row = min(number, SUBGROUPS - 1u) * RADIX;
  // The first RADIX / DIGITS_PER_THREAD threads hold digit values, DIGITS_PER_THREAD each.
  let id = min(number, SUBGROUPS - 1u) * SUBGROUP_SIZE + min(lane, SUBGROUP_SIZE - 1u);
  let hasBins = id < RADIX / DIGITS_PER_THREAD;
//#unroll j in DIGITS_PER_THREAD
  let bin_j = min(id * DIGITS_PER_THREAD + j, RADIX - 1u);
//#if UNSTABLE == 0
//#if SPLIT == 2
//#else
  let begin_j = atomicLoad(&scanState[DIGIT_STARTS_AT + slot * RADIX + bin_j]) + pass_.targetOffset;
//#end
//#end
//#end

//#if SPILLS
//#unroll j in DIGITS_PER_THREAD
  let roomEnd_j = roomEnd(bin_j);
  if (hasBins) {
    roomEnds[bin_j] = roomEnd_j;
  }
//#end
//#end

//#if SHIFTS
  let isShifted = isLast && plan.heavy.count > 0u;
//#end
//#if DROPS
  let isThinned = plan.heavy.count > 0u;
  loadHeavyTable(thread);
  if (group.x == 0u) {
    moveOneOfEach(thread, DIGIT_STARTS_AT + slot * RADIX, digit, pass_.targetOffset);
  }
//#end
//#if AHEAD
  // Of the first thread: the number of the tile after that.
  var upcoming = 0u;
  if (thread == 0u) {
    upcoming = takeNumber();
  }
//#end
  var taken = workgroupUniformLoad(&handed.next);
  // Past the end any key will do: WGSL keeps the access within the binding.
//#unroll i in KEYS
  var key_i = sourceKeys[pass_.sourceOffset + taken.first + mine + i * SUBGROUP_SIZE];
//#end
  while (taken.valid > 0u) {
//#if AHEAD
    // Memory answers while the keys are counted. Tiles of bare keys have no registers to spare.
    var later: Tile;
    if (thread == 0u) {
      later = tileOf(upcoming);
    }
//#else
    if (thread == 0u) {
      handed.next = tileOf(takeNumber());
    }
//#end
    let tile_ = taken.number;
    let valid = taken.valid;
    let source = pass_.sourceOffset + taken.first;
    // The tiles before this one in its chain: all, or those of the bucket.
//#if SPLIT == 2
    let digit = binsOf(taken.bucket, map);
    let bucketStart = atomicLoad(&scanState[BUCKET_STARTS_AT + taken.bucket]);
    let earlier = (taken.first - bucketStart) / TILE;
    let chainStart = pass_.sourceOffset + bucketStart;
//#if UNSTABLE == 0
//#unroll j in DIGITS_PER_THREAD
    let begin_j =
      atomicLoad(&scanState[BINS_AT + taken.bucket * RADIX + bin_j]) + pass_.targetOffset;
//#end
//#end
//#else
    let earlier = tile_;
    let chainStart = pass_.sourceOffset;
//#end
    // 1. Words.
    if (isFirst) {
//#unroll i in KEYS
      key_i = wordOf(key_i, order);
//#end
    }

    // 2. Count and rank.
//#include fragments/rank.wgsl

    // The keys that have a place in the tile.
//#if DROPS
    var placed = 0u;
//#unroll r in DIGIT_SUBGROUPS
    placed += sums[r];
//#end
//#else
    let placed = valid;
//#end
//#if AHEAD
    if (thread == 0u) {
      handed.next = later;
    }
//#end
    workgroupBarrier(); // all places are known
    let coming = handed.next;
    var next = taken;
    {
      const stage = 0u;
      // 3. Keys to their places.
//#include fragments/tile-places.wgsl
//#if VALUE_WORDS > 0
//#unroll i in KEYS
      let value_i = sourceValues[source + mine + i * SUBGROUP_SIZE];
//#end
//#else
//#if STAGES == 1
//#unroll i in KEYS
      key_i = sourceKeys[pass_.sourceOffset + coming.first + mine + i * SUBGROUP_SIZE];
//#end
//#end
//#end

      // 4. Look back. Without order among tiles, one addition finds and takes a digit's places.
//#if UNSTABLE
//#include fragments/claimed-places.wgsl
//#else
//#include fragments/lookback.wgsl
//#end
//#if AHEAD
      if (thread == 0u) {
        upcoming = takeNumber();
      }
//#end

      // 5. Scatter the keys.
//#include fragments/tile-scatter.wgsl
      workgroupBarrier(); // the keys are read

//#if VALUE_WORDS > 0
      // 6. The values.
//#unroll i in KEYS
//#if VALUE_WORDS == 1
      atomicStore(&pool[place_i], value_i);
//#else
      atomicStore(&pool[place_i], value_i.x);
//#end
//#end
//#unroll i in KEYS
      key_i = sourceKeys[pass_.sourceOffset + next.first + mine + i * SUBGROUP_SIZE];
//#end
//#include fragments/tile-values.wgsl
//#end
    }
//#unroll s in LATER_STAGES
    {
      // 6. The next stage.
      const stage = s + 1u;
//#include fragments/tile-places.wgsl
      if (stage + 1u == STAGES) {
//#unroll i in KEYS
        key_i = sourceKeys[pass_.sourceOffset + next.first + mine + i * SUBGROUP_SIZE];
//#end
      }
      workgroupBarrier(); // the stage's keys are there
//#include fragments/tile-scatter.wgsl
      workgroupBarrier(); // and read
    }
//#end
    // 7. Zero the counters.
    for (var at = thread; at < COUNTER_ROWS * RADIX; at += THREADS) {
      atomicStore(&pool[at], 0u);
    }
//#if DROPS
    loadHeavyTable(thread);
//#end
    workgroupBarrier(); // the counters are zero
    taken = next;
  }
//#if SPLIT == 2
//#if UNSTABLE
//#include fragments/spilled-keys.wgsl
//#end
//#end
}
