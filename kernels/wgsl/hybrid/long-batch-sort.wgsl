// Long batch sort: what batch-sort.wgsl has left, a batch a workgroup, of any length, by a sweep of
// its own for each digit that not all of its keys share. Not hybrid: nothing. The last stage of a
// chained scan that may be hybrid.
//
// In and out: `keys`, words, and `values` (the caller's buffers); keys leave as raw bits. Scratch:
// the same records of `scratchKeys` and `scratchValues`. Any number of workgroups; workgroup g
// sorts the long batches g, g + groups, … of `scanState`.
// Memory: reads each key twice and each value once a digit, and writes both once; at the end once
// more. A digit that all keys share is only counted. Rarely needed, so it is kept simple.
//
// Phases, for each batch and digit:
//   1. Count the digit's values over the batch, and scan the counts.
//   2. For each tile of TILE = THREADS × KEYS keys: rank (fragments/rank.wgsl), then scatter in the
//      order of the tile, as chained-scan/sweep.wgsl does. Tiles come one after the other, so the
//      starts move on with them.
// At the end all records go to the caller's buffers.
//
// Workgroup storage: `pool`, 4 × max(TILE, COUNTER_ROWS × RADIX) bytes, first counters and then
// the tile; and 4 × (2 × RADIX + SUBGROUPS + 4) bytes, and 4 more without SUBGROUP_ID.
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

var<workgroup> pool: array<atomic<u32>, max(TILE, COUNTER_ROWS * RADIX)>;
/// Where the next key of each digit value goes, counted from the batch's first.
var<workgroup> starts: array<atomic<u32>, RADIX>;
/// For every digit value, what to add to a place in the tile for a place in the batch.
var<workgroup> bases: array<u32, RADIX>;
var<workgroup> sums: array<u32, SUBGROUPS>;
var<workgroup> longBatches: u32;
var<workgroup> current: Batch;
/// 1 where all keys have the same digit.
var<workgroup> isShared: atomic<u32>;
/// The same, for all threads to read.
var<workgroup> shared_: u32;

/// Word `at` of the batch, which is in scratch after an odd number of digits.
fn wordAt(at: u32, first: u32, isInScratch: bool) -> Key {
  if (isInScratch) {
    return scratchKeys[first - plan.offset + at];
  }
  return keys[first + at];
}

fn putWord(at: u32, first: u32, isInScratch: bool, word: Key) {
  if (isInScratch) {
    scratchKeys[first - plan.offset + at] = word;
  } else {
    keys[first + at] = word;
  }
}

//#if VALUE_WORDS > 0
fn valueAt(at: u32, first: u32, isInScratch: bool) -> Value {
  if (isInScratch) {
    return scratchValues[first - plan.offset + at];
  }
  return values[first + at];
}

fn putValue(at: u32, first: u32, isInScratch: bool, value: Value) {
  if (isInScratch) {
    scratchValues[first - plan.offset + at] = value;
  } else {
    values[first + at] = value;
  }
}
//#end

