// What some keys have in common, and how a workgroup joins what its threads know.
//
// Reads: KEY_WORDS, THREADS; Key, and with two words a key isLess, of fragments/order.wgsl.
// Defines: KeyRange, threadRanges, emptyRange, joinRanges, joinWorkgroup.
// Workgroup storage: `threadRanges`, 16 × KEY_WORDS × THREADS bytes. Barriers: before each halving
// of the tree, which reads ranges that other threads wrote.

/// Smallest and largest word of some keys, and the bits that are set in any and in all of them.
struct KeyRange {
  smallest: Key,
  largest: Key,
  anyBits: Key,
  allBits: Key,
}

var<workgroup> threadRanges: array<KeyRange, THREADS>;

/// The range of no key.
fn emptyRange() -> KeyRange {
  return KeyRange(~Key(), Key(), Key(), ~Key());
}

/// The range of the keys of both.
fn joinRanges(a: KeyRange, b: KeyRange) -> KeyRange {
//#if KEY_WORDS == 1
  return KeyRange(
    min(a.smallest, b.smallest),
    max(a.largest, b.largest),
    a.anyBits | b.anyBits,
    a.allBits & b.allBits
  );
//#else
  return KeyRange(
    select(a.smallest, b.smallest, isLess(b.smallest, a.smallest)),
    select(a.largest, b.largest, isLess(a.largest, b.largest)),
    a.anyBits | b.anyBits,
    a.allBits & b.allBits,
  );
//#end
}

/// The range of the keys of all threads; right in thread 0 alone.
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
