// Heavy values: values that so many keys have that the sweeps leave these keys out. They are
// counted, one key of each value is swept with the other keys, and at the end its copies are
// written beside it (fragments/heavy-copies.wgsl). Equal 32-bit keys without values are the same.
//
// The table has a slot for each of them, by a hash. A slot without one has a word of another slot,
// so one comparison tells whether a word is heavy.
//
// Reads: HEAVY_BITS.
// Defines: heavySlot, emptySlot.

/// The slot of a word.
fn heavySlot(word: u32) -> u32 {
  return ((word ^ (word >> 15u)) * 0x9e3779b1u) >> (32u - HEAVY_BITS);
}

/// What slot `slot` has if it has no heavy value: a word of another slot. That of 0 is the first.
fn emptySlot(slot: u32) -> u32 {
  return select(0u, 1u, slot == 0u);
}
