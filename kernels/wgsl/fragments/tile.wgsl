// The workgroup storage of the pre-sort: the tile; while no keys are in it, counters and sums.
//
// Reads: THREADS, TILE, RADIX, MOVES_KEYS; Order, Pass and digitOf of fragments/order.wgsl.
// Defines: `tile`, PITCH, SUMS_AT, TILE_WORDS, localDigit; Scan and scanWorkgroup of
// fragments/scan.wgsl.
// Workgroup storage: 4 × TILE_WORDS bytes, TILE_WORDS = max(TILE, 10 × THREADS + 256).

/// Distance of the counters of two neighbouring threads: fragments/presort.wgsl.
const PITCH = THREADS / 8u + 4u;
const SUMS_AT = 64u * PITCH;
const TILE_WORDS = max(TILE, SUMS_AT + 2u * THREADS);

var<workgroup> tile: array<u32, TILE_WORDS>;

//#include fragments/scan.wgsl

/// The digit of what the pre-sort moves: of the key itself, or the low bits of a word that has the
/// place of the key above them.
//#if MOVES_KEYS
fn localDigit(word: u32, order: Order, pass_: Pass) -> u32 {
  return digitOf(word, order, pass_);
}
//#else
fn localDigit(word: u32, order: Order, pass_: Pass) -> u32 {
  return word & (RADIX - 1u);
}
//#end
