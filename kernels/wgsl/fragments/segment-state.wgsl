// What the kernels of segments/ tell each other on devices with subgroups, in one buffer of words:
//
//   numbers       STATE_WORDS words, zero when a sort begins: where the segments are, how many
//                 records the lists have, the work on long segments, and the tiles that
//                 each pass has taken
//   statuses      RADIX words a tile of a long segment, as fragments/scan-state.wgsl has them
//
// Reads: STATE_WORDS, EVEN_AT, SINGLES_AT. Defines: FIRST_AT, END_AT, FEWER_AT, MORE_AT, LONGS_AT,
// TILES_AT, DIGITS_AT, MIXED_AT, TAKEN_AT; Piece, Tile, Window.

/// The first place of all segments, and where the last one ends.
const FIRST_AT = 0u;
const END_AT = 1u;
/// Pieces at the front of their list, and those at its end.
const FEWER_AT = 2u;
const MORE_AT = 3u;
/// Long segments, and their tiles.
const LONGS_AT = 4u;
const TILES_AT = 5u;
/// A bit for each digit that some long segment has to be sorted by.
const DIGITS_AT = 6u;
/// Windows at the end of their list. Those at its front are at EVEN_AT; segments that a subgroup
/// sorts by itself at SINGLES_AT.
const MIXED_AT = 8u;
/// Tiles that each pass has taken.
const TAKEN_AT = 16u;

/// Keys [first, first + count) of the caller's buffers, a segment. Of a long one also its first
/// tile.
struct Piece {
  first: u32,
  count: u32,
  tile: u32,
}

/// Keys [first, first + valid), the `index`-th tile of long segment `segment`.
struct Tile {
  first: u32,
  valid: u32,
  segment: u32,
  index: u32,
}

/// Neighbouring short segments, which a subgroup sorts: keys [first, first + count), counted from
/// the first of all segments; how many segments they are; and the slots that a segment gets, or all
/// of them if that is more than there are for segments of as many each.
struct Window {
  first: u32,
  count: u32,
  segments: u32,
  slots: u32,
}
