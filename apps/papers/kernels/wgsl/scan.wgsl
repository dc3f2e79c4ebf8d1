// Scan: exclusive prefix sums of many counts, forwards or backwards, level by level.
//
// In and out: `counts`, `count` words. With `backwards` the last word comes first.
// Output of scanTiles: `sums`, the sum of each tile. They are scanned by the same kernel; then
// addSums adds to each word the sum of all tiles before its own.
// One workgroup a tile of TILE words.
// Bytes a word: 8, and 8 more where there are several tiles. Operations: 10 additions a thread.
// Workgroup storage: 4 × THREADS bytes. Barriers: those of fragments/scan-workgroup.wgsl.
// Source: Blelloch, "Prefix sums and their applications", 1990; Sengupta, Harris, Zhang and Owens,
// "Scan primitives for GPU computing", 2007, pages 97 to 106, for the levels.

struct Params {
  count: u32,
  backwards: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> counts: array<u32>;
@group(0) @binding(2) var<storage, read_write> sums: array<u32>;

alias Counts = u32;
//#include fragments/scan-workgroup.wgsl

/// Where word `i` of the order lies.
fn placeOf(i: u32) -> u32 {
  return select(i, params.count - 1u - i, params.backwards == 1u);
}

@compute @workgroup_size(THREADS)
fn scanTiles(
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
) {
  let tile = group.x + group.y * groups.x;
  let first = tile * TILE + thread * ITEMS;
  if (tile * TILE >= params.count) {
    return;
  }
  var own = 0u;
  for (var i = first; i < min(first + ITEMS, params.count); i++) {
    own += counts[placeOf(i)];
  }
  var before = scanWorkgroup(thread, own);
  for (var i = first; i < min(first + ITEMS, params.count); i++) {
    let at = placeOf(i);
    let count = counts[at];
    counts[at] = before;
    before += count;
  }
  if (thread == 0u) {
    sums[tile] = scanned[THREADS - 1u];
  }
}

@compute @workgroup_size(THREADS)
fn addSums(
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
) {
  let tile = group.x + group.y * groups.x;
  for (var i = tile * TILE + thread; i < min((tile + 1u) * TILE, params.count); i += THREADS) {
    counts[placeOf(i)] += sums[tile];
  }
}
