// Bucket rooms: where scratch has the keys of each bucket, between the two splits of a hybrid sort.
//
// A bucket has a room in scratch. Of records with values it's as large as the bucket. Without
// values it's about as large, because only some keys were counted: then a bucket may leave part of
// its room empty, or spill the keys that find no room, which are kept in `scanState`. That saves
// most of a read of all keys, and few are spilled: COUNTED_KEYS of map-stages.ts.
//
// Reads: RADIX, KEY_WORDS, VALUE_WORDS; fragments/scan-state.wgsl; `plan`, `scanState`; Key of
// fragments/order.wgsl.
// Defines: roomEnd, keysOf, keptEnd, isGivenUp; without values spilledKeys, spill, spilledKey.

/// The first place after the room of a bucket.
fn roomEnd(bucket: u32) -> u32 {
  if (bucket + 1u == RADIX) {
    return plan.count;
  }
  return atomicLoad(&scanState[BUCKET_STARTS_AT + bucket + 1u]);
}

/// How many keys a bucket has, after the first split.
fn keysOf(bucket: u32) -> u32 {
  let start = atomicLoad(&scanState[BUCKET_STARTS_AT + bucket]);
//#if VALUE_WORDS > 0
  return roomEnd(bucket) - start;
//#else
  return atomicLoad(&scanState[DIGIT_STARTS_AT + bucket]) - start;
//#end
}

/// Where the keys end that a bucket has in its room.
fn keptEnd(bucket: u32) -> u32 {
  let start = atomicLoad(&scanState[BUCKET_STARTS_AT + bucket]);
  return min(start + keysOf(bucket), roomEnd(bucket));
}

//#if VALUE_WORDS > 0
/// Whether more keys were spilled than there is room for.
fn isGivenUp() -> bool {
  return false;
}
//#else
/// How many keys were spilled.
fn spilledKeys() -> u32 {
  return atomicLoad(&scanState[SPILLED_AT]);
}

/// Whether more keys were spilled than there is room for. The caller's keys are still as they were.
fn isGivenUp() -> bool {
  return spilledKeys() > spillRoom(plan.count) / KEY_WORDS;
}

/// Notes a word as number `at` of those that are spilled.
fn spill(word: Key, at: u32) {
  if (at < spillRoom(plan.count) / KEY_WORDS) {
//#if KEY_WORDS == 1
    atomicStore(&scanState[STATUSES_AT + at], word);
//#else
    atomicStore(&scanState[STATUSES_AT + 2u * at], word.x);
    atomicStore(&scanState[STATUSES_AT + 2u * at + 1u], word.y);
//#end
  }
}

/// Number `at` of the words that were spilled.
fn spilledKey(at: u32) -> Key {
//#if KEY_WORDS == 1
  return atomicLoad(&scanState[STATUSES_AT + at]);
//#else
  return vec2u(
    atomicLoad(&scanState[STATUSES_AT + 2u * at]),
    atomicLoad(&scanState[STATUSES_AT + 2u * at + 1u]),
  );
//#end
}
//#end
