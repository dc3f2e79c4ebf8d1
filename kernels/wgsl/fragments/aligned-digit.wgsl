// The digits of the chained scan. None lies in both words of a wide key: they begin at multiples of
// RADIX_BITS, or in the highest word. Bits that do not decide the order are masked.
//
// Reads: KEY_WORDS, NAN_TIES, SAMPLED; Key, Order, clampWord and isLess of
// fragments/order.wgsl.
// Defines: tiedWord, isBefore, decisiveWord, digitAt, digitMask.

/// The word that decides. NAN_TIES: floats with values, whose NaNs are ties; all NaNs get the same
/// word.
fn tiedWord(word: Key, order: Order) -> Key {
//#if NAN_TIES
  return clampWord(word, order);
//#else
  return word;
//#end
}

/// Whether word a comes before word b. Ties are equal in the bits that decide.
fn isBefore(a: Key, b: Key, order: Order) -> bool {
//#if KEY_WORDS == 1
  return (tiedWord(a, order) & order.mask.x) < (tiedWord(b, order) & order.mask.x);
//#else
  return isLess(tiedWord(a, order) & order.mask, tiedWord(b, order) & order.mask);
//#end
}

/// The word that digits are taken from. SAMPLED: its highest word is brought within the plan's
/// `bounds`.
fn decisiveWord(word: Key, order: Order, bounds: vec2u) -> Key {
  let tied = tiedWord(word, order);
//#if SAMPLED
//#if KEY_WORDS == 1
  return clamp(tied, bounds.x, bounds.y);
//#else
  return vec2u(tied.x, clamp(tied.y, bounds.x, bounds.y));
//#end
//#else
  return tied;
//#end
}

/// The digit of a word at bit `shift`; `mask` is digitMask there.
//#if KEY_WORDS == 1
fn digitAt(word: Key, shift: u32, mask: u32) -> u32 {
  return (word >> shift) & mask;
}

/// The bits of the digit at `shift` that decide the order.
fn digitMask(order: Order, shift: u32) -> u32 {
  return digitAt(order.mask.x, shift, 255u);
}
//#else
fn digitAt(word: Key, shift: u32, mask: u32) -> u32 {
  return (select(word.x, word.y, shift > 31u) >> (shift & 31u)) & mask;
}

/// The bits of the digit at `shift` that decide the order.
fn digitMask(order: Order, shift: u32) -> u32 {
  return digitAt(order.mask, shift, 255u);
}
//#end
