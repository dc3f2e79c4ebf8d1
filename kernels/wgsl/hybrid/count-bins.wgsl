// Count bins: how many keys each bin of a hybrid sort has. Between the two splits.
//
// Input: `sourceKeys`, words, in the rooms of their buckets; `plan`; the buckets of `scanState`,
// and the spilled keys.
// Output: `scanState`: the counts of the bins, which were zero; and the ends of the buckets,
// because the map puts keys that are beyond the sample's into the first bucket or the last. Any
// number of workgroups of THREADS threads; each takes an equal share of the rooms. If the sort is
// given up, nothing is done.
// Memory: reads each key once, 4 × KEY_WORDS bytes; writes 4 × RADIX bytes a bucket and workgroup.
//
// Phases; 1 and 2 for each bucket whose room the share has a part of:
//   1. Count its keys by their bin, BIN_KEYS loads at a time, and these while the ones before are
//      counted.
//   2. Add the counters to the bucket's, and note the ends.
//   3. Without values: the same for spilled keys, one by one.
//
// Workgroup storage: 4 × (RADIX + 6) bytes, without values 4 × MAP_CELLS more.
// Barriers, for each bucket three: the counters are zero; the keys are counted; the counters are
// read before they are zero again.

//#include fragments/order.wgsl
//#include fragments/ties.wgsl
//#include fragments/scan-state.wgsl

@group(0) @binding(0) var<uniform> order: Order;
@group(0) @binding(1) var<storage, read> plan: Plan;
@group(0) @binding(2) var<storage, read_write> scanState: array<atomic<u32>>;
@group(2) @binding(0) var<storage, read> sourceKeys: array<Key>;

//#include fragments/map.wgsl
//#include fragments/bucket-rooms.wgsl
//#include fragments/bin-digit.wgsl

const CHUNK = THREADS * BIN_KEYS;

var<workgroup> counters: array<atomic<u32>, RADIX>;
/// The complement of the least lead of the bucket, and the largest.
var<workgroup> ends: array<atomic<u32>, 2>;
/// The bucket of the share's first key.
var<workgroup> firstBucket: u32;
/// Where the bucket's keys end, and its room, within the share.
var<workgroup> bucketEnds: vec2u;
/// Where the share ends; it's empty if the sort is given up.
var<workgroup> shareEnd: u32;

@compute @workgroup_size(THREADS)
fn countBins(
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
) {
  if (plan.mode != HYBRID_MODE) {
    return;
  }
  // Shares of whole chunks.
  let chunks = (plan.count + CHUNK - 1u) / CHUNK;
  let share = (chunks + groups.x - 1u) / groups.x * CHUNK;
  let first = min(group.x * share, plan.count);
  let start = atomicLoad(&scanState[BUCKET_STARTS_AT + thread]);
  if (start <= first && first < roomEnd(thread)) {
    firstBucket = thread;
  }
  if (thread == 0u) {
    shareEnd = select(min(first + share, plan.count), 0u, isGivenUp());
  }
//#if VALUE_WORDS == 0
  loadMapCells(thread);
//#end
  var bucket = workgroupUniformLoad(&firstBucket);
  let end = workgroupUniformLoad(&shareEnd);
  let map = plan.map;

  var from_ = first;
  while (from_ < end) {
    if (thread == 0u) {
      bucketEnds = min(vec2u(keptEnd(bucket), roomEnd(bucket)), vec2u(end));
    }
    atomicStore(&counters[thread], 0u);
    if (thread < 2u) {
      atomicStore(&ends[thread], 0u);
    }
    var least = ~0u;
    var most = 0u;
    let ends_ = workgroupUniformLoad(&bucketEnds); // a barrier: the counters are zero
    let to = ends_.x;
    let digit = binsOf(bucket, map);
    // 1. Count.
//#unroll i in BIN_KEYS
    var next_i = sourceKeys[from_ + i * THREADS + thread];
//#end
    for (var at = from_ + thread; at < to + thread; at += CHUNK) {
//#unroll i in BIN_KEYS
      let key_i = next_i;
//#end
//#unroll i in BIN_KEYS
      next_i = sourceKeys[at + CHUNK + i * THREADS];
//#end
//#unroll i in BIN_KEYS
      if (at + i * THREADS < to) {
        let lead = leadOf(tiedWord(key_i, order), map);
        least = min(least, lead);
        most = max(most, lead);
        atomicAdd(&counters[binOf(lead, digit)], 1u);
      }
//#end
    }
    atomicMax(&ends[0], ~least);
    atomicMax(&ends[1], most);
    workgroupBarrier(); // the keys are counted
    // 2. Add up.
    let found = atomicLoad(&counters[thread]);
    if (found > 0u) {
      atomicAdd(&scanState[BINS_AT + bucket * RADIX + thread], found);
    }
    if (thread < 2u) {
      atomicMax(&scanState[BUCKET_ENDS_AT + thread * RADIX + bucket], atomicLoad(&ends[thread]));
    }
    from_ = ends_.y;
    bucket += 1u;
    workgroupBarrier(); // the counters are read
  }
//#if VALUE_WORDS == 0
  // 3. Spilled keys. Few of them are beyond the ends that the map has.
  if (!isGivenUp()) {
    for (var at = group.x * THREADS + thread; at < spilledKeys(); at += groups.x * THREADS) {
      let lead = leadOf(tiedWord(spilledKey(at), order), map);
      let own = bucketOf(lead, map);
      let digit = binsOf(own, map);
      atomicAdd(&scanState[BINS_AT + own * RADIX + binOf(lead, digit)], 1u);
      if (lead < digit.least) {
        atomicMax(&scanState[BUCKET_ENDS_AT + own], ~lead);
      }
      if (lead > digit.most) {
        atomicMax(&scanState[BUCKET_ENDS_AT + RADIX + own], lead);
      }
    }
  }
//#end
}
