// Three counts in a word: digits 0 and 1 in 11 bits each, digit 2 in the 10 above. Digit 3 is
// implied. Where all 1,024 keys of a tile have digit 2, its count does not fit. As no count before
// the last key is that great, only a sum of all keys can be wrong; then no key has digit 3, whose
// start alone depends on it.
//
// Reads: params.shift; loadKey of fragments/layouts.wgsl. Defines: digitOf, countItems, countsOf.

fn digitOf(key: u32) -> u32 {
  return (key >> params.shift) & 3u;
}

/// The packed counts of keys [items.x, items.y).
fn countItems(items: vec2u) -> u32 {
  var packed = 0u;
  for (var i = items.x; i < items.y; i++) {
    packed += vec4u(1u, 1u << 11u, 1u << 22u, 0u)[digitOf(loadKey(i))];
  }
  return packed;
}

/// The counts of all four digits, of `total` keys together.
fn countsOf(packed: u32, total: u32) -> vec4u {
  let counted = vec3u(packed & 2047u, (packed >> 11u) & 2047u, packed >> 22u);
  return vec4u(counted, total - counted.x - counted.y - counted.z);
}
