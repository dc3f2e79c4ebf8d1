// The batches of a hybrid sort: hybrid/sample.wgsl says what they are.
//
// Reads: KEY_WORDS, BUCKETS; Key of fragments/order.wgsl.
// Defines: Batch, leadOf, batchCount, shiftOf.

/// Keys [first, end) of the caller's buffer.
struct Batch {
  first: u32,
  end: u32,
}

/// The word of a key that has the number of its bucket.
fn leadOf(word: Key) -> u32 {
//#if KEY_WORDS == 1
  return word;
//#else
  return word.y;
//#end
}

/// The number of batches.
fn batchCount(batchBuckets: u32) -> u32 {
  return (BUCKETS + batchBuckets - 1u) / batchBuckets;
}

/// The lowest bit of a bucket's number in the word that `leadOf` returns.
fn shiftOf(bucketShift: u32) -> u32 {
  return bucketShift - 32u * (KEY_WORDS - 1u);
}
