// The batches of a hybrid sort whose histogram decides. Its buckets have the keys that are equal in
// BUCKET_BITS bits, the highest ones; a batch is a number of neighbouring buckets.
//
// Reads: KEY_WORDS, RADIX, BUCKETS, BUCKET_BITS, BATCH_AIM, STATUS_TILE, PLACE_BITS; Key of
// fragments/order.wgsl.
// Defines: highestWord, batchCount, bucketsOfBatch.

/// The word of a key that has the number of its bucket.
fn highestWord(word: Key) -> u32 {
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

/// How many neighbouring buckets make a batch, if nearly all batches fit a workgroup's storage.
fn bucketsOfBatch(count: u32, lowest: u32, highest: u32) -> u32 {
  let keys = f32(count);
  // How much fuller than all the fullest bucket is, if the two digits do not depend on each other;
  // and how much it is among keys that are evenly spread.
  let fullness = (f32(lowest) * f32(RADIX) / keys) * (f32(highest) * f32(RADIX) / keys);
  let chance = 1.0 + 3.2 * sqrt(f32(RADIX) / keys);
  let factor = select(fullness, 1.0, fullness < 1.02 * chance * chance);
  let fitting = u32(f32(BATCH_AIM) * f32(BUCKETS) / (keys * factor));
  // The statuses of a tile have room for RADIX / 2 batches.
  let room = (count + STATUS_TILE - 1u) / STATUS_TILE * (RADIX / 2u) - 1u;
  // With values, an item has a word within the batch and a place.
  let distinct = max(1u, (1u << (31u - PLACE_BITS)) >> (BUCKET_BITS - 1u));
  return max(min(fitting, min(distinct, BUCKETS)), (BUCKETS + room - 1u) / room);
}
