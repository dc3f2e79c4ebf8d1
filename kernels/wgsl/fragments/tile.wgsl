// A workgroup's storage: the tile, and in it, while no keys are there, the counters and sums of the pre-sort.

/// Distance of the counters of two neighbouring threads: see presort.wgsl.
const PITCH = THREADS / 8u + 4u;
const SUMS_AT = 64u * PITCH;
const TILE_WORDS = max(TILE, SUMS_AT + 2u * THREADS);

var<workgroup> tile: array<u32, TILE_WORDS>;

//#include fragments/scan.wgsl

/// The digit of what the pre-sort moves: the key itself, or the digit with the place that it came from above it.
//#if MOVES_KEYS
fn localDigit(word: u32, order: Order, pass_: Pass) -> u32 {
  return digitOf(word, order, pass_);
}
//#else
fn localDigit(word: u32, order: Order, pass_: Pass) -> u32 {
  return word & (RADIX - 1u);
}
//#end
