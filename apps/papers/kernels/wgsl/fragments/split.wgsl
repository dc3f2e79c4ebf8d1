// One split: a tile's records with a 0 in a bit come first, those with a 1 behind them. Stable.
//
// Reads: Record, keyOf of fragments/records.wgsl; scanWorkgroup, scanned; TILE, ITEMS, THREADS.
// Defines: tile, splitTile.
// Workgroup storage: (bytes of Record) × TILE. Barriers: after reading the tile, in the scan, and
// after writing it.

var<workgroup> tile: array<Record, TILE>;

/// `items` are the thread's places in the tile; places behind the last record are nobody's.
fn splitTile(thread: u32, items: vec2u, bit: u32) {
  var own: array<Record, ITEMS>;
  var zeros = 0u;
  for (var i = items.x; i < items.y; i++) {
    own[i - items.x] = tile[i];
    zeros += 1u - ((keyOf(tile[i]) >> bit) & 1u);
  }
  var zerosBefore = scanWorkgroup(thread, zeros);
  let allZeros = scanned[THREADS - 1u];
  for (var i = items.x; i < items.y; i++) {
    let isOne = ((keyOf(own[i - items.x]) >> bit) & 1u) == 1u;
    tile[select(zerosBefore, allZeros + i - zerosBefore, isOne)] = own[i - items.x];
    zerosBefore += u32(!isOne);
  }
  workgroupBarrier(); // the tile is in order of the bit
}
