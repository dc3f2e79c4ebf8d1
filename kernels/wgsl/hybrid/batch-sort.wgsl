// Batch sort: the keys of a batch, from the order of their buckets into order, in the storage of a
// workgroup. The last stage of a hybrid sort.
//
// In and out: `keys`, words, and `values` (the caller's buffers); keys leave as raw bits.
// Scratch: the same records of `scratchKeys` and `scratchValues`, for long batches. Any number of
// workgroups of THREADS threads; workgroup g sorts batches g, g + groups, … of at most
// BATCH = THREADS × KEYS keys. Longer ones, and crowded ones, are long batches: the workgroup notes
// them in `scanState`, and sorts them at the end (fragments/long-batches.wgsl). If the plan is not
// hybrid, nothing is done.
// Memory: reads and writes each record once, 8 × (KEY_WORDS + VALUE_WORDS) bytes.
//
// Phases, for each batch:
//   1. Load the keys. CELLS cells cut the range of the batch's words; count the items of each.
//   2. Scan the counts: the counters become first places of cells.
//   3. Items go to their cells, and so to within a few places of their own. Places past the end of
//      the batch get items that are no smaller than any.
//   4. Mend the order within cells: each thread compares neighbours among KEYS items, alternately
//      even and odd ones (odd-even transposition). It does so twice, the second time KEYS / 2
//      items further on, so that every cell of up to EXCHANGED items is within one such run.
//   5. If there are fuller cells, look, and do it again while items are out of order. After
//      MOST_TRIES times the batch is a long one.
//   6. Write.
//
// Workgroup storage: `pool`, first counters and then items, at the end those of long batches:
// 4 × max(KEY_WORDS × BATCH, CELLS + THREADS, (COUNTER_ROWS + 2) × RADIX) bytes; and
// 4 × (SUBGROUPS + 10) bytes, and 4 without SUBGROUP_ID.
// Barriers: between two uses of the storage by different threads, as noted.

//#include fragments/order.wgsl
//#include fragments/scan-state.wgsl
//#include fragments/aligned-digit.wgsl
//#include fragments/lanes.wgsl
//#include fragments/batches.wgsl

@group(0) @binding(0) var<uniform> order: Order;
@group(0) @binding(1) var<storage, read> plan: Plan;
@group(0) @binding(2) var<storage, read_write> scanState: array<atomic<u32>>;
@group(2) @binding(0) var<storage, read_write> keys: array<Key>;
@group(2) @binding(1) var<storage, read_write> scratchKeys: array<Key>;
//#if VALUE_WORDS > 0
@group(2) @binding(2) var<storage, read_write> values: array<Value>;
@group(2) @binding(3) var<storage, read_write> scratchValues: array<Value>;
//#end

//#include fragments/long-batch-records.wgsl

/// Counters lie THREAD_CELLS to a thread, and one word apart from the next thread's, which is free
/// of bank conflicts.
const COUNTERS = CELLS + THREADS;

var<workgroup> pool: array<atomic<u32>, max(max(KEY_WORDS * BATCH, COUNTERS), LONG_WORDS)>;
var<workgroup> sums: array<u32, SUBGROUPS>;
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

/// How the range of a batch is cut: cell = (word within the range - lowest) >> shift.
struct Cut {
  lowest: u32,
  highest: u32,
  shift: u32,
}

fn cellOf(word: Key, cut: Cut) -> u32 {
  return (clamp(leadOf(word), cut.lowest, cut.highest) - cut.lowest) >> cut.shift;
}

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
  if (plan.isHybrid == 0u) {
    return;
  }
//#if SUBGROUP_ID == 0
  let number = subgroupNumber(lane);
//#end
  let id = number * SUBGROUP_SIZE + lane;
  let bounds = plan.bounds;
  let batches = batchCount(plan.batchBuckets);
  let span = plan.batchBuckets << shiftOf(plan.bucketShift);
  let bits = 32u - countLeadingZeros(span - 1u);
  var cut: Cut;
  cut.shift = max(bits, CELL_BITS) - CELL_BITS;
  var longBatches = 0u;

  for (var batch = group.x; batch < batches; batch += groups.x) {
    let first = plan.offset + atomicLoad(&scanState[STATUSES_AT + batch]);
    let found = plan.offset + atomicLoad(&scanState[STATUSES_AT + batch + 1u]) - first;
    cut.lowest = bounds.x + batch * span;
    cut.highest = cut.lowest + min(span - 1u, bounds.y - cut.lowest);

    // 1. Load and count.
//#unroll i in KEYS
    let at_i = i * THREADS + id;
    let key_i = keys[first + min(at_i, max(found, 1u) - 1u)];
//#end
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
    if (valid > BATCH || bits + PLACE_BITS > 32u) {
      if (thread == 0u) {
        atomicStore(&scanState[longAt(longBatches, group.x, groups.x, batches)], batch);
      }
      longBatches += 1u;
      continue;
    }
//#unroll i in KEYS
    let counter_i = counterOf(cellOf(key_i, cut));
    var rank_i = 0u;
    if (at_i < valid) {
      rank_i = atomicAdd(&pool[counter_i], 1u);
    }
    let item_i = itemOf(key_i, leadOf(key_i) - cut.lowest, at_i);
//#if VALUE_WORDS > 0
    // Words out of the range do not fit in an item; NaNs are ties, whatever their words.
    if (leadOf(key_i) < cut.lowest || leadOf(key_i) > cut.highest || isTied(key_i, order)) {
      atomicStore(&fullest, ~0u);
    }
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
    let through = subgroupInclusiveAdd(own);
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

    // 3. To the cells.
//#unroll i in KEYS
    let place_i = atomicLoad(&pool[counter_i]) + rank_i;
//#end
    let fullness = workgroupUniformLoad(&most); // a barrier: all places are known
//#unroll i in KEYS
    if (at_i < valid) {
      putItem(place_i, item_i);
    } else {
      putItem(at_i, LAST);
    }
//#end
//#if VALUE_WORDS > 0
//#unroll i in KEYS
    let value_i = values[first + min(at_i, valid - 1u)];
//#end
//#end
    workgroupBarrier(); // the items are there

    // 4. Mend the order.
    var triesLeft = select(MOST_TRIES, 0u, fullness == ~0u);
    while (triesLeft > 0u) {
      for (var shift = 0u; shift <= HALF_KEYS; shift += HALF_KEYS) {
        let from_ = id * KEYS + shift;
        if (from_ + KEYS <= BATCH) {
//#unroll i in EVEN_KEYS
          var even_i = itemAt(from_ + 2u * i);
//#end
//#unroll i in HALF_KEYS
          var odd_i = itemAt(from_ + 2u * i + 1u);
//#end
//#unroll r in EXCHANGE_ROUNDS
//#unroll i in HALF_KEYS
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
//#unroll i in HALF_KEYS
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
//#unroll i in EVEN_KEYS
          putItem(from_ + 2u * i, even_i);
//#end
//#unroll i in HALF_KEYS
          putItem(from_ + 2u * i + 1u, odd_i);
//#end
        }
        workgroupBarrier(); // the runs are in order
      }
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
      keys[first + at_i] = bitsOf(wordIn(sorted_i, cut.lowest), order);
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
