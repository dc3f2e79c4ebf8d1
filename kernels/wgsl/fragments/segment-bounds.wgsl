// Where segments begin, and which of them are long.
//
// Reads: TILE; `bounds`, which has a line for each segment and one more, where the last one ends.
// Defines: longLength.

/// The length of a segment from `first` to `end` if no workgroup can hold it, else 0.
fn longLength(first: u32, end: u32) -> u32 {
  let length = max(end, first) - first;
  return select(0u, length, length > TILE);
}
