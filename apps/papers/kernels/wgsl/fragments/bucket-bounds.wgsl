// Where each bucket begins in a sorted tile. Bucket 2 × c lies in front of cut c, and bucket
// 2 × c + 1 holds the keys that equal it. Cuts that are the same share their keys: the first has
// them.
//
// Reads: params, sourceKeys, samples; TILE, SAMPLES, BUCKETS. Defines: bounds, findBounds,
// bucketOf.
// Workgroup storage: 4 × (BUCKETS + 1) bytes. Barriers: one after the bounds are known.

/// The first place of each bucket; behind them, the number of keys in the tile.
var<workgroup> bounds: array<u32, BUCKETS + 1u>;

/// The first place in the tile whose key is not below `cut`, or, with `isBehind`, is above it.
fn placeOf(cut: u32, start: u32, size: u32, isBehind: bool) -> u32 {
  var low = 0u;
  var high = size;
  while (low < high) {
    let middle = (low + high) / 2u;
    let key = sourceKeys[start + middle];
    if (key < cut || (isBehind && key == cut)) {
      low = middle + 1u;
    } else {
      high = middle;
    }
  }
  return low;
}

fn findBounds(thread: u32, tile: u32) {
  let start = min(tile * TILE, params.count);
  let size = min(TILE, params.count - start);
  if (thread < SAMPLES - 1u) {
    let cut = samples[(thread + 1u) * params.tiles - 1u];
    let isAgain = thread > 0u && samples[max(thread, 1u) * params.tiles - 1u] == cut;
    bounds[2u * thread + 1u] = placeOf(cut, start, size, isAgain);
    bounds[2u * thread + 2u] = placeOf(cut, start, size, true);
  }
  if (thread == 0u) {
    bounds[0] = 0u;
    bounds[BUCKETS] = size;
  }
  workgroupBarrier(); // all bounds are there
}

/// The bucket of the key at `place` of the tile: the last one that begins there or before.
fn bucketOf(place: u32) -> u32 {
  var low = 0u;
  var high = BUCKETS;
  while (high - low > 1u) {
    let middle = (low + high) / 2u;
    if (bounds[middle] <= place) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}
