// Next tile: how a workgroup takes the tiles of a sweep or a split, one after the other. Whole
// functions: chained-scan/sweep.wgsl.
//
// A counter in the state hands out numbers, so that whoever has one knows that all smaller ones
// have been taken. Mostly tile n is simply the n-th stretch of TILE keys. In the second split it is
// the n-th that hybrid/cut-batches.wgsl has listed, because a tile there has keys of one bucket.
//
// Reads: `scanState`, `plan`, slot (which counts the passes); Tile; tilesAt and TILES_LISTED_AT of
// fragments/scan-state.wgsl; TILE, RADIX, RADIX_BITS, SPLIT, SHIFTS.
// Defines: takeNumber, tileOf.
// Barriers: none.

/// Takes the next tile, by its number.
fn takeNumber() -> u32 {
  return atomicAdd(&scanState[slot], 1u);
}

/// The tile of a number; past the last one it has no keys.
fn tileOf(number: u32) -> Tile {
//#if SPLIT == 2
  if (number >= atomicLoad(&scanState[TILES_LISTED_AT])) {
    return Tile(number, 0u, 0u, 0u);
  }
  let at = tilesAt(plan.count) + 2u * number;
  let keysAndBucket = atomicLoad(&scanState[at + 1u]);
  return Tile(
    number,
    atomicLoad(&scanState[at]),
    keysAndBucket >> RADIX_BITS,
    keysAndBucket & (RADIX - 1u),
  );
//#else
  let first = number * TILE;
//#if SHIFTS
  let count = plan.heavy.swept;
//#else
  let count = plan.count;
//#end
  return Tile(number, first, min(TILE, max(count, first) - first), 0u);
//#end
}
