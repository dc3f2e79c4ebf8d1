// The state of a chained scan, or of a hybrid sort without subgroups: what its workgroups tell each
// other. One buffer of words:
//
//   tile counters   one a pass, the number of tiles that have been taken; at the end the keys that
//                   left their buckets' rooms, the tiles of the second split, the batches, and the
//                   workgroups that have counted, the sample and the histogram; TILE_COUNTERS words
//                   in all
//   digit counts    RADIX words a digit of the key, zero between sorts
//   digit starts    keys of smaller digits, RADIX words for each pass that is run
//   cells           COUNTED: RADIX words, counts of chained-scan/histogram.wgsl, zero between sorts
//   by map          MAPPED: HYBRID_WORDS words:
//     map           the table of the map, MAP_CELLS words
//     buckets       six words a bucket: its least and its largest lead by the map, the scale of its
//                   bins, the start of its room in scratch, and the complement of the least and the
//                   largest lead that it has
//     ranges        of the keys of each workgroup of the sample
//     bins          a word a bin: its count, then its start
//     heavy values  HEAVY_SLOTS words, by slot: how many keys have the value, zero between sorts;
//                   and HEAVY_SLOTS words, in the order of the values: where its first key goes
//   statuses        RADIX words a tile: what is known so far of the counts of its digits; by a
//                   map RADIX tiles more, as each bucket begins with a tile of its own. Keys
//                   without values need no statuses: there it has the spilled keys, which found no
//                   room in their buckets
//   tiles           MAPPED: of the second split, two words a tile: its first key; its keys, above
//                   RADIX_BITS bits of its bucket
//   batches         MAPPED: BATCH_WORDS words a batch: its first key, its keys, the least lead that
//                   it may have, how far the largest one is above that, and the scale of its cells
//   long batches    the batches that a workgroup cannot sort in its storage, by their numbers:
//                   workgroup g of the batch sort has places g, g + groups, …
//
// COUNTED: when no sweep needs the statuses any more, the starts of the batches are written over
// them, one more than there are batches, and then the long batches.
//
// A status is one word, so no order of memory accesses is relied on: a count of keys, above
// STATUS_BITS bits of flag. The flag says whether the count is that of the tile alone (aggregate)
// or of all tiles up to it (prefix), and in which pass. All passes share the place of the
// statuses, which is cleared once a sort: three pairs of flags take turns, so a status of an
// earlier pass reads as none.
//
// Reads: RADIX, MAX_PASSES, TILE_COUNTERS, STATUS_BITS, HYBRID_WORDS, MAP_CELLS, SAMPLE_GROUPS,
// HEAVY_SLOTS, BATCH_WORDS, STATUS_TILE, SPLIT_TILE, COUNTED.
// Defines: DIGIT_COUNTS_AT, DIGIT_STARTS_AT, STATUSES_AT, SAMPLED_AT, BATCHES_COUNTED_AT,
// COUNTED_AT, STATUS_MASK, aggregateFlag, prefixFlag, longBatchesAt; COUNTED: CELLS_AT; MAPPED:
// MAP_AT, BUCKET_LEASTS_AT, BUCKET_MOSTS_AT, BUCKET_SCALES_AT, BUCKET_STARTS_AT, BUCKET_ENDS_AT,
// RANGES_AT, BINS_AT, HEAVY_COUNTS_AT, HEAVY_PLACES_AT, SPILLED_AT, TILES_LISTED_AT, tilesAt,
// batchesAt, spillRoom.
// Source: Merrill and Garland, "Single-pass parallel prefix scan with decoupled look-back", 2016,
// 4.1.

const DIGIT_COUNTS_AT = TILE_COUNTERS;
const DIGIT_STARTS_AT = DIGIT_COUNTS_AT + MAX_PASSES * RADIX;
const CELLS_AT = DIGIT_STARTS_AT + MAX_PASSES * RADIX;
const MAP_AT = CELLS_AT;
const BUCKET_LEASTS_AT = MAP_AT + MAP_CELLS;
const BUCKET_MOSTS_AT = BUCKET_LEASTS_AT + RADIX;
const BUCKET_SCALES_AT = BUCKET_MOSTS_AT + RADIX;
const BUCKET_STARTS_AT = BUCKET_SCALES_AT + RADIX;
const BUCKET_ENDS_AT = BUCKET_STARTS_AT + RADIX;
const RANGES_AT = BUCKET_ENDS_AT + 2u * RADIX;
const BINS_AT = RANGES_AT + 4u * SAMPLE_GROUPS;
const HEAVY_COUNTS_AT = BINS_AT + RADIX * RADIX;
const HEAVY_PLACES_AT = HEAVY_COUNTS_AT + HEAVY_SLOTS;
const STATUSES_AT = MAP_AT + HYBRID_WORDS;

/// Keys that have been spilled; tiles of the second split that are listed.
const SPILLED_AT = TILE_COUNTERS - 5u;
const TILES_LISTED_AT = TILE_COUNTERS - 4u;
/// Workgroups that are done with the sample; batches that there are.
const SAMPLED_AT = TILE_COUNTERS - 3u;
const BATCHES_COUNTED_AT = TILE_COUNTERS - 2u;
/// Workgroups that are done with the histogram; above GROUP_BITS bits those that have met keys out
/// of order. One word, so that the last one to add knows both.
const COUNTED_AT = TILE_COUNTERS - 1u;

/// Where the tiles of the second split are, of a sort of `count` keys. Splits have statuses only if
/// their tiles are as long as those of sweeps.
fn tilesAt(count: u32) -> u32 {
  return STATUSES_AT + ((count + STATUS_TILE - 1u) / STATUS_TILE + RADIX) * RADIX;
}

/// Words that spilled keys may take. If they need more, the hybrid sort is given up.
fn spillRoom(count: u32) -> u32 {
  return tilesAt(count) - STATUSES_AT;
}

/// Where the batches are.
fn batchesAt(count: u32) -> u32 {
  return tilesAt(count) + 2u * ((count + SPLIT_TILE - 1u) / SPLIT_TILE + RADIX);
}

/// Where the numbers of long batches are.
fn longBatchesAt(count: u32, batches: u32) -> u32 {
//#if COUNTED
  return STATUSES_AT + batches + 1u;
//#else
  return batchesAt(count) + BATCH_WORDS * batches;
//#end
}

const STATUS_MASK = (1u << STATUS_BITS) - 1u;

/// The flag of a tile's own count in pass `slot`.
fn aggregateFlag(slot: u32) -> u32 {
  return 1u + 2u * (slot % 3u);
}

/// The flag of a count of all tiles up to one in pass `slot`.
fn prefixFlag(slot: u32) -> u32 {
  return 2u + 2u * (slot % 3u);
}
