// Long tiles: cuts long segments into tiles, and clears what their sort adds to.
//
// Input: `longs` and `state` of segments/marks.wgsl.
// Output: `tiles`, those of a segment next to each other; `counts`, RADIX words for each digit of
// each long segment, zero; the statuses of `state`, RADIX words a tile, zero.
// Any number of workgroups; workgroup g takes segments g, g + groups, g + 2 × groups, … Memory:
// writes 4 × RADIX × MAX_PASSES bytes a segment, 4 × RADIX + 16 a tile. Workgroup storage and
// barriers: none.

//#include fragments/order.wgsl
//#include fragments/segment-state.wgsl

@group(0) @binding(0) var<uniform> order: Order;
@group(1) @binding(0) var<storage, read_write> state: array<u32>;
@group(1) @binding(1) var<storage, read> longs: array<Piece>;
@group(1) @binding(2) var<storage, read_write> tiles: array<Tile>;
@group(1) @binding(3) var<storage, read_write> counts: array<u32>;

@compute @workgroup_size(THREADS)
fn cutLong(
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
) {
  let segments = min(state[LONGS_AT], arrayLength(&longs));
  for (var segment = group.x; segment < segments; segment += groups.x) {
    let piece = longs[segment];
    let length = (piece.count + TILE - 1u) / TILE;
    for (var index = thread; index < length; index += THREADS) {
      if (piece.tile + index < arrayLength(&tiles)) {
        let valid = min(piece.count - index * TILE, TILE);
        tiles[piece.tile + index] = Tile(piece.first + index * TILE, valid, segment, index);
      }
    }
    for (var at = thread; at < MAX_PASSES * RADIX; at += THREADS) {
      counts[segment * MAX_PASSES * RADIX + at] = 0u;
    }
    for (var at = thread; at < length * RADIX; at += THREADS) {
      state[STATE_WORDS + piece.tile * RADIX + at] = 0u;
    }
  }
}
