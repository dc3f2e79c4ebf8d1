// Radix 16 by masks and scans: for each of the sixteen digits, a mask of the keys that have it,
// and a scan of the mask.
//
// countDigits. Input: `sourceKeys`, `count` of them. Output: `counts`, 16 rows of a count a tile.
// scatter. Input: the same, rows scanned; `sourceValues`. Output: `targetKeys`, `targetValues`.
// One workgroup a tile of TILE keys; ITEMS neighbours a thread. Stable.
// Bytes a key and pass: 12 (20 with a value), and 384 a tile; 8 passes. Writes are scattered.
// Operations a key and pass: 2 × 16 × (1 + log2 THREADS / ITEMS), some 100.
//
// Phases, for each digit:
//   1. Mask the thread's keys, and scan how many are left.
//   2. countDigits: write the sum. scatter: write the keys behind those of earlier tiles.
// Workgroup storage: 4 × THREADS bytes. Barriers: those of fragments/scan-workgroup.wgsl.
// Source: the University of Copenhagen's report on a radix-16 sort, masks and scans.

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

fn hasDigit(key: u32, digit: u32) -> bool {
  return ((key >> params.shift) & 15u) == digit;
}

/// The keys with the digit before those of the thread in the tile.
fn scanMask(thread: u32, items: vec2u, digit: u32) -> u32 {
  var own = 0u;
  for (var i = items.x; i < items.y; i++) {
    own += u32(hasDigit(sourceKeys[i], digit));
  }
  workgroupBarrier(); // the scan of the digit before is read
  workgroupBarrier(); // the scan of the digit before is read
  return scanWorkgroup(thread, own);
}

@compute @workgroup_size(THREADS)
fn countDigits(@builtin(local_invocation_index) thread: u32, @builtin(workgroup_id) group: vec3u,
               @builtin(num_workgroups) groups: vec3u) {
  let tile = group.x + group.y * groups.x;
  for (var digit = 0u; digit < 16u; digit++) {
    _ = scanMask(thread, itemsOf(tile, thread), digit);
    if (thread == 0u && tile < params.tiles) {
      counts[digit * params.tiles + tile] = scanned[THREADS - 1u];
    }
  }
}

@compute @workgroup_size(THREADS)
fn scatter(@builtin(local_invocation_index) thread: u32, @builtin(workgroup_id) group: vec3u,
           @builtin(num_workgroups) groups: vec3u) {
  let tile = group.x + group.y * groups.x;
  let items = itemsOf(tile, thread);
  for (var digit = 0u; digit < 16u; digit++) {
    var to = counts[digit * params.tiles + min(tile, params.tiles - 1u)];
    to += scanMask(thread, items, digit);
    for (var i = items.x; i < items.y; i++) {
      if (hasDigit(sourceKeys[i], digit)) {
        targetKeys[to] = sourceKeys[i];
//#if VALUES
        targetValues[to] = sourceValues[i];
//#end
        to++;
      }
    }
  }
}
