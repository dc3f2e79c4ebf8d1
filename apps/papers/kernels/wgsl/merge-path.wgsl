// Merge sort by merge paths: tiles are sorted by merges in workgroup storage, then runs merged pair
// by pair. A path's point on a diagonal says how many keys each of two runs gives to the first ones
// of the result; so every thread can begin in the middle of a merge.
//
// Input: `sourceKeys`, `sourceValues`, `count` of each; of mergeRuns, sorted runs of `run` keys.
// Output: `targetKeys`, `targetValues`: sorted tiles, or runs twice as long.
// One workgroup for TILE keys of the output; ITEMS of them a thread. Stable.
// Bytes a key and pass: 8 (16 with a value); 1 + log2(count / TILE) passes.
// Operations a key: a comparison a merge, log2 count in all, and the searches: log2(2 × run) steps
// a diagonal, of which there is one for ITEMS keys, and two in memory a tile.
//
// Phases of mergeRuns:
//   1. Two threads search the diagonals of the tile's first and last key, in memory.
//   2. What lies between them is loaded: a part of each run.
//   3. Each thread searches its own diagonal, and merges ITEMS keys from there.
// Workgroup storage: (4 or 8) × TILE + 8 bytes. Barriers: before `ends` and the tile are read;
// those of fragments/merge-tile.wgsl.
// Source: Satish, Harris and Garland, 2009, and Satish, Kim, Chhugani et al., 2010, for merge sorts
// of tiles; Green, McColl and Bader, "GPU merge path", 2012, for the diagonals.

struct Params {
  count: u32,
  run: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> sourceKeys: array<u32>;
@group(0) @binding(2) var<storage, read_write> targetKeys: array<u32>;
//#if VALUES
@group(0) @binding(3) var<storage, read> sourceValues: array<u32>;
@group(0) @binding(4) var<storage, read_write> targetValues: array<u32>;
//#end
//#include fragments/records.wgsl
//#include fragments/merge-tile.wgsl

/// Keys that the outputs before the tile, and those up to its end, take from the first run.
var<workgroup> ends: array<u32, 2>;

@compute @workgroup_size(THREADS)
fn sortTile(@builtin(local_invocation_index) thread: u32, @builtin(workgroup_id) group: vec3u,
            @builtin(num_workgroups) groups: vec3u) {
  let start = min((group.x + group.y * groups.x) * TILE, params.count);
  let size = min(TILE, params.count - start);
  sortInTile(thread, start, size);
  for (var i = thread; i < size; i += THREADS) {
    store(start + i, tile[i]);
  }
}

@compute @workgroup_size(THREADS)
fn mergeRuns(@builtin(local_invocation_index) thread: u32, @builtin(workgroup_id) group: vec3u,
             @builtin(num_workgroups) groups: vec3u) {
  // 1. Diagonals of the tile.
  let start = min((group.x + group.y * groups.x) * TILE, params.count);
  let size = min(TILE, params.count - start);
  let first = start - start % (2u * params.run);
  let second = min(first + params.run, params.count);
  let end = min(second + params.run, params.count);
  if (thread < 2u) {
    ends[thread] = search(start - first + thread * size, first, second, end, true);
  }
  workgroupBarrier(); // both are known
  // 2. Load.
  let inFirst = ends[1] - ends[0];
  for (var i = thread; i < size; i += THREADS) {
    tile[i] = load(select(second + start - first - ends[1], first + ends[0], i < inFirst) + i);
  }
  workgroupBarrier(); // the tile is there
  // 3. Merge.
  let from_ = min(thread * ITEMS, size);
  let merged = mergeItems(from_, 0u, inFirst, size);
  for (var i = 0u; i < min(ITEMS, size - from_); i++) {
    store(start + from_ + i, merged[i]);
  }
}
