// Batch sort: the keys of a batch, from the order of their buckets into order, in the storage of a
// workgroup. The last stage of a hybrid sort.
//
// In and out: `keys`, words, and `values` (the caller's buffers); keys leave as raw bits.
// Scratch: the same records of `scratchKeys` and `scratchValues`, for long batches. Any number of
// workgroups of THREADS threads; workgroup g sorts batches g, g + groups, … of at most
// BATCH = THREADS × KEYS keys. Longer ones, and crowded ones, are long batches: the workgroup lists
// them in `scanState`, and sorts them at the end (fragments/long-batches.wgsl). Nothing is done if
// the plan is not hybrid.
// Memory: reads and writes each record once, 8 × (KEY_WORDS + VALUE_WORDS) bytes.
//
// Phases, for each batch:
//   1. Load the keys. CELLS cells cut the range of the batch's words; count the items of each.
//   2. Scan the counts: the counters become first places of cells.
//   3. Items go to their cells, and so to within a few places of their own. Places past the end of
//      the batch get items that are no smaller than any.
//   4. Mend the order within cells: each thread compares neighbours, alternately those at even and
//      at odd places, MARGIN times in all (odd-even transposition). Every cell of up to EXCHANGED
//      items is in order then. A thread has KEYS places, and compares the MARGIN - 1 or MARGIN
//      items before them and after them, too: what becomes of its own depends on no others.
//   5. If there are fuller cells, look, and do it again while items are out of order. After
//      MAX_TRIES times, or if there are more than MAX_IN_CELL in one cell that are not all the
//      same, the batch is a long one.
//   6. Write.
//
// Variants:
//   COUNTED: a batch is a number of neighbouring buckets of the highest bits, whose range of words
//     follows from its number. MAPPED, otherwise: the splits by a map have listed the batches and
//     their ranges.
//   VALUE_WORDS > 0: an item is how far the key is above the batch's least word, and the record's
//     place. So ties keep their order, and values are loaded only once.
//   HEAVY: if the plan is not hybrid, keys that the sweeps have left out are written
//     (fragments/heavy-copies.wgsl).
//
// Workgroup storage: `pool`, first counters and then items, at the end those of long batches:
// 4 × max(KEY_WORDS × (BATCH + 2 × MARGIN), CELLS + THREADS, (COUNTER_ROWS + 2) × RADIX) bytes; and
// 4 × (SUBGROUPS + 11) bytes, MAPPED 4 more, and the storage of fragments/lanes.wgsl. Without subgroups
// LONG_WORDS of fragments/long-batch-records.wgsl in place of (COUNTER_ROWS + 2) × RADIX.
// Barriers, for each batch:
//   in phase 1 two: the counters are zero; all items are counted;
//   in phase 2 two: the sums of all subgroups are there; the counters are places; without
//     subgroups also the barriers of fragments/lanes.wgsl;
//   in phase 3 two: all places are read before items overwrite the counters; the items are there;
//   in phase 4, each time two: all windows are read before any is written; all are written;
//   in phase 5, each time two: all neighbours are compared; the threads agree whether to go on;
//   in phase 6, with values, one before and one after each word: the pool is read, and filled;
//   at the end: the pool is free for the next batch.

//#include fragments/order.wgsl
//#include fragments/scan-state.wgsl
//#include fragments/ties.wgsl
//#include fragments/aligned-digit.wgsl
//#include fragments/lanes.wgsl

@group(0) @binding(0) var<uniform> order: Order;
@group(0) @binding(1) var<storage, read> plan: Plan;
@group(0) @binding(2) var<storage, read_write> scanState: array<atomic<u32>>;
@group(2) @binding(0) var<storage, read_write> keys: array<Key>;
@group(2) @binding(1) var<storage, read_write> scratchKeys: array<Key>;
//#if VALUE_WORDS > 0
@group(2) @binding(2) var<storage, read_write> values: array<Value>;
@group(2) @binding(3) var<storage, read_write> scratchValues: array<Value>;
//#end

//#if COUNTED
//#include fragments/batches.wgsl
//#else
//#include fragments/map.wgsl
//#end
//#include fragments/long-batch-records.wgsl
//#if HEAVY
//#include fragments/heavy-copies.wgsl
//#end

/// Counters lie THREAD_CELLS to a thread, and one word apart from the next thread's, which is free
/// of bank conflicts.
const COUNTERS = CELLS + THREADS;

/// Slots of items, MARGIN more at either end of the batch.
const SLOTS = BATCH + 2u * MARGIN;

var<workgroup> pool: array<atomic<u32>, max(max(KEY_WORDS * SLOTS, COUNTERS), LONG_WORDS)>;
var<workgroup> sums: array<u32, SUBGROUPS>;
//#if MAPPED
/// Batches that there are.
var<workgroup> batchesCounted: u32;
//#end
/// Keys of the batch.
var<workgroup> length: u32;
/// Items of the fullest cell, where that is more than EXCHANGED; all ones where some key cannot be
/// sorted here.
var<workgroup> fullest: atomic<u32>;
/// The same, for all threads to read.
var<workgroup> most: u32;
/// 1 where items are out of order.
var<workgroup> isMixed: atomic<u32>;
/// The same, for all threads to read.
var<workgroup> mixed: u32;

