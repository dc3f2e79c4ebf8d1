// Digit starts: where each digit's keys begin in each pass, and which passes are run. The scan of
// the histogram.
//
// Input: the digit counts of `scanState`.
// Output: the digit starts of `scanState`, RADIX words a pass that is run; its digit counts and
// tile counters, zero for the next sort; `plan`. A digit that all keys share is not sorted on: its
// pass is left out, and the host need not know. A hybrid sort has two passes, and a number of
// buckets a batch. One workgroup, a thread a digit value. Memory: 8
// bytes a digit value and pass.
//
// Phases:
//   1. Scan the counts of each digit within the subgroups; note digits that all keys share.
//   2. Add the sums of earlier subgroups: the digit starts.
//   3. Write the passes that are run, in order; then the counts of the plan.
//
// Workgroup storage: 4 × SUBGROUPS × MAX_PASSES + 12 bytes, and 4 without SUBGROUP_ID.
// Barriers: between phases 1 and 2, which reads sums of other subgroups.
// Source: Adinets and Merrill, "Onesweep", 2022, for the histogram of all digits at once.

enable subgroups;
//#if SIZE_CONTROL
enable subgroup_size_control;
//#end
//#if SUBGROUP_ID
requires subgroup_id;
//#end
//#include fragments/order.wgsl
//#include fragments/command-numbers.wgsl
//#include fragments/scan-state.wgsl
//#include fragments/lanes.wgsl
//#if HYBRID
//#include fragments/batches.wgsl
//#end

@group(0) @binding(0) var<uniform> order: Order;
@group(0) @binding(1) var<storage, read_write> plan: Plan;
@group(0) @binding(2) var<storage, read_write> scanState: array<atomic<u32>>;

/// Sums of each subgroup's totals, pass by pass.
var<workgroup> sums: array<u32, SUBGROUPS * MAX_PASSES>;
/// A bit for each digit that all keys share.
var<workgroup> shared_: atomic<u32>;
//#if HYBRID
/// The most keys that have one value, of each of the digits of a bucket's number.
var<workgroup> fullest: array<atomic<u32>, 2>;

/// How many neighbouring buckets make a batch, of which nearly all fit the storage of a workgroup.
fn bucketsOfBatch(count: u32, lowest: u32, highest: u32, shift: u32) -> u32 {
  let keys = f32(count);
  // How much fuller than all the fullest bucket is, if the two digits do not depend on each other;
  // and how much it is among keys that are evenly spread.
  let fullness = (f32(lowest) * f32(RADIX) / keys) * (f32(highest) * f32(RADIX) / keys);
  let chance = 1.0 + 3.2 * sqrt(f32(RADIX) / keys);
  let factor = select(fullness, 1.0, fullness < 1.02 * chance * chance);
  let fitting = u32(f32(BATCH_AIM) * f32(BUCKETS) / (keys * factor));
  // The statuses of a tile have room for RADIX / 2 batches.
  let room = (count + TILE - 1u) / TILE * (RADIX / 2u) - 1u;
  // With values, an item has a word within the batch and a place.
  let distinct = max(1u, (1u << (31u - PLACE_BITS)) >> (shift - 1u));
  return max(min(fitting, min(distinct, BUCKETS)), (BUCKETS + room - 1u) / room);
}
//#end

//#if SIZE_CONTROL
@compute @workgroup_size(THREADS) @subgroup_size(SUBGROUP_SIZE)
//#else
@compute @workgroup_size(THREADS)
//#end
fn findDigitStarts(
  @builtin(local_invocation_index) thread: u32,
  @builtin(subgroup_invocation_id) lane: u32,
//#if SUBGROUP_ID
  @builtin(subgroup_id) number: u32,
//#end
) {
//#if SUBGROUP_ID == 0
  let number = subgroupNumber(lane);
//#end
  // THREADS == RADIX: a thread a digit.
  let digit = number * SUBGROUP_SIZE + lane;
  let count = keyCount(order.maxCount);
//#if HYBRID
  let isHybrid = plan.isHybrid == 1u;
  let lowest = select(0u, plan.bucketShift, isHybrid);
//#else
  let isHybrid = false;
  let lowest = 0u;
//#end
  // 1. Scan within subgroups.
//#unroll p in MAX_PASSES
  let total_p = atomicLoad(&scanState[DIGIT_COUNTS_AT + p * RADIX + digit]);
  atomicStore(&scanState[DIGIT_COUNTS_AT + p * RADIX + digit], 0u);
  let through_p = subgroupInclusiveAdd(total_p);
  if (lane == SUBGROUP_SIZE - 1u) {
    sums[p * SUBGROUPS + number] = through_p;
  }
  if (total_p == count) {
    atomicOr(&shared_, 1u << p);
  }
//#end
//#if HYBRID
  let most0 = subgroupMax(total_0);
  let most1 = subgroupMax(total_1);
  if (lane == 0u) {
    atomicMax(&fullest[0], most0);
    atomicMax(&fullest[1], most1);
  }
//#end
  workgroupBarrier(); // all subgroups have added up
  // The digits of a bucket's number are always sorted on: batches are in the caller's buffers.
  let decisive = select(~atomicLoad(&shared_) & ((1u << MAX_PASSES) - 1u), 3u, isHybrid);
//#unroll p in MAX_PASSES
  if ((decisive & (1u << p)) != 0u) {
    // 2. Digit starts.
    var start = through_p - total_p;
    for (var r = 0u; r < number; r += 1u) {
      start += sums[p * SUBGROUPS + r];
    }
    let slot = countOneBits(decisive & ((1u << p) - 1u));
    atomicStore(&scanState[DIGIT_STARTS_AT + slot * RADIX + digit], start);
    // 3. The plan. Ping-pong: even passes read the caller's buffers, odd ones scratch.
    if (thread == p) {
      var pass_: Pass;
      pass_.shift = lowest + p * RADIX_BITS;
      pass_.width = RADIX_BITS;
      pass_.isFirst = select(0u, 1u, slot == 0u);
      pass_.isLast = select(0u, 1u, (decisive >> p) == 1u && !isHybrid);
      pass_.sourceOffset = select(offset, 0u, (slot & 1u) == 1u);
      pass_.targetOffset = select(0u, offset, (slot & 1u) == 1u);
      plan.passes[slot] = pass_;
    }
  }
//#end
  if (thread < TILE_COUNTERS) {
    atomicStore(&scanState[thread], 0u);
  }
  if (thread == 0u) {
//#if HYBRID
    plan.batchBuckets = bucketsOfBatch(count, atomicLoad(&fullest[0]), atomicLoad(&fullest[1]),
      max(shiftOf(plan.bucketShift), 1u));
//#end
    plan.count = count;
    plan.offset = offset;
    plan.passesRun = countOneBits(decisive);
    plan.passesSkipped = MAX_PASSES - countOneBits(decisive);
  }
}
