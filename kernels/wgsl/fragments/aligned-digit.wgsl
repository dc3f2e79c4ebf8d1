// The digits of the chained scan. None lies in both words of a wide key: they begin at multiples of
// RADIX_BITS, or in the highest word. Bits that do not decide the order are masked.
//
// Reads: KEY_WORDS; Key and Order of fragments/order.wgsl; tiedWord of fragments/ties.wgsl.
// Defines: Digit, digitIn, digitAt, digitMask.

/// Which digit of a word: at bit `shift`; `mask` is digitMask there.
struct Digit {
  shift: u32,
  mask: u32,
}

/// The value of a digit in a word.
fn digitIn(word: Key, order: Order, digit: Digit) -> u32 {
  return digitAt(tiedWord(word, order), digit.shift, digit.mask);
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
