// Where the records of a long batch are, and what a workgroup keeps while it sorts one: for
// fragments/long-batches.wgsl.
//
// Reads: RADIX, COUNTER_ROWS, BALLOT_WORDS, VALUE_WORDS, COUNTED, BATCH_WORDS; Key and Value of
// fragments/order.wgsl; longBatchesAt of fragments/scan-state.wgsl, COUNTED STATUSES_AT, MAPPED
// batchesAt; `scanState`, `plan`, `keys`, `scratchKeys`, `values`, `scratchValues`.
// Defines: Batch, batchAt, STARTS_AT, BASES_AT, BALLOTS_AT, LONG_WORDS, current, differing,
// telling, longAt, wordAt, putWord; with values valueAt, putValue.
// Workgroup storage: 24 bytes. Barriers: none.

/// Parts of the pool while a long batch is sorted, after the counters of the rank. There are words
/// for ballots only without subgroups.
const STARTS_AT = COUNTER_ROWS * RADIX;
const BASES_AT = STARTS_AT + RADIX;
const BALLOTS_AT = BASES_AT + RADIX;
const LONG_WORDS = BALLOTS_AT + BALLOT_WORDS * RADIX;

/// The long batch that is sorted.
var<workgroup> current: Batch;
/// The bits in which its keys differ, of the low word and of the high one.
var<workgroup> differing: array<atomic<u32>, 2>;
/// The same, for all threads to read.
var<workgroup> telling: vec2u;

/// Keys [first, end) of the caller's buffer.
struct Batch {
  first: u32,
  end: u32,
}

/// The keys of a batch.
fn batchAt(batch: u32) -> Batch {
//#if COUNTED
  return Batch(
    plan.offset + atomicLoad(&scanState[STATUSES_AT + batch]),
    plan.offset + atomicLoad(&scanState[STATUSES_AT + batch + 1u]),
  );
//#else
  let at = batchesAt(plan.count) + BATCH_WORDS * batch;
  let first = plan.offset + atomicLoad(&scanState[at]);
  return Batch(first, first + atomicLoad(&scanState[at + 1u]));
//#end
}

/// Where the `index`th long batch of a workgroup is noted: not beyond the place of its own number.
fn longAt(index: u32, group: u32, groups: u32, batches: u32) -> u32 {
  return longBatchesAt(plan.count, batches) + group + index * groups;
}

/// Word `at` of a long batch, which is in scratch after an odd number of digits.
fn wordAt(at: u32, first: u32, isInScratch: bool) -> Key {
  if (isInScratch) {
    return scratchKeys[first - plan.offset + at];
  }
  return keys[first + at];
}

fn putWord(at: u32, first: u32, isInScratch: bool, word: Key) {
  if (isInScratch) {
    scratchKeys[first - plan.offset + at] = word;
  } else {
    keys[first + at] = word;
  }
}

//#if VALUE_WORDS > 0
fn valueAt(at: u32, first: u32, isInScratch: bool) -> Value {
  if (isInScratch) {
    return scratchValues[first - plan.offset + at];
  }
  return values[first + at];
}

fn putValue(at: u32, first: u32, isInScratch: bool, value: Value) {
  if (isInScratch) {
    scratchValues[first - plan.offset + at] = value;
  } else {
    values[first + at] = value;
  }
}
//#end
