// What is known of some keys, and how a workgroup puts together what its threads know.
//
// Workgroup storage: 16 × KEY_WORDS × THREADS bytes. Barriers: before each halving of the tree, whose inputs
// other threads wrote.

struct Partial {
  smallest: Key,
  largest: Key,
  any: Key,
  all: Key,
}

var<workgroup> found: array<Partial, THREADS>;

/// Of no key.
fn nothing() -> Partial {
  return Partial(~Key(), Key(), Key(), ~Key());
}

/// Of the keys of both.
fn merged(a: Partial, b: Partial) -> Partial {
//#if KEY_WORDS == 1
  return Partial(min(a.smallest, b.smallest), max(a.largest, b.largest), a.any | b.any, a.all & b.all);
//#else
  return Partial(
    select(a.smallest, b.smallest, isLess(b.smallest, a.smallest)),
    select(a.largest, b.largest, isLess(a.largest, b.largest)),
    a.any | b.any,
    a.all & b.all,
  );
//#end
}

/// Of the keys of all threads: right in thread 0.
fn mergeWorkgroup(thread: u32, seen: Partial) -> Partial {
  found[thread] = seen;
  for (var half = THREADS / 2u; half > 0u; half /= 2u) {
    workgroupBarrier();
    if (thread < half) {
      found[thread] = merged(found[thread], found[thread + half]);
    }
  }
  return found[0];
}
