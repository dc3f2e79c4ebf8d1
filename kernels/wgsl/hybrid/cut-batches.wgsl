// Cut batches: where the bins of a hybrid sort begin, and which neighbouring bins make a batch; and
// the tiles of the second split, which comes next.
//
// Input: `plan`; the buckets of `scanState`, and the counts of their bins.
// Output: `scanState`: the starts of the bins, in place of their counts, the batches, and the
// tiles. RADIX workgroups of THREADS threads, one a bucket; a thread a bin. If the sort is given
// up, the plan says so, and nothing else is done.
// Memory: reads and writes 4 bytes a bin, of which there are RADIX × RADIX; writes 20 bytes a batch
// and 8 a tile.
//
// A batch has neighbouring bins of one bucket, as many as fit the storage of a workgroup, or one
// bin that does not. With values, leads of a batch are near enough to each other for the word of an
// item (fragments/batch-items.wgsl).
//
// Phases:
//   1. Scan the counts, and add up the keys of the buckets before.
//   2. Each bin finds by bisection where a batch would end that it begins. Then one thread goes
//      from cut to cut, beginning with the first bin.
//   3. Write the batches.
//   4. Cut what the bucket has in its room into tiles.
//
// Workgroup storage: 4 × (4 × RADIX + 2 × SUBGROUPS + 7) bytes, and the storage of
// fragments/lanes.wgsl.
// Barriers: in phase 1 two: all subgroups have added up; the bins are known. In phase 2 one: each
// bin's next cut is known. Before phases 3 and 4 workgroupUniformLoad has some: the number of cuts,
// and of tiles, is known. And fragments/lanes.wgsl has its own.

//#include fragments/order.wgsl
//#include fragments/ties.wgsl
//#include fragments/scan-state.wgsl
//#include fragments/lanes.wgsl

@group(0) @binding(0) var<uniform> order: Order;
@group(0) @binding(1) var<storage, read_write> plan: Plan;
@group(0) @binding(2) var<storage, read_write> scanState: array<atomic<u32>>;

//#include fragments/map.wgsl
//#include fragments/bucket-rooms.wgsl
//#include fragments/bin-digit.wgsl

var<workgroup> sums: array<u32, SUBGROUPS>;
/// Keys of buckets before, by subgroup.
var<workgroup> sumsBefore: array<u32, SUBGROUPS>;
/// The start of each bin within the bucket, and its least lead; after the last bin, the ends.
var<workgroup> starts: array<u32, RADIX + 1>;
var<workgroup> leads: array<u32, RADIX + 1>;
/// For each bin, where the batch ends that it begins; and the first bins of the batches.
var<workgroup> nexts: array<u32, RADIX>;
var<workgroup> cuts: array<u32, RADIX>;
/// Batches of the bucket, and the number of the first one.
var<workgroup> cutCount: u32;
var<workgroup> firstBatch: u32;
/// Tiles of the bucket, and the number of the first one.
var<workgroup> tiles: vec2u;
/// 1 if the sort is of another kind, or given up.
var<workgroup> isEnd: u32;

/// The first bin of the batch after the one that begins with bin `from_`.
fn nextCut(from_: u32) -> u32 {
  // The last bin that may begin it lies in [low, high].
  var low = from_ + 1u;
  var high = RADIX;
  while (low < high) {
    let middle = (low + high + 1u) / 2u;
    var fits = starts[middle] - starts[from_] <= BATCH;
//#if PLACE_BITS > 0
    fits = fits && leads[middle] - leads[from_] <= (1u << (32u - PLACE_BITS));
//#end
    if (fits) {
      low = middle;
    } else {
      high = middle - 1u;
    }
  }
  return low;
}

