// What is known of some keys, and how a workgroup puts together what its threads know.
//
// Workgroup storage: 16 × KEY_WORDS × THREADS bytes. Barriers: before each halving of the tree, whose inputs
// other threads wrote.

struct KeyRange {
  smallest: Key,
  largest: Key,
  anyBits: Key,
  allBits: Key,
}

var<workgroup> threadRanges: array<KeyRange, THREADS>;

/// Of no key.
fn emptyRange() -> KeyRange {
  return KeyRange(~Key(), Key(), Key(), ~Key());
}

/// Of the keys of both.
fn joinRanges(a: KeyRange, b: KeyRange) -> KeyRange {
//#if KEY_WORDS == 1
  return KeyRange(min(a.smallest, b.smallest), max(a.largest, b.largest), a.anyBits | b.anyBits, a.allBits & b.allBits);
//#else
  return KeyRange(
    select(a.smallest, b.smallest, isLess(b.smallest, a.smallest)),
    select(a.largest, b.largest, isLess(a.largest, b.largest)),
    a.anyBits | b.anyBits,
    a.allBits & b.allBits,
  );
//#end
}

/// Of the keys of all threads: right in thread 0.
fn joinWorkgroup(thread: u32, seen: KeyRange) -> KeyRange {
  threadRanges[thread] = seen;
  for (var half = THREADS / 2u; half > 0u; half /= 2u) {
    workgroupBarrier();
    if (thread < half) {
      threadRanges[thread] = joinRanges(threadRanges[thread], threadRanges[thread + half]);
    }
  }
  return threadRanges[0];
}
