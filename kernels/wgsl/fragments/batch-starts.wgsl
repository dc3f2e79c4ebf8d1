// Batch starts: where the batches of a hybrid sort begin, after both of its sweeps. For
// chained-scan/sweep.wgsl: the third sweep of a hybrid sort, which has nothing to move, finds them.
//
// Input: `sourceKeys`, words, in the order of their buckets; the digit starts of `scanState`;
// `plan`.
// Output: `scanState`: the starts, and the end of the last batch. Any number of workgroups; a
// thread a start.
// Memory: a search over the keys of one digit for each start, three of them at a time.
//
// Reads: THREADS, RADIX, RADIX_BITS; `sourceKeys`, `scanState`, `plan`, `order`; tiedWord of
// fragments/ties.wgsl; highestWord and batchCount of fragments/batches.wgsl.
// Defines: findBatchStarts (and isBelow).

/// 1 where the key at `at` is of an earlier bucket than `bucket`.
fn isBelow(at: u32, bucket: u32) -> u32 {
  let own = highestWord(tiedWord(sourceKeys[plan.offset + at], order)) >> BUCKET_BITS;
  return select(0u, 1u, own < bucket);
}

/// Finds the starts of batches `first`, `first` + `step`, …
fn findBatchStarts(first: u32, step: u32) {
  let batches = batchCount(plan.batchBuckets);
  for (var batch = first; batch <= batches; batch += step) {
    let bucket = batch * plan.batchBuckets;
    // The first key of this bucket or a later one, among those of its higher digit, or the next.
    let digit = bucket >> RADIX_BITS;
    var low = plan.count;
    var high = plan.count;
    if (digit < RADIX) {
      low = atomicLoad(&scanState[DIGIT_STARTS_AT + RADIX + digit]);
    }
    if (digit + 1u < RADIX) {
      high = atomicLoad(&scanState[DIGIT_STARTS_AT + RADIX + digit + 1u]);
    }
    while (low < high) {
      // The last keys of three parts, whose loads do not wait for each other.
      let part = (high - low + 3u) / 4u;
      let last = vec3u(low, low + part, low + 2u * part) + part - 1u;
      let within = min(last, vec3u(high - 1u));
      let below = vec3u(
        isBelow(within.x, bucket),
        isBelow(within.y, bucket),
        isBelow(within.z, bucket)
      );
      // All keys may be below: the first part that is not, or the fourth.
      let parts = below.x + below.y + below.z;
      low = min(high, low + parts * part);
      if (parts < 3u) {
        high = min(high, low + part - 1u);
      }
    }
    atomicStore(&scanState[STATUSES_AT + batch], low);
  }
}
