// The survey of no key, and of the keys of two surveys.

fn nothing() -> Partial {
  return Partial(~Key(), Key(), Key(), ~Key());
}

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
