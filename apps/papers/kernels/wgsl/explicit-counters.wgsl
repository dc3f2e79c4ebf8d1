// Radix 16 with sixteen explicit counters: a tile is sorted by four splits of one bit; then its
// digits are counted, and the keys of a digit leave as neighbours for neighbouring places.
//
// sortTile. Input: `sourceKeys`, `sourceValues`, `count` of each. Output: `targetKeys`,
// `targetValues`, each tile sorted by the digit; `counts`, 16 rows of a count a tile.
// Then scan.wgsl over all rows.
// scatter. Input: what sortTile has written, and `counts`, scanned. Output: all in order of the
// digit. One workgroup a tile of TILE keys. Stable.
// Bytes a key and pass: 16 (32 with a value), and 384 a tile; 8 passes.
// Operations a key and pass: 4 splits × 2 log2 THREADS / ITEMS, and a counter: some 20.
// Workgroup storage: (4 or 8) × TILE + 4 × THREADS + 64 bytes. Barriers: before the tile or its
// counters are read; those of fragments/split.wgsl.
// Source: Satish, Harris and Garland, "Designing efficient sorting algorithms for manycore GPUs",
// 2009, its radix sort.

struct Params {
  count: u32,
  shift: u32,
  tiles: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> sourceKeys: array<u32>;
@group(0) @binding(2) var<storage, read_write> targetKeys: array<u32>;
@group(0) @binding(3) var<storage, read_write> counts: array<u32>;
//#if VALUES
@group(0) @binding(4) var<storage, read> sourceValues: array<u32>;
@group(0) @binding(5) var<storage, read_write> targetValues: array<u32>;
//#end
alias Counts = u32;
//#include fragments/scan-workgroup.wgsl
//#include fragments/items.wgsl
//#include fragments/records.wgsl
//#include fragments/split.wgsl

var<workgroup> counters: array<atomic<u32>, 16>;

fn digitOf(record: Record) -> u32 {
  return (keyOf(record) >> params.shift) & 15u;
}

@compute @workgroup_size(THREADS)
fn sortTile(@builtin(local_invocation_index) thread: u32, @builtin(workgroup_id) group: vec3u,
            @builtin(num_workgroups) groups: vec3u) {
  let number = group.x + group.y * groups.x;
  let items = itemsOf(number, thread);
  for (var i = items.x; i < items.y; i++) {
    tile[i - number * TILE] = load(i);
    atomicAdd(&counters[digitOf(load(i))], 1u);
  }
  workgroupBarrier(); // the tile is there, and counted
  for (var bit = params.shift; bit < params.shift + 4u; bit++) {
    splitTile(thread, items - min(number * TILE, items.x), bit);
  }
  for (var i = items.x; i < items.y; i++) {
    store(i, tile[i - number * TILE]);
  }
  if (thread < 16u && number < params.tiles) {
    counts[thread * params.tiles + number] = atomicLoad(&counters[thread]);
  }
}

@compute @workgroup_size(THREADS)
fn scatter(@builtin(local_invocation_index) thread: u32, @builtin(workgroup_id) group: vec3u,
           @builtin(num_workgroups) groups: vec3u) {
  let number = group.x + group.y * groups.x;
  let first = number * TILE;
  for (var i = first + thread; i < min(first + TILE, params.count); i += THREADS) {
    atomicAdd(&counters[digitOf(load(i))], 1u);
  }
  workgroupBarrier(); // the tile is counted
  for (var i = first + thread; i < min(first + TILE, params.count); i += THREADS) {
    let digit = digitOf(load(i));
    var start = first;
    for (var smaller = 0u; smaller < digit; smaller++) {
      start += atomicLoad(&counters[smaller]);
    }
    store(counts[digit * params.tiles + number] + i - start, load(i));
  }
}
