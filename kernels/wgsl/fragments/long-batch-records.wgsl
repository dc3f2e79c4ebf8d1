// Where the records of a long batch are, and what a workgroup keeps while it sorts one: for
// fragments/long-batches.wgsl.
//
// Reads: RADIX, COUNTER_ROWS, VALUE_WORDS; Key and Value of fragments/order.wgsl; STATUSES_AT of
// fragments/scan-state.wgsl; Batch of fragments/batches.wgsl; `plan`, `keys`, `scratchKeys`,
// `values`, `scratchValues`.
// Defines: STARTS_AT, BASES_AT, LONG_WORDS, current, isShared, shared_, longAt, wordAt, putWord;
// with values valueAt, putValue.
// Workgroup storage: 16 bytes. Barriers: none.

/// Parts of the pool, of long batches: behind the counters of the rank.
const STARTS_AT = COUNTER_ROWS * RADIX;
const BASES_AT = STARTS_AT + RADIX;
const LONG_WORDS = BASES_AT + RADIX;

/// The long batch that is sorted.
var<workgroup> current: Batch;
/// 1 where all of its keys have the same digit.
var<workgroup> isShared: atomic<u32>;
/// The same, for all threads to read.
var<workgroup> shared_: u32;

/// Where the `index`th long batch of a workgroup is noted: not beyond the place of its own number.
fn longAt(index: u32, group: u32, groups: u32, batches: u32) -> u32 {
  return STATUSES_AT + batches + 1u + group + index * groups;
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
