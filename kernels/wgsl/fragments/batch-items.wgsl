// Items: what a batch is sorted as, in the storage of a workgroup.
//
// Without values an item is the word of a key. With values it is how far the word is above the
// smallest one of the batch, and in the bits below that the record's place in the batch: so no two
// items are equal, and the order is stable.
//
// Reads: BATCH, KEY_WORDS, VALUE_WORDS, PLACE_BITS; Key of fragments/order.wgsl; `pool`.
// Defines: Item, LAST, itemAt, putItem, isAfter, itemOf, wordIn; with values placeIn.

//#if KEY_WORDS == 1
alias Item = u32;

const LAST = ~0u;

fn itemAt(place: u32) -> Item {
  return atomicLoad(&pool[place]);
}

fn putItem(place: u32, item: Item) {
  atomicStore(&pool[place], item);
}

fn isAfter(a: Item, b: Item) -> bool {
  return a > b;
}
//#else
alias Item = vec2u;

const LAST = vec2u(~0u);

fn itemAt(place: u32) -> Item {
  return vec2u(atomicLoad(&pool[place]), atomicLoad(&pool[BATCH + place]));
}

fn putItem(place: u32, item: Item) {
  atomicStore(&pool[place], item.x);
  atomicStore(&pool[BATCH + place], item.y);
}

fn isAfter(a: Item, b: Item) -> bool {
  return a.y > b.y || (a.y == b.y && a.x > b.x);
}
//#end

/// The item of a word whose highest word is `above` the batch's smallest one.
fn itemOf(word: Key, above: u32, place: u32) -> Item {
//#if VALUE_WORDS == 0
  return word;
//#else
//#if KEY_WORDS == 1
  return (above << PLACE_BITS) | place;
//#else
  let highest = (above << PLACE_BITS) | (word.x >> (32u - PLACE_BITS));
  return vec2u((word.x << PLACE_BITS) | place, highest);
//#end
//#end
}

/// The word of an item of a batch whose smallest highest word is `lowest`.
fn wordIn(item: Item, lowest: u32) -> Key {
//#if VALUE_WORDS == 0
  return item;
//#else
//#if KEY_WORDS == 1
  return lowest + (item >> PLACE_BITS);
//#else
  return vec2u(
    (item.x >> PLACE_BITS) | (item.y << (32u - PLACE_BITS)),
    lowest + (item.y >> PLACE_BITS),
  );
//#end
//#end
}

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
