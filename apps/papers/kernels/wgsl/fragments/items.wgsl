// Which keys a thread has: ITEMS neighbours of its workgroup's tile.
//
// Reads: params.count; TILE, ITEMS. Defines: itemsOf.

/// The places from the thread's first key to the one behind its last; equal where it has none.
fn itemsOf(tile: u32, thread: u32) -> vec2u {
  let first = min(tile * TILE + thread * ITEMS, params.count);
  return vec2u(first, min(first + ITEMS, params.count));
}
