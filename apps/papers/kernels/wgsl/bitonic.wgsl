// Bitonic network: comparisons of pairs that are the same whatever the keys are.
//
// In and out: `keys`, `count` of them; with RANGES those of `ranges[group.z]` alone. A merge makes
// one run of two. Its first step compares mirrored keys (`isFlip`), its others keys that are
// `stride` apart. The smaller key always goes to the lower place, so any number of keys will do: a
// place behind the last key holds what would never move.
// One thread a pair; in tiles, one workgroup a tile of TILE keys. Not stable.
// Bytes a key and step: 8; exchangeTile does many steps for one read and write.
// Operations a key: half a comparison a step; log² count / 2 steps, about.
//
// Workgroup storage: 4 × TILE bytes. Barriers: after each step of a tile, as the next one compares
// what other threads have written.
// Source: Batcher, "Sorting networks and their applications", 1968, pages 307 to 314; Garland's
// lecture, and Satish, Harris and Garland, 2009, for tiles.

struct Params {
  count: u32,
  stride: u32,
  isFlip: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> keys: array<u32>;
//#if RANGES
@group(0) @binding(2) var<storage, read> ranges: array<vec2u>;
//#end
//#include fragments/network-tile.wgsl

/// The places of a pair's two keys.
fn pairOf(pair: u32, stride: u32, isFlip: bool) -> vec2u {
  let lane = pair % stride;
  let low = pair / stride * 2u * stride + lane;
  return vec2u(low, select(low + stride, low + 2u * (stride - lane) - 1u, isFlip));
}

@compute @workgroup_size(THREADS)
fn exchange(
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
) {
  let range = rangeOf(group.z);
  let pair = (group.x + group.y * groups.x) * THREADS + thread;
  let places = pairOf(pair, params.stride, params.isFlip == 1u) + range.x;
  if (places.y >= range.y) {
    return;
  }
  let low = keys[places.x];
  let high = keys[places.y];
  keys[places.x] = min(low, high);
  keys[places.y] = max(low, high);
}

/// All steps of the merges of `stride` keys each, and of longer runs, that stay within a tile.
@compute @workgroup_size(THREADS)
fn exchangeTile(
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
) {
  let start = loadTile(thread, group, groups);
  for (var run = params.stride; run < TILE; run *= 2u) {
    for (var stride = run; stride > 0u; stride /= 2u) {
      for (var pair = thread; pair < TILE / 2u; pair += THREADS) {
        exchangeInTile(pairOf(pair, stride, stride == run && params.isFlip == 1u));
      }
      workgroupBarrier(); // the step is done
    }
  }
  storeTile(thread, start, group.z);
}
