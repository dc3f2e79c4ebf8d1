// The digit of the first split of a hybrid sort: a key's bucket.
//
// Reads: Key, Order, Map of fragments/order.wgsl; tiedWord of fragments/ties.wgsl;
// fragments/map.wgsl.
// Defines: Digit, digitIn.

alias Digit = Map;

/// The bucket of a word.
fn digitIn(word: Key, order: Order, digit: Digit) -> u32 {
  return bucketOf(leadOf(tiedWord(word, order), digit), digit);
}
