// Odd-even merge network: as bitonic.wgsl, with fewer comparisons, whose pairs cross more borders.
//
// In and out: `keys`, `count` of them. A merge makes one run of two of `run` keys. Its first step
// compares keys that are `run` apart; its others, `stride` apart, those of each upper half with the
// lower half behind it. The smaller key always goes to the lower place, so any number of keys will
// do.
// One thread a pair; sortTile: one workgroup a tile of TILE keys. Not stable.
// Bytes a key and step: 8; sortTile does all its steps for one read and write. No later step stays
// within a tile, as those of the bitonic network do.
// Operations a key: just under half a comparison a step; log² count / 2 steps, about.
//
// Workgroup storage: 4 × TILE bytes. Barriers: after each step of a tile, as the next one compares
// what other threads have written.
// Source: Batcher, "Sorting networks and their applications", 1968, pages 307 to 314; Satish,
// Harris and Garland, 2009, who sort tiles by it.

struct Params {
  count: u32,
  run: u32,
  stride: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> keys: array<u32>;
//#include fragments/network-tile.wgsl

/// The places of a pair's two keys. Across the border of two merges there is no pair: the second
/// place is then `none`.
fn pairOf(pair: u32, run: u32, stride: u32, none: u32) -> vec2u {
  let low = pair / stride * 2u * stride + pair % stride + select(stride, 0u, stride == run);
  let isPair = low / (2u * run) == (low + stride) / (2u * run);
  return vec2u(low, select(none, low + stride, isPair));
}

@compute @workgroup_size(THREADS)
fn exchange(
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
) {
  let pair = (group.x + group.y * groups.x) * THREADS + thread;
  let places = pairOf(pair, params.run, params.stride, params.count);
  if (places.y >= params.count) {
    return;
  }
  let low = keys[places.x];
  let high = keys[places.y];
  keys[places.x] = min(low, high);
  keys[places.y] = max(low, high);
}

@compute @workgroup_size(THREADS)
fn sortTile(
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
) {
  let start = loadTile(thread, group, groups);
  for (var run = 1u; run < TILE; run *= 2u) {
    for (var stride = run; stride > 0u; stride /= 2u) {
      for (var pair = thread; pair < TILE / 2u; pair += THREADS) {
        let places = pairOf(pair, run, stride, TILE);
        if (places.y < TILE) {
          exchangeInTile(places);
        }
      }
      workgroupBarrier(); // the step is done
    }
  }
  storeTile(thread, start, 0u);
}