//#include fragments/batch-items.wgsl

//#include fragments/batch-cells.wgsl

//#if VALUE_WORDS > 0
/// Whether a key may be a tie of another one that has other bits.
fn isTied(word: Key, order: Order) -> bool {
//#if NAN_TIES
  return any(clampWord(word, order) != word);
//#else
  return false;
//#end
}
//#end

/// Where the counter of a cell is.
fn counterOf(cell: u32) -> u32 {
  return cell + cell / THREAD_CELLS;
}

//#include fragments/subgroup-entry.wgsl
fn sortBatch(
//#include fragments/subgroup-thread.wgsl
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
) {
  if (plan.mode != HYBRID_MODE) {
//#if HEAVY
    if (plan.heavy.count > 0u) {
      writeHeavyCopies(thread, group.x, groups.x);
    }
//#end
    return;
  }
//#include fragments/subgroup-number.wgsl
  let id = number * SUBGROUP_SIZE + lane;
//#if COUNTED
  let batches = batchCount(plan.batchBuckets);
//#else
  if (thread == 0u) {
    batchesCounted = atomicLoad(&scanState[BATCHES_COUNTED_AT]);
  }
  let batches = workgroupUniformLoad(&batchesCounted);
//#end
  var longBatches = 0u;

  // Where the next batch is gets known while this one is sorted; past the last one it's any.
  var nextEnds = batchAt(group.x);
  var nextCut = cutOf(group.x);
  for (var batch = group.x; batch < batches; batch += groups.x) {
    let first = nextEnds.first;
    let found = nextEnds.end - first;
    let cut = nextCut;

    // 1. Load and count.
//#unroll i in KEYS
    let at_i = i * THREADS + id;
    let key_i = keys[first + min(at_i, max(found, 1u) - 1u)];
//#end
    nextEnds = batchAt(batch + groups.x);
    nextCut = cutOf(batch + groups.x);
//#unroll i in THREAD_CELLS
    atomicStore(&pool[i * THREADS + id], 0u);
//#end
    atomicStore(&pool[CELLS + id], 0u);
    if (thread == 0u) {
      length = found;
    }
    let valid = workgroupUniformLoad(&length); // a barrier: the counters are zero
    if (valid == 0u) {
      continue;
    }
    if (valid > BATCH) {
      if (thread == 0u) {
        atomicStore(&scanState[longAt(longBatches, group.x, groups.x, batches)], batch);
      }
      longBatches += 1u;
      continue;
    }
//#unroll i in KEYS
    // A place past the end counts in the word after the thread's cells, which nobody reads: a
    // branch around the addition would take longer.
    let isKey_i = at_i < valid;
    let counter_i = select(
      id * (THREAD_CELLS + 1u) + THREAD_CELLS,
      counterOf(cellOf(tiedWord(key_i, order), cut)),
      isKey_i,
    );
    let rank_i = atomicAdd(&pool[counter_i], 1u);
//#if VALUE_WORDS > 0
    // How far a word is above the least one has to fit in an item; NaNs are ties, whatever their
    // words.
    let item_i = itemOf(minus(key_i, cut.base), at_i);
    if (!fitsItem(key_i, cut.base) || isTied(key_i, order)) {
      atomicStore(&fullest, ~0u);
    }
//#else
    let item_i = key_i;
//#end
//#end
    workgroupBarrier(); // all items are counted

    // 2. Scan.
    let mine = id * (THREAD_CELLS + 1u);
    var own = 0u;
    var largest = 0u;
//#unroll i in THREAD_CELLS
    let count_i = atomicLoad(&pool[mine + i]);
    own += count_i;
    largest = max(largest, count_i);
//#end
    if (largest > EXCHANGED) {
      atomicMax(&fullest, largest);
    }
    let through = inclusiveAdd(own, thread);
    if (lane == SUBGROUP_SIZE - 1u) {
      sums[number] = through;
    }
    workgroupBarrier(); // all subgroups are summed up
    var start = through - own;
//#unroll r in SUBGROUPS
    start += select(0u, sums[r], r < number);
//#end
//#unroll i in THREAD_CELLS
    atomicStore(&pool[mine + i], start);
    start += count_i;
//#end
    if (thread == 0u) {
      most = atomicExchange(&fullest, 0u);
    }
    workgroupBarrier(); // the counters have become places

    // 3. To the cells, and what is in order before and after all items.
//#unroll i in KEYS
    let place_i = atomicLoad(&pool[counter_i]) + rank_i;
//#end
    let fullness = workgroupUniformLoad(&most); // a barrier: all places are known
//#unroll i in KEYS
    putItem(select(at_i, place_i, isKey_i), select(LAST, item_i, isKey_i));
//#end
    for (var at = id; at < MARGIN; at += THREADS) {
      putSlot(at, FIRST);
      putSlot(MARGIN + BATCH + at, LAST);
    }
//#if VALUE_WORDS > 0
//#unroll i in KEYS
    let value_i = values[first + min(at_i, valid - 1u)];
//#end
//#end
    workgroupBarrier(); // the items are there

    // 4. Mend the order.
    // A cell may be full of keys that are the same: one look tells. Items with places differ.
    let crowdedTries = select(0u, 1u, VALUE_WORDS == 0u);
    var triesLeft = select(MAX_TRIES, crowdedTries, fullness > MAX_IN_CELL);
    while (triesLeft > 0u) {
      // A window begins at an even place, so that all of them compare the same neighbours.
      let isOdd = (id & 1u) == 1u;
      let slot = id * KEYS + select(0u, 1u, isOdd);
//#unroll i in WINDOW_PAIRS
      var even_i = slotAt(slot + 2u * i);
      var odd_i = slotAt(slot + 2u * i + 1u);
//#end
      workgroupBarrier(); // the windows are read
//#unroll r in EXCHANGE_ROUNDS
//#unroll i in WINDOW_PAIRS
      {
//#if KEY_WORDS == 1
        let smaller = min(even_i, odd_i);
        odd_i = max(even_i, odd_i);
//#else
        let swaps = isAfter(even_i, odd_i);
        let smaller = select(even_i, odd_i, swaps);
        odd_i = select(odd_i, even_i, swaps);
//#end
        even_i = smaller;
      }
//#end
//#unroll i in ODD_PAIRS
      {
//#if KEY_WORDS == 1
        let smaller = min(odd_i, even_inext);
        even_inext = max(odd_i, even_inext);
//#else
        let swaps = isAfter(odd_i, even_inext);
        let smaller = select(odd_i, even_inext, swaps);
        even_inext = select(even_inext, odd_i, swaps);
//#end
        odd_i = smaller;
      }
//#end
//#end
      // At either end of a window MARGIN - 1 items have lacked neighbours. The others are as if all
      // had been compared by one thread, and the thread's own are among them.
//#unroll i in WINDOW_PAIRS
      if (i >= EXCHANGE_ROUNDS && i < EXCHANGE_ROUNDS + HALF_KEYS) {
        putSlot(slot + 2u * i, even_i);
        putSlot(slot + 2u * i + 1u, odd_i);
      }
      if (i + 1u == EXCHANGE_ROUNDS && isOdd) {
        putSlot(slot + 2u * i + 1u, odd_i);
      }
      if (i == EXCHANGE_ROUNDS + HALF_KEYS && !isOdd) {
        putSlot(slot + 2u * i, even_i);
      }
//#end
      workgroupBarrier(); // all are written
      if (fullness <= EXCHANGED) {
        break;
      }
      // 5. Fuller cells: look whether items are still out of order.
      for (var at = id; at + 1u < valid; at += THREADS) {
        if (isAfter(itemAt(at), itemAt(at + 1u))) {
          atomicStore(&isMixed, 1u);
        }
      }
      workgroupBarrier(); // all neighbours are compared
      if (thread == 0u) {
        mixed = atomicExchange(&isMixed, 0u);
      }
      if (workgroupUniformLoad(&mixed) == 0u) {
        break;
      }
      triesLeft -= 1u;
    }
    if (triesLeft == 0u) {
      if (thread == 0u) {
        atomicStore(&scanState[longAt(longBatches, group.x, groups.x, batches)], batch);
      }
      longBatches += 1u;
      continue;
    }

    // 6. Write.
//#unroll i in KEYS
    let sorted_i = itemAt(at_i);
    if (at_i < valid) {
      keys[first + at_i] = bitsOf(wordIn(sorted_i, cut.base), order);
    }
//#end
//#if VALUE_WORDS > 0
    workgroupBarrier(); // the items are read
//#unroll i in KEYS
//#if VALUE_WORDS == 1
    atomicStore(&pool[at_i], value_i);
//#else
    atomicStore(&pool[at_i], value_i.x);
//#end
//#end
    workgroupBarrier(); // the values are there, or their low words
//#unroll i in KEYS
    // After the end of the batch any place will do.
    let from_i = min(placeIn(sorted_i), BATCH - 1u);
//#end
//#if VALUE_WORDS == 1
//#unroll i in KEYS
    if (at_i < valid) {
      values[first + at_i] = atomicLoad(&pool[from_i]);
    }
//#end
//#else
//#unroll i in KEYS
    let low_i = atomicLoad(&pool[from_i]);
//#end
    workgroupBarrier(); // the low words are read
//#unroll i in KEYS
    atomicStore(&pool[at_i], value_i.y);
//#end
    workgroupBarrier(); // the high words are there
//#unroll i in KEYS
    if (at_i < valid) {
      values[first + at_i] = vec2u(low_i, atomicLoad(&pool[from_i]));
    }
//#end
//#end
//#end
    workgroupBarrier(); // the pool is free
  }
  if (longBatches > 0u) {
//#include fragments/long-batches.wgsl
  }
}
