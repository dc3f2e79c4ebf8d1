// The digits of the chained sort: the bytes of a word. Bits that do not decide are masked, and lie in no key's way.

/// A word as its digits are taken from it. TIES: floats that carry values, whose NaNs are ties, and made equal.
fn decisiveWord(word: Key, order: Order) -> Key {
//#if NAN_TIES
  return clampWord(word, order);
//#else
  return word;
//#end
}

/// The digit of a word at bit `shift`, a multiple of 8; `mask` is byteMask there.
//#if KEY_WORDS == 1
fn digitAt(word: Key, shift: u32, mask: u32) -> u32 {
  return (word >> shift) & mask;
}

fn digitMask(order: Order, shift: u32) -> u32 {
  return digitAt(order.mask.x, shift, 255u);
}
//#else
fn digitAt(word: Key, shift: u32, mask: u32) -> u32 {
  return (select(word.x, word.y, shift > 31u) >> (shift & 31u)) & mask;
}

fn digitMask(order: Order, shift: u32) -> u32 {
  return digitAt(order.mask, shift, 255u);
}
//#end
