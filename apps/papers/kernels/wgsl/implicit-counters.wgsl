// Radix 4 with implicit counters: three counts are packed in a word, and one scan counts all. The
// fourth is implied, as the four together are the number of keys before.
//
// countDigits. Input: keys, `count` of them. Output: `counts`, 4 rows of a count a tile.
// Then scan.wgsl over all rows.
// scatter. Input: records, and `counts`, scanned. Output: records in order of the digit.
// LAYOUT 0: keys and values, if there are any, lie in separate arrays. 2: in pairs. 1, hybrid: in
// pairs, and the keys alone a second time, for countDigits.
// One workgroup a tile of TILE keys, at most 1,024; ITEMS neighbours a thread. Stable.
// Bytes a key and pass: 12; with a value 20, hybrid and pairs 24; 16 passes.
// Operations a key and pass: 2 × 2 log2 THREADS / ITEMS additions, some 10.
//
// Phases of scatter:
//   1. Scan the packed counts: ranks of the keys among equal digits of the tile.
//   2. Put the tile in order, so that keys of one digit leave as neighbours.
//   3. Write it behind the keys of earlier tiles.
//
// Workgroup storage: (4 or 8) × TILE + 4 × THREADS bytes. Barriers: before the tile is read; those
// of fragments/scan-workgroup.wgsl.
// Source: Ha, Krüger and Silva, "Implicit radix sorting on GPUs", its counters and layouts.

struct Params {
  count: u32,
  shift: u32,
  tiles: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(3) var<storage, read_write> counts: array<u32>;
alias Counts = u32;
//#include fragments/scan-workgroup.wgsl
//#include fragments/items.wgsl
//#include fragments/layouts.wgsl
//#include fragments/implicit-counts.wgsl

var<workgroup> tile: array<Record, TILE>;

@compute @workgroup_size(THREADS)
fn countDigits(@builtin(local_invocation_index) thread: u32, @builtin(workgroup_id) group: vec3u,
               @builtin(num_workgroups) groups: vec3u) {
  let number = group.x + group.y * groups.x;
  let items = itemsOf(number, thread);
  let own = countItems(items);
  let before = scanWorkgroup(thread, own);
  if (thread == THREADS - 1u && number < params.tiles) {
    let all = countsOf(before, items.x - number * TILE) + countsOf(own, items.y - items.x);
    for (var digit = 0u; digit < 4u; digit++) {
      counts[digit * params.tiles + number] = all[digit];
    }
  }
}

@compute @workgroup_size(THREADS)
fn scatter(@builtin(local_invocation_index) thread: u32, @builtin(workgroup_id) group: vec3u,
           @builtin(num_workgroups) groups: vec3u) {
  // 1. Scan.
  let number = group.x + group.y * groups.x;
  let first = min(number * TILE, params.count);
  let size = min(first + TILE, params.count) - first;
  let items = itemsOf(number, thread);
  var ranks = countsOf(scanWorkgroup(thread, countItems(items)), items.x - first);
  let all = countsOf(scanned[THREADS - 1u], size);
  let starts = vec4u(0u, all.x, all.x + all.y, all.x + all.y + all.z);
  // 2. The tile in order.
  for (var i = items.x; i < items.y; i++) {
    let digit = digitOf(keyOf(load(i)));
    tile[starts[digit] + ranks[digit]] = load(i);
    ranks[digit]++;
  }
  workgroupBarrier(); // the tile is there
  // 3. Write.
  for (var i = thread; i < size; i += THREADS) {
    let digit = digitOf(keyOf(tile[i]));
    store(counts[digit * params.tiles + number] + i - starts[digit], tile[i]);
  }
}
