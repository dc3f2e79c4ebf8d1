// Binary radix: one bit a pass. A scan gives every key with a 0 its place, a reverse scan every
// key with a 1.
//
// countBits. Input: `sourceKeys`, `count` of them. Output: `zeros`, `ones`: a count a tile.
// Then scan.wgsl: `zeros` forwards, `ones` backwards.
// split. Input: the same, scanned; `sourceValues`. Output: `targetKeys`, `targetValues`.
// One workgroup a tile of TILE keys; ITEMS neighbours a thread. Stable.
// Bytes a key and pass: 12 (20 with a value), and 24 a tile; 32 passes.
// Operations a key and pass: 2 × log2 THREADS additions / ITEMS, some 10.
//
// Phases of split:
//   1. Scan the threads' numbers of zeros.
//   2. A zero goes behind all zeros before it; a one in front of all ones behind it.
//
// Workgroup storage: 4 × THREADS bytes. Barriers: those of fragments/scan-workgroup.wgsl.
// Source: Blelloch, "Prefix sums and their applications", 1990, "Line-of-sight and radix-sort", its
// split; Satish, Harris and Garland, "Designing efficient sorting algorithms for manycore GPUs".

struct Params {
  count: u32,
  bit: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> sourceKeys: array<u32>;
@group(0) @binding(2) var<storage, read_write> targetKeys: array<u32>;
@group(0) @binding(3) var<storage, read_write> zeros: array<u32>;
@group(0) @binding(4) var<storage, read_write> ones: array<u32>;
//#if VALUES
@group(0) @binding(5) var<storage, read> sourceValues: array<u32>;
@group(0) @binding(6) var<storage, read_write> targetValues: array<u32>;
//#end

alias Counts = u32;
//#include fragments/scan-workgroup.wgsl
//#include fragments/items.wgsl

/// The zeros before the thread's keys in the tile; scanned[THREADS - 1] are all of the tile.
fn scanZeros(thread: u32, items: vec2u) -> u32 {
  var own = 0u;
  for (var i = items.x; i < items.y; i++) {
    own += 1u - ((sourceKeys[i] >> params.bit) & 1u);
  }
  return scanWorkgroup(thread, own);
}

@compute @workgroup_size(THREADS)
fn countBits(@builtin(local_invocation_index) thread: u32, @builtin(workgroup_id) group: vec3u,
             @builtin(num_workgroups) groups: vec3u) {
  let tile = group.x + group.y * groups.x;
  _ = scanZeros(thread, itemsOf(tile, thread));
  if (thread == 0u && tile * TILE < params.count) {
    zeros[tile] = scanned[THREADS - 1u];
    ones[tile] = min(TILE, params.count - tile * TILE) - zeros[tile];
  }
}

@compute @workgroup_size(THREADS)
fn split(@builtin(local_invocation_index) thread: u32, @builtin(workgroup_id) group: vec3u,
         @builtin(num_workgroups) groups: vec3u) {
  // 1. Scan.
  let tile = group.x + group.y * groups.x;
  let items = itemsOf(tile, thread);
  var zerosBefore = scanZeros(thread, items);
  let size = min((tile + 1u) * TILE, params.count) - min(tile * TILE, params.count);
  var onesBehind = size - scanned[THREADS - 1u] - (thread * ITEMS - zerosBefore);
  // 2. Place.
  for (var i = items.x; i < items.y; i++) {
    let key = sourceKeys[i];
    let isOne = ((key >> params.bit) & 1u) == 1u;
    onesBehind -= u32(isOne);
    let to = select(zeros[tile] + zerosBefore, params.count - 1u - ones[tile] - onesBehind, isOne);
    zerosBefore += u32(!isOne);
    targetKeys[to] = key;
//#if VALUES
    targetValues[to] = sourceValues[i];
//#end
  }
}
