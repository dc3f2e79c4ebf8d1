// The state of a chained scan: what its workgroups tell each other. One buffer of words:
//
//   tile counters   one a pass, the number of tiles that have been taken; at the end the workgroups
//                   that have counted, the sample and the histogram; TILE_COUNTERS words in all
//   digit counts    RADIX words a digit of the key, zero between sorts
//   digit starts    keys of smaller digits, RADIX words for each pass that is run
//   sample          HYBRID: the counts of hybrid/sample.wgsl, or the cells of
//                   chained-scan/histogram.wgsl; zero between sorts
//   statuses        RADIX words a tile: what is known so far of the counts of its digits
//
// A hybrid sort writes over the statuses, when no sweep needs them any more: the starts of its
// batches, one more than there are batches; then the numbers of its long batches, those of
// workgroup g of the batch sort at places g, g + groups, g + 2 × groups, …
//
// A status is one word, so no order of memory accesses is relied on: a count of keys, above
// STATUS_BITS bits of flag. The flag says whether the count is that of the tile alone (aggregate)
// or of all tiles up to it (prefix), and in which pass. All passes share the place of the
// statuses, which is cleared once a sort: three pairs of flags take turns, so a status of an
// earlier pass reads as none.
//
// Reads: RADIX, MAX_PASSES, TILE_COUNTERS, STATUS_BITS, SAMPLE_WORDS.
// Defines: DIGIT_COUNTS_AT, DIGIT_STARTS_AT, SAMPLE_AT, STATUSES_AT, SAMPLED_AT, COUNTED_AT,
// STATUS_MASK, aggregateFlag, prefixFlag.
// Source: Merrill and Garland, "Single-pass parallel prefix scan with decoupled look-back", 2016,
// 4.1.

const DIGIT_COUNTS_AT = TILE_COUNTERS;
const DIGIT_STARTS_AT = DIGIT_COUNTS_AT + MAX_PASSES * RADIX;
const SAMPLE_AT = DIGIT_STARTS_AT + MAX_PASSES * RADIX;
const STATUSES_AT = SAMPLE_AT + SAMPLE_WORDS;

/// Workgroups that are done with the sample, and with the histogram; of the latter above GROUP_BITS
/// bits those that have met keys out of order. One word, so that the last one to add knows both.
const SAMPLED_AT = TILE_COUNTERS - 2u;
const COUNTED_AT = TILE_COUNTERS - 1u;

const STATUS_MASK = (1u << STATUS_BITS) - 1u;

/// The flag of a tile's own count in pass `slot`.
fn aggregateFlag(slot: u32) -> u32 {
  return 1u + 2u * (slot % 3u);
}

/// The flag of a count of all tiles up to one in pass `slot`.
fn prefixFlag(slot: u32) -> u32 {
  return 2u + 2u * (slot % 3u);
}
