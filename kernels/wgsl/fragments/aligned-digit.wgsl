// The digits of the chained scan, which begin at multiples of RADIX_BITS. Bits that do not decide
// the order are masked.
//
// Reads: KEY_WORDS, NAN_TIES; Key, Order and clampWord of fragments/order.wgsl.
// Defines: decisiveWord, digitAt, digitMask.

/// The word that digits are taken from. NAN_TIES: floats with values, whose NaNs are ties; all NaNs
/// get the same word.
fn decisiveWord(word: Key, order: Order) -> Key {
//#if NAN_TIES
  return clampWord(word, order);
//#else
  return word;
//#end
}

/// The digit of a word at bit `shift`, a multiple of RADIX_BITS; `mask` is digitMask there.
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
