// Items: what a batch is sorted as, in the storage of a workgroup.
//
// Without values an item is the word of a key. With values it is how far the word is above the
// smallest one of the batch, and in the bits below that the record's place in the batch: so no two
// items are equal, and the order is stable.
//
// Reads: SLOTS, MARGIN, KEY_WORDS, VALUE_WORDS, PLACE_BITS, MAPPED; Key, Map, minus and isLess of
// fragments/order.wgsl; `pool`.
// Defines: Item, FIRST, LAST, slotAt, putSlot, itemAt, putItem, isAfter, wordIn; with values
// fitsItem, itemOf, placeIn; MAPPED: wordAtLead, lastAtLead.

//#if KEY_WORDS == 1
alias Item = u32;

const FIRST = 0u;
const LAST = ~0u;

fn slotAt(slot: u32) -> Item {
  return atomicLoad(&pool[slot]);
}

fn putSlot(slot: u32, item: Item) {
  atomicStore(&pool[slot], item);
}

fn isAfter(a: Item, b: Item) -> bool {
  return a > b;
}
//#else
alias Item = vec2u;

const FIRST = vec2u(0u);
const LAST = vec2u(~0u);

fn slotAt(slot: u32) -> Item {
  return vec2u(atomicLoad(&pool[slot]), atomicLoad(&pool[SLOTS + slot]));
}

fn putSlot(slot: u32, item: Item) {
  atomicStore(&pool[slot], item.x);
  atomicStore(&pool[SLOTS + slot], item.y);
}

fn isAfter(a: Item, b: Item) -> bool {
  return a.y > b.y || (a.y == b.y && a.x > b.x);
}
//#end

/// Slots begin MARGIN places before the batch.
fn itemAt(place: u32) -> Item {
  return slotAt(MARGIN + place);
}

fn putItem(place: u32, item: Item) {
  putSlot(MARGIN + place, item);
}

//#if VALUE_WORDS > 0
/// Whether there is room in an item for how far a word is above the least one of its batch.
fn fitsItem(word: Key, base: Key) -> bool {
  let above = minus(word, base);
//#if KEY_WORDS == 1
  return above >> (32u - PLACE_BITS) == 0u;
//#else
  // A word with other bits in front of its lead may be so far below that the difference is small.
  return above.y >> (32u - PLACE_BITS) == 0u && !isLess(word, base);
//#end
}

/// The item of the record at `place` of its batch, whose word is `above` the least one.
fn itemOf(above: Key, place: u32) -> Item {
//#if KEY_WORDS == 1
  return (above << PLACE_BITS) | place;
//#else
  let highest = (above.y << PLACE_BITS) | (above.x >> (32u - PLACE_BITS));
  return vec2u((above.x << PLACE_BITS) | place, highest);
//#end
}
//#end

/// The word of an item of a batch whose least word is `base`.
fn wordIn(item: Item, base: Key) -> Key {
//#if VALUE_WORDS == 0
  return item;
//#else
//#if KEY_WORDS == 1
  return base + (item >> PLACE_BITS);
//#else
  let above = vec2u((item.x >> PLACE_BITS) | (item.y << (32u - PLACE_BITS)), item.y >> PLACE_BITS);
  return minus(above, minus(vec2u(0u), base));
//#end
//#end
}

//#if MAPPED
/// The least word with a lead.
fn wordAtLead(lead: u32, map: Map) -> Key {
//#if KEY_WORDS == 1
  return lead;
//#else
  if (map.tail == 32u) {
    return vec2u(0u, lead);
  }
  let above = (lead >> (31u - map.tail)) >> 1u;
  return vec2u(lead << map.tail, (map.prefix << map.tail) | above);
//#end
}

/// The largest word with a lead.
//#if KEY_WORDS == 1
fn lastAtLead(lead: u32, map: Map) -> Key {
  return lead;
}
//#else
fn lastAtLead(lead: u32, map: Map) -> Key {
  // A shift by 32 would be one by 0.
  let tail = select((1u << (map.tail & 31u)) - 1u, ~0u, map.tail == 32u);
  return wordAtLead(lead, map) | vec2u(tail, 0u);
}
//#end
//#end

//#if VALUE_WORDS > 0
/// The place of an item in its batch.
fn placeIn(item: Item) -> u32 {
//#if KEY_WORDS == 1
  return item & ((1u << PLACE_BITS) - 1u);
//#else
  return item.x & ((1u << PLACE_BITS) - 1u);
//#end
}
//#end