//#include fragments/subgroup-entry.wgsl
fn sortLongBatch(
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
  if (thread == 0u) {
    longBatches = atomicLoad(&scanState[LONG_BATCHES_AT]);
  }
  let batches = workgroupUniformLoad(&longBatches);
  let bounds = vec2u(0u, ~0u);
  let mine = number * SUBGROUP_SIZE * KEYS + lane;
  let row = number * RADIX;
  let id = number * SUBGROUP_SIZE + lane;
  let hasBins = id < RADIX / DIGITS_PER_THREAD;
//#unroll j in DIGITS_PER_THREAD
  let bin_j = min(id * DIGITS_PER_THREAD + j, RADIX - 1u);
//#end

  for (var index = group.x; index < batches; index += groups.x) {
    if (thread == 0u) {
      let all = batchCount(plan.batchBuckets);
      let batch = atomicLoad(&scanState[STATUSES_AT + all + 1u + index]);
      current = Batch(
        plan.offset + atomicLoad(&scanState[STATUSES_AT + batch]),
        plan.offset + atomicLoad(&scanState[STATUSES_AT + batch + 1u]),
      );
    }
    let range = workgroupUniformLoad(&current);
    let first = range.first;
    let count = range.end - first;
    var isInScratch = false;
    for (var shift = 0u; shift < MAX_PASSES * RADIX_BITS; shift += RADIX_BITS) {
      let mask = digitMask(order, shift);
      // 1. Count and scan.
      for (var at = id; at < RADIX; at += THREADS) {
        atomicStore(&starts[at], 0u);
      }
      if (thread == 0u) {
        atomicStore(&isShared, 0u);
      }
      workgroupBarrier(); // the counters are zero
      for (var at = id; at < count; at += THREADS) {
        let word = decisiveWord(wordAt(at, first, isInScratch), order, bounds);
        atomicAdd(&starts[digitAt(word, shift, mask)], 1u);
      }
      workgroupBarrier(); // all keys are counted
      var sum = 0u;
//#unroll j in DIGITS_PER_THREAD
      let found_j = atomicLoad(&starts[bin_j]);
      sum += found_j;
      if (found_j == count) {
        atomicStore(&isShared, 1u);
      }
//#end
      let upTo = subgroupInclusiveAdd(sum);
      if (lane == SUBGROUP_SIZE - 1u) {
        sums[number] = upTo;
      }
      workgroupBarrier(); // all subgroups are summed up
      if (thread == 0u) {
        shared_ = atomicLoad(&isShared);
      }
      var begin = upTo - sum;
//#unroll r in DIGIT_SUBGROUPS
      begin += select(0u, sums[r], r < number);
//#end
//#unroll j in DIGITS_PER_THREAD
      if (hasBins) {
        atomicStore(&starts[bin_j], begin);
      }
      begin += found_j;
//#end
      for (var at = id; at < COUNTER_ROWS * RADIX; at += THREADS) {
        atomicStore(&pool[at], 0u);
      }
      if (workgroupUniformLoad(&shared_) == 1u) { // a barrier: the starts are there
        continue;
      }

      // 2. Tiles.
      for (var start = 0u; start < count; start += TILE) {
        let valid = min(TILE, count - start);
//#unroll i in KEYS
        let key_i = wordAt(min(start + mine + i * SUBGROUP_SIZE, count - 1u), first, isInScratch);
//#if VALUE_WORDS > 0
        let value_i = valueAt(
          min(start + mine + i * SUBGROUP_SIZE, count - 1u), first, isInScratch
        );
//#end
//#end
//#include fragments/rank.wgsl
//#unroll j in DIGITS_PER_THREAD
        if (hasBins) {
          let next_j = atomicLoad(&starts[bin_j]);
          bases[bin_j] = next_j - start_j;
          atomicStore(&starts[bin_j], next_j + total_j);
        }
//#end
        workgroupBarrier(); // the bases are known, and the pool is free
//#unroll i in KEYS
        let to_i = bases[digit_i] + place_i;
        if (mine + i * SUBGROUP_SIZE < valid) {
          putWord(to_i, first, !isInScratch, key_i);
//#if VALUE_WORDS > 0
          putValue(to_i, first, !isInScratch, value_i);
//#end
        }
//#end
        for (var at = id; at < COUNTER_ROWS * RADIX; at += THREADS) {
          atomicStore(&pool[at], 0u);
        }
        workgroupBarrier(); // the counters are zero
      }
      storageBarrier(); // the records have moved
      isInScratch = !isInScratch;
    }
    // To the caller's buffers.
    for (var at = id; at < count; at += THREADS) {
      keys[first + at] = bitsOf(wordAt(at, first, isInScratch), order);
//#if VALUE_WORDS > 0
      if (isInScratch) {
        values[first + at] = scratchValues[first - plan.offset + at];
      }
//#end
    }
    storageBarrier(); // the batch is done
  }
}
