// Heavy values: values so frequent that the sweeps leave out the keys that have them. These keys
// are counted, one key of each value is swept with the other keys, and at the end its copies are
// written beside it (fragments/heavy-copies.wgsl). Equal 32-bit keys without values are the same.
//
// A hash gives each word its slot in a table. A slot has one heavy value, or else a word that
// belongs to another slot. So one comparison tells whether a word is heavy.
//
// Reads: HEAVY_BITS.
// Defines: heavySlot, emptySlot.

/// The slot of a word.
fn heavySlot(word: u32) -> u32 {
  return ((word ^ (word >> 15u)) * 0x9e3779b1u) >> (32u - HEAVY_BITS);
}

/// The entry of a slot without a heavy value: a word of another slot. Word 0 belongs to slot 0.
fn emptySlot(slot: u32) -> u32 {
  return select(0u, 1u, slot == 0u);
}
