// Which keys are ties, though their bits differ; and the order of two keys.
//
// Reads: KEY_WORDS, NAN_TIES; Key, Order, clampWord and isLess of fragments/order.wgsl.
// Defines: tiedWord, isBefore.

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
