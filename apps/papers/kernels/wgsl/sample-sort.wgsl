// Sample sort: keys that are taken from sorted tiles at equal distances say where to cut; buckets
// between cuts are then sorted by themselves. No bucket can be longer than TILE / 32 × tiles keys:
// keys that equal a cut have a bucket of their own, which is in order as it is.
//
// Tiles, samples and buckets are sorted by bitonic.wgsl, as Dehne and Zaboli do.
// takeSamples. Input: `sourceKeys`, sorted tiles. Output: `samples`, SAMPLES a tile.
// countBuckets. Input: `samples`, sorted. Output: `counts`, BUCKETS rows of a count a tile.
// Then scan.wgsl over all rows.
// scatter. Output: `targetKeys`, bucket by bucket. findRanges. Output: `ranges`, where the buckets
// between cuts begin and end.
// One workgroup a tile of TILE keys, at least 64 threads. Not stable.
// Bytes a key: 16, and 1,536 a tile; and those of the sorts. Operations a key: two binary searches
// a tile and cut, and one search of 7 steps a key.
// Workgroup storage: 4 × BUCKETS bytes. Barriers: before the bounds are read, in two steps.
// Source: Dehne and Zaboli, "Deterministic sample sort for GPUs", 2012; Garland's lecture; Shi and
// Schaeffer, "Parallel sorting by regular sampling", 1992, for the bound.

struct Params {
  count: u32,
  tiles: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> sourceKeys: array<u32>;
@group(0) @binding(2) var<storage, read_write> targetKeys: array<u32>;
@group(0) @binding(3) var<storage, read_write> samples: array<u32>;
@group(0) @binding(4) var<storage, read_write> counts: array<u32>;
@group(0) @binding(5) var<storage, read_write> ranges: array<vec2u>;
//#include fragments/bucket-bounds.wgsl

@compute @workgroup_size(SAMPLES)
fn takeSamples(@builtin(global_invocation_id) invocation: vec3u,
               @builtin(num_workgroups) groups: vec3u) {
  let sample = invocation.x + invocation.y * groups.x * SAMPLES;
  let at = (sample + 1u) * (TILE / SAMPLES) - 1u;
  if (sample < params.tiles * SAMPLES) {
    let key = sourceKeys[min(at, params.count - 1u)];
    samples[sample] = select(0xffffffffu, key, at < params.count);
  }
}

@compute @workgroup_size(THREADS)
fn countBuckets(@builtin(local_invocation_index) thread: u32, @builtin(workgroup_id) group: vec3u,
                @builtin(num_workgroups) groups: vec3u) {
  let tile = group.x + group.y * groups.x;
  findBounds(thread, tile);
  if (thread < BUCKETS && tile < params.tiles) {
    counts[thread * params.tiles + tile] = bounds[thread + 1u] - bounds[thread];
  }
}

@compute @workgroup_size(THREADS)
fn scatter(@builtin(local_invocation_index) thread: u32, @builtin(workgroup_id) group: vec3u,
           @builtin(num_workgroups) groups: vec3u) {
  let tile = group.x + group.y * groups.x;
  findBounds(thread, tile);
  let size = bounds[BUCKETS];
  for (var i = thread; i < size; i += THREADS) {
    let bucket = bucketOf(i);
    let before = counts[bucket * params.tiles + tile] + i - bounds[bucket];
    targetKeys[before] = sourceKeys[tile * TILE + i];
  }
}

@compute @workgroup_size(SAMPLES)
fn findRanges(@builtin(local_invocation_index) thread: u32) {
  let end = min(2u * thread + 1u, BUCKETS - 1u) * params.tiles;
  let isLast = 2u * thread + 1u == BUCKETS;
  let start = counts[2u * thread * params.tiles];
  ranges[thread] = vec2u(start, select(counts[end], params.count, isLast));
}
