// Words of splitters: how keys are compared with them, and how they grow digit by digit. Whole
// functions: regular-sampling/sort-buckets.wgsl.
//
// Reads: `order`, `splitterWords`; tiedWord of fragments/ties.wgsl; with KEY_WORDS 2
// isLess of fragments/order.wgsl; RADIX_BITS.
// Defines: decisive, isBelow, hasPrefix, withDigit, splitterOf.
// Barriers: none.

/// The bits of a word that decide the order.
fn decisive(word: Key) -> Key {
//#if KEY_WORDS == 1
  return tiedWord(word, order) & order.mask.x;
//#else
  return tiedWord(word, order) & order.mask;
//#end
}

//#if KEY_WORDS == 1
fn isBelow(a: Key, b: Key) -> bool {
  return a < b;
}

fn hasPrefix(word: Key, prefix: Key, shift: u32) -> bool {
  return ((word ^ prefix) >> shift) >> RADIX_BITS == 0u;
}

fn withDigit(prefix: Key, digit: u32, shift: u32) -> Key {
  return prefix | (digit << shift);
}

fn splitterOf(which: u32) -> Key {
  return atomicLoad(&splitterWords[2u * which]);
}
//#else
fn isBelow(a: Key, b: Key) -> bool {
  return isLess(a, b);
}

fn hasPrefix(word: Key, prefix: Key, shift: u32) -> bool {
  let other = word ^ prefix;
  let high = ((other.y >> (shift & 31u)) >> (RADIX_BITS - 1u)) >> 1u == 0u;
  let low = other.y == 0u && ((other.x >> (shift & 31u)) >> (RADIX_BITS - 1u)) >> 1u == 0u;
  return select(low, high, shift > 31u);
}

fn withDigit(prefix: Key, digit: u32, shift: u32) -> Key {
  let moved = digit << (shift & 31u);
  return prefix | select(vec2u(moved, 0u), vec2u(0u, moved), vec2<bool>(shift > 31u));
}

fn splitterOf(which: u32) -> Key {
  return vec2u(
    atomicLoad(&splitterWords[2u * which]),
    atomicLoad(&splitterWords[2u * which + 1u]),
  );
}
//#end
