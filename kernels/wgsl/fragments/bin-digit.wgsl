// The digit of the second split of a hybrid sort: a key's bin. The leads of a bucket are cut
// into RADIX bins of equal width.
//
// Reads: RADIX; BUCKET_LEASTS_AT, BUCKET_SCALES_AT of fragments/scan-state.wgsl; Key, Order, Map of
// fragments/order.wgsl; tiedWord of fragments/ties.wgsl; leadOf of fragments/map.wgsl;
// `scanState`.
// Defines: Digit, digitIn, binOf, binsOf.

struct Digit {
  map: Map,
  /// The least and the largest lead of the bucket.
  least: u32,
  most: u32,
  /// By how many bits leads within the bucket are shifted, and then multiplied, to have the bin
  /// above 16 bits.
  shift: u32,
  factor: u32,
}

/// The bins of a bucket.
fn binsOf(bucket: u32, map: Map) -> Digit {
  let scale = atomicLoad(&scanState[BUCKET_SCALES_AT + bucket]);
  let least = atomicLoad(&scanState[BUCKET_LEASTS_AT + bucket]);
  let most = atomicLoad(&scanState[BUCKET_MOSTS_AT + bucket]);
  return Digit(map, least, most, scale >> 24u, scale & 0xffffffu);
}

/// The bin of a word of the bucket; of another one any.
fn digitIn(word: Key, order: Order, digit: Digit) -> u32 {
  return binOf(leadOf(tiedWord(word, order), digit.map), digit);
}

/// The bin of a lead.
fn binOf(lead: u32, digit: Digit) -> u32 {
  let within = clamp(lead, digit.least, digit.most) - digit.least;
  return min(((within >> digit.shift) * digit.factor) >> 16u, RADIX - 1u);
}