//#include fragments/subgroup-entry.wgsl
fn cutBatches(
//#include fragments/subgroup-thread.wgsl
  @builtin(workgroup_id) group: vec3u,
) {
//#include fragments/subgroup-number.wgsl
  let bucket = group.x;
  let bin = number * SUBGROUP_SIZE + lane;
  if (thread == 0u) {
    let isHybrid = plan.mode == HYBRID_MODE;
    if (isHybrid && isGivenUp() && bucket == 0u) {
      plan.isGivenUp = 1u;
    }
    isEnd = select(1u, 0u, isHybrid && !isGivenUp());
  }
  if (workgroupUniformLoad(&isEnd) == 1u) {
    return;
  }
  let bins = binsOf(bucket, plan.map);

  // 1. Scan.
  let total = atomicLoad(&scanState[BINS_AT + bucket * RADIX + bin]);
  let through = inclusiveAdd(total, thread);
  let before = inclusiveAdd(select(0u, keysOf(bin), bin < bucket), thread);
  if (lane == SUBGROUP_SIZE - 1u) {
    sums[number] = through;
    sumsBefore[number] = before;
  }
  workgroupBarrier(); // all subgroups have added up
  var start = through - total;
  for (var r = 0u; r < number; r += 1u) {
    start += sums[r];
  }
  var bucketStart = 0u;
  for (var r = 0u; r < SUBGROUPS; r += 1u) {
    bucketStart += sumsBefore[r];
  }
  atomicStore(&scanState[BINS_AT + bucket * RADIX + bin], bucketStart + start);
  starts[bin] = start;
  // The least lead of the bin.
  let within = ((bin << 16u) + bins.factor - 1u) / bins.factor;
  leads[bin] = bins.least + min(within << bins.shift, bins.most - bins.least);
  if (bin == 0u) {
    let least = ~atomicLoad(&scanState[BUCKET_ENDS_AT + bucket]);
    leads[0] = min(bins.least, least);
  }
  if (bin == RADIX - 1u) {
    starts[RADIX] = start + total;
    leads[RADIX] = max(bins.most, atomicLoad(&scanState[BUCKET_ENDS_AT + RADIX + bucket]));
  }
  workgroupBarrier(); // the bins are known

  // 2. Cut.
  nexts[bin] = nextCut(bin);
  workgroupBarrier(); // each bin's next cut is known
  if (thread == 0u) {
    var cut = 0u;
    var from_ = 0u;
    while (from_ < RADIX) {
      let next = nexts[from_];
      if (starts[next] > starts[from_]) {
        cuts[cut] = from_;
        cut += 1u;
      }
      from_ = next;
    }
    cutCount = cut;
    firstBatch = atomicAdd(&scanState[BATCHES_COUNTED_AT], cut);
    let room = atomicLoad(&scanState[BUCKET_STARTS_AT + bucket]);
    let cutTiles = (keptEnd(bucket) - room + SPLIT_TILE - 1u) / SPLIT_TILE;
    tiles = vec2u(cutTiles, atomicAdd(&scanState[TILES_LISTED_AT], cutTiles));
  }

  // 3. Write.
  if (thread < workgroupUniformLoad(&cutCount)) {
    let from_ = cuts[thread];
    let to = nexts[from_];
    let span = leads[to] - leads[from_];
    // Cell = ((word - least word) >> shift) × factor >> 16, of the 16 highest bits of the span.
    let tail = plan.map.tail;
    let shift = max(32u - countLeadingZeros(span) + tail, 16u) - 16u;
    let below = max(tail, shift) - shift;
    let highest = ((span >> (max(tail, shift) - tail)) << below) | ((1u << below) - 1u);
    let factor = min((CELLS << 16u) / (highest + 1u), (1u << 26u) - 1u);
    let at = batchesAt(plan.count) + BATCH_WORDS * (firstBatch + thread);
    atomicStore(&scanState[at], bucketStart + starts[from_]);
    atomicStore(&scanState[at + 1u], starts[to] - starts[from_]);
    atomicStore(&scanState[at + 2u], leads[from_]);
    atomicStore(&scanState[at + 3u], span);
    atomicStore(&scanState[at + 4u], (shift << 26u) | factor);
  }

  // 4. Tiles.
  let cutTiles = workgroupUniformLoad(&tiles);
  let end = keptEnd(bucket);
  for (var tile_ = thread; tile_ < cutTiles.x; tile_ += THREADS) {
    let at = tilesAt(plan.count) + 2u * (cutTiles.y + tile_);
    let first = atomicLoad(&scanState[BUCKET_STARTS_AT + bucket]) + tile_ * SPLIT_TILE;
    atomicStore(&scanState[at], first);
    atomicStore(&scanState[at + 1u], (min(SPLIT_TILE, end - first) << RADIX_BITS) | bucket);
  }
}
