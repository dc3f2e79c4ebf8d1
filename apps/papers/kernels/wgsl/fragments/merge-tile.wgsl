// Merges of runs that lie one behind the other in a tile.
//
// Reads: Record, keyOf, load of fragments/records.wgsl; sourceKeys; TILE, ITEMS, THREADS.
// Defines: tile, search, mergeItems, sortInTile.
// Workgroup storage: (bytes of Record) × TILE. Barriers: before the tile is read, after each merge
// has read it, and after it has written it.

var<workgroup> tile: array<Record, TILE>;

fn keyAt(at: u32, isInMemory: bool) -> u32 {
  if (isInMemory) {
    return sourceKeys[at];
  }
  return keyOf(tile[at]);
}

/// How many of the first `diagonal` keys of a merge come from the first run, [first, second). The
/// other run is [second, end).
fn search(diagonal: u32, first: u32, second: u32, end: u32, isInMemory: bool) -> u32 {
  var low = max(diagonal, end - second) - (end - second);
  var high = min(diagonal, second - first);
  while (low < high) {
    let middle = (low + high) / 2u;
    let other = second + diagonal - 1u - middle;
    if (keyAt(first + middle, isInMemory) <= keyAt(other, isInMemory)) {
      low = middle + 1u;
    } else {
      high = middle;
    }
  }
  return low;
}

/// ITEMS records of the merge of two runs in the tile, from `diagonal` on.
fn mergeItems(diagonal: u32, first: u32, second: u32, end: u32) -> array<Record, ITEMS> {
  let before = search(diagonal, first, second, end, false);
  var a = first + before;
  var b = second + diagonal - before;
  var merged: array<Record, ITEMS>;
  for (var i = 0u; i < ITEMS; i++) {
    let isFirst = b >= end || (a < second && keyOf(tile[a]) <= keyOf(tile[b]));
    merged[i] = tile[min(select(b, a, isFirst), TILE - 1u)];
    a += u32(isFirst);
    b += u32(!isFirst);
  }
  return merged;
}

/// Loads the `size` records from `start` on, and puts them in order, stably.
fn sortInTile(thread: u32, start: u32, size: u32) {
  let from_ = min(thread * ITEMS, size);
  let to = min(from_ + ITEMS, size);
  // The thread's own records, by insertion.
  for (var i = from_; i < to; i++) {
    let record = load(start + i);
    var place = i;
    while (place > from_ && keyOf(tile[place - 1u]) > keyOf(record)) {
      tile[place] = tile[place - 1u];
      place--;
    }
    tile[place] = record;
  }
  workgroupBarrier(); // all runs of ITEMS are there
  for (var run = ITEMS; run < TILE; run *= 2u) {
    let first = from_ - from_ % (2u * run);
    let second = min(first + run, size);
    let merged = mergeItems(from_ - first, first, second, min(second + run, size));
    workgroupBarrier(); // the tile is read
    for (var i = from_; i < to; i++) {
      tile[i] = merged[i - from_];
    }
    workgroupBarrier(); // and written
  }
}
