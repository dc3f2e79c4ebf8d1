// The chain: what the workgroups of a chained scan tell each other. One buffer of words:
//
//   tickets   one a pass, the number of tiles that have been taken; 16 words
//   totals    keys of each digit, RADIX words for each byte of the key; zero between sorts
//   starts    keys of lower digits, RADIX words for each pass that is run
//   statuses  RADIX words for each tile: what is known so far of its digits' counts
//
// A status is one word, so that no order of memory accesses has to be relied on: a count of keys above STATUS_BITS bits
// that say whether it is that of the tile alone (counted) or of all tiles up to it (summed). The statuses of all passes lie in
// one place and are cleared once a sort: what a pass finds there from the pass before is of another kind, and no news.

const DIGIT_COUNTS_AT = TILE_COUNTERS;
const DIGIT_STARTS_AT = DIGIT_COUNTS_AT + MAX_PASSES * RADIX;
const STATUSES_AT = DIGIT_STARTS_AT + MAX_PASSES * RADIX;

const STATUS_MASK = (1u << STATUS_BITS) - 1u;

/// Of a tile's own count in a pass; three passes take turns.
fn aggregateFlag(slot: u32) -> u32 {
  return 1u + 2u * (slot % 3u);
}

/// Of a count of all tiles up to one.
fn prefixFlag(slot: u32) -> u32 {
  return 2u + 2u * (slot % 3u);
}
