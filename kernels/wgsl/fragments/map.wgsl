// The monotone map of a hybrid sort: from a key to one of RADIX buckets that have about as many
// keys each, whatever the distribution of the keys. hybrid/sample.wgsl makes it.
//
// A key's lead is its word, or of two words the 32 bits from the highest one on in which keys
// differ. Its position is how far the lead is above the least one, without the widest gap between
// leads. Positions are cut into MAP_CELLS cells of equal width, and each cell into buckets of equal
// width, by the share of keys that it has. An entry of the table has the first bucket of a cell,
// and the width in buckets, in 1/256 of a bucket, 16 bits each.
//
// As many cells as banks: no two lanes that read the table disturb each other.
//
// Reads: KEY_WORDS, MAP_CELLS; Key, Map of fragments/order.wgsl; MAP_AT of
// fragments/scan-state.wgsl; `scanState`.
// Defines: mapCells, loadMapCells, leadOf, positionOf, leadAt, fractionOf,
// bucketOf.
// Workgroup storage: 4 × MAP_CELLS bytes. Barriers: none.

var<workgroup> mapCells: array<u32, MAP_CELLS>;

/// Brings the table to the workgroup's storage; a barrier has to follow.
fn loadMapCells(thread: u32) {
  if (thread < MAP_CELLS) {
    mapCells[thread] = atomicLoad(&scanState[MAP_AT + thread]);
  }
}

/// The lead of a word: of a larger one never a smaller lead.
//#if KEY_WORDS == 1
fn leadOf(word: Key, map: Map) -> u32 {
  return word;
}
//#else
fn leadOf(word: Key, map: Map) -> u32 {
  if (map.tail == 32u) {
    return word.y;
  }
  // A shift by 32 would be one by 0: the upper word is moved in two steps.
  let lead = (word.x >> map.tail) | ((word.y << (31u - map.tail)) << 1u);
  let prefix = word.y >> map.tail;
  return select(select(lead, ~0u, prefix > map.prefix), 0u, prefix < map.prefix);
}
//#end

/// The position of a lead.
fn positionOf(lead: u32, map: Map) -> u32 {
  return clamp(lead, map.least, map.below) + clamp(lead, map.above, map.most)
    - (map.least + map.above);
}

/// The lead of a position.
fn leadAt(position: u32, map: Map) -> u32 {
  let lead = map.least + position;
  return select(lead, lead + (map.above - map.below), lead >= map.below);
}

/// A position as a fraction of all, of 2^32.
fn fractionOf(position: u32, map: Map) -> u32 {
  return (position >> map.shift) * map.factor;
}

/// The bucket of a lead: of a larger one never a smaller bucket.
fn bucketOf(lead: u32, map: Map) -> u32 {
  if (map.isLinear == 1u) {
    // There is no gap, and the table is not needed: a third less to compute.
    return fractionOf(clamp(lead, map.least, map.most) - map.least, map) >> 24u;
  }
  let fraction = fractionOf(positionOf(lead, map), map);
  let entry = mapCells[fraction >> 27u];
  return (entry + ((fraction >> 11u) & 0xffffu) * (entry & 0xffffu)) >> 24u;
}
