// The digits of the chained scan. None lies in both words of a wide key: they begin at multiples of
// RADIX_BITS, or in the highest word. Bits that do not decide the order are masked.
//
// Reads: KEY_WORDS; Key and Order of fragments/order.wgsl; tiedWord of fragments/ties.wgsl.
// Defines: Digit, digitIn, digitAgain, LAST_WORD, digitAt, digitMask.

/// Which digit of a word: at bit `shift`; `mask` is digitMask there.
struct Digit {
  shift: u32,
  mask: u32,
}

/// The value of a digit in a word.
fn digitIn(word: Key, order: Order, digit: Digit) -> u32 {
  return digitAt(tiedWord(word, order), digit.shift, digit.mask);
}

/// The same by another formula: masked first, then shifted.
fn digitAgain(word: Key, order: Order, digit: Digit) -> u32 {
  let tied = tiedWord(word, order);
//#if KEY_WORDS == 1
  return (tied & (digit.mask << digit.shift)) >> digit.shift;
//#else
  let shift = digit.shift & 31u;
  return (select(tied.x, tied.y, digit.shift > 31u) & (digit.mask << shift)) >> shift;
//#end
}

/// A word whose digits are all the last ones.
//#if KEY_WORDS == 1
const LAST_WORD = 0xffffffffu;
//#else
const LAST_WORD = vec2u(0xffffffffu);
//#end

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
