// A tile of a network in workgroup storage. Places behind the last key hold the greatest key.
//
// Reads: params, keys, ranges (with RANGES); TILE, THREADS. Defines: tile, rangeOf, loadTile,
// exchangeInTile, storeTile.
// Workgroup storage: 4 × TILE bytes. Barriers: one after loading; the caller has one after each
// step.

var<workgroup> tile: array<u32, TILE>;

/// The places from the first key to sort to the one behind the last.
fn rangeOf(z: u32) -> vec2u {
//#if RANGES
  return ranges[z];
//#else
  return vec2u(0u, params.count);
//#end
}

/// Loads the workgroup's tile, and returns its first place.
fn loadTile(thread: u32, group: vec3u, groups: vec3u) -> u32 {
  let range = rangeOf(group.z);
  let start = range.x + (group.x + group.y * groups.x) * TILE;
  for (var i = thread; i < TILE; i += THREADS) {
    tile[i] = 0xffffffffu;
    if (start + i < range.y) {
      tile[i] = keys[start + i];
    }
  }
  workgroupBarrier(); // the tile is there
  return start;
}

fn exchangeInTile(places: vec2u) {
  let low = tile[places.x];
  let high = tile[places.y];
  tile[places.x] = min(low, high);
  tile[places.y] = max(low, high);
}

fn storeTile(thread: u32, start: u32, z: u32) {
  let end = rangeOf(z).y;
  for (var i = thread; i < TILE && start + i < end; i += THREADS) {
    keys[start + i] = tile[i];
  }
}
