// Short sort: short segments in place, in the registers of a subgroup, by a bitonic network.
//
// In and out: `keys`, raw bits, and `values`. Input: `windows` of segments/windows.wgsl, NARROW
// those at the front of the list, else those at its end; and `marks`. A workgroup is one subgroup,
// and has SHORT = SUBGROUP_SIZE × KEYS slots, KEYS to a lane. Any number of workgroups, which take
// every so many of the windows.
// Segments of about the same length get equally many slots each, a power of two, and the network
// ends with blocks of so many. Of others all keys of a window are sorted together, with the number
// of the segment above the key.
// Memory: reads and writes each value once, and each key once or, PLACED, reads it twice.
//
// Phases, for each window:
//   1. Find out where the segments begin. Each lane looks at the marks of KEYS keys.
//   2. Load the keys as words, in the order of memory, and deal them to lanes through `pool`.
//      Slots without a key get the largest word.
//   3. Sort: NARROW, a word a key; else items, a word between the number of a segment and a slot.
//      In each level of the network blocks of `size` become sorted, alternately up and down: what
//      goes down is complemented, so that all comparisons are alike.
//   4. Write. PLACED: the slots lead to keys and values (ties keep their order); else the words
//      are the keys.
//
// Workgroup storage: 4 × (KEY_WORDS × (SHORT + SUBGROUP_SIZE) + SHORT / 4 + 2) bytes.
// Barriers: between two uses of it by different threads, as noted.
// Source: Batcher, "Sorting networks and their applications", 1968.

//#include fragments/order.wgsl
//#include fragments/segment-state.wgsl

@group(0) @binding(0) var<uniform> order: Order;
@group(1) @binding(0) var<storage, read> state: array<u32>;
@group(1) @binding(1) var<storage, read> marks: array<u32>;
@group(1) @binding(2) var<storage, read> windows: array<Window>;
@group(2) @binding(0) var<storage, read_write> keys: array<Key>;
//#if VALUE_WORDS > 0
@group(2) @binding(1) var<storage, read_write> values: array<Value>;
//#end

/// Words in `pool`, for each word of a key: slots, and one free word a lane, so that lanes find
/// theirs in different banks.
const ROW = SHORT + SUBGROUP_SIZE;

var<workgroup> pool: array<u32, KEY_WORDS * ROW>;
/// Where segments begin in their window, and where the last one ends.
var<workgroup> starts: array<u32, SHORT / 4u + 2u>;

const LARGEST = Key(~0u);
const NOWHERE = ~0u;

/// Where a slot is in `pool`.
fn inPool(slot: u32) -> u32 {
  return slot + slot / KEYS;
}

fn putWord(slot: u32, word: Key) {
//#if KEY_WORDS == 1
  pool[inPool(slot)] = word;
//#else
  pool[inPool(slot)] = word.x;
  pool[inPool(slot) + ROW] = word.y;
//#end
}

fn wordAt(slot: u32) -> Key {
//#if KEY_WORDS == 1
  return pool[inPool(slot)];
//#else
  return vec2u(pool[inPool(slot)], pool[inPool(slot) + ROW]);
//#end
}

/// How slots are cut into blocks of segments.
struct Cut {
  blocks: u32,
  slots: u32,
  bits: u32,
}

/// The place in its window of the key that a slot gets, or NOWHERE.
fn placeOf(slot: u32, cut: Cut) -> u32 {
  let block = slot >> cut.bits;
  // After the last block, begin and end are where that ends.
  let place = starts[min(block, cut.blocks)] + (slot & (cut.slots - 1u));
  return select(NOWHERE, place, place < starts[min(block + 1u, cut.blocks)]);
}

//#if NARROW
alias Item = u32;
//#else
/// What is sorted if a word does not tell all: highest the number of the segment, then the word,
/// then the slot, which is below 2^SLOT_BITS; the lowest bits in x.
//#if KEY_WORDS == 1
alias Item = vec2u;

fn itemOf(segment: u32, word: Key, slot: u32) -> Item {
  let above = (segment << (32u - SLOT_BITS)) | (word >> (32u - SLOT_BITS));
  return vec2u((word << SLOT_BITS) | slot, above);
}

fn wordIn(item: Item) -> Key {
  return (item.x >> SLOT_BITS) | (item.y << (32u - SLOT_BITS));
}

fn isAfter(a: Item, b: Item) -> bool {
  return a.y > b.y || (a.y == b.y && a.x > b.x);
}
//#else
alias Item = vec3u;

fn itemOf(segment: u32, word: Key, slot: u32) -> Item {
  return vec3u(
    (word.x << SLOT_BITS) | slot,
    (word.y << SLOT_BITS) | (word.x >> (32u - SLOT_BITS)),
    (segment << (32u - SLOT_BITS)) | (word.y >> (32u - SLOT_BITS)),
  );
}

fn wordIn(item: Item) -> Key {
  return vec2u(
    (item.x >> SLOT_BITS) | (item.y << (32u - SLOT_BITS)),
    (item.y >> SLOT_BITS) | (item.z << (32u - SLOT_BITS)),
  );
}

fn isAfter(a: Item, b: Item) -> bool {
  return a.z > b.z || (a.z == b.z && (a.y > b.y || (a.y == b.y && a.x > b.x)));
}
//#end
//#end

/// Of KEYS slots from `mine` on, a bit for each that has bit `size`.
fn withBit(mine: u32, size: u32) -> u32 {
  if (size >= KEYS) {
    return select(0u, ~0u, (mine & size) != 0u);
  }
  return (~0u / ((1u << size) + 1u)) << size;
}

/// Of KEYS slots from `mine` on, a bit for each whose item has to be complemented before the level
/// of `size`: if it goes down in this level or did in the one before, but not in both. In the last
/// level all go up.
fn turnsOf(mine: u32, size: u32, slots: u32) -> u32 {
  let now = select(withBit(mine, size), 0u, size == slots);
  let before = select(withBit(mine, size / 2u), 0u, size == 2u);
  return now ^ before;
}

//#include fragments/subgroup-entry.wgsl
fn sortShort(
  @builtin(subgroup_invocation_id) lane: u32,
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
) {
  let mine = lane * KEYS;
  let length = arrayLength(&windows);
//#if NARROW
  let count = min(state[EVEN_AT], length);
//#else
  let count = min(state[MIXED_AT], length);
//#end
  for (var index = group.x; index < count; index += groups.x) {
//#if NARROW
    let window = windows[index];
//#else
    let window = windows[length - 1u - index];
//#end
    let isMixed = window.slots * window.segments > SHORT;
    let slots = window.slots;
    let cut = Cut(select(window.segments, 1u, isMixed), slots, firstTrailingBit(slots));

    // 1. Segments.
    let markAt = window.first + mine;
    let within = max(window.count, mine) - mine;
    var bits = 0u;
    if (within > 0u) {
      let next = marks[min((markAt >> 5u) + 1u, arrayLength(&marks) - 1u)];
      // A shift by 32 would be one by 0: the next word is moved in two steps.
      bits = (marks[markAt >> 5u] >> (markAt & 31u)) | ((next << (31u - (markAt & 31u))) << 1u);
      bits &= ~0u >> (32u - min(within, KEYS));
    }
    let before = subgroupExclusiveAdd(countOneBits(bits));
    if (!isMixed) {
      var at = before;
      for (var rest = bits; rest != 0u; rest &= rest - 1u) {
        starts[at] = mine + firstTrailingBit(rest);
        at += 1u;
      }
    }
    if (lane == 0u) {
      starts[0] = 0u;
      starts[cut.blocks] = window.count;
    }
    workgroupBarrier(); // the starts are there

    // 2. Load.
    let first = state[FIRST_AT] + window.first;
//#unroll i in KEYS
    let place_i = placeOf(i * SUBGROUP_SIZE + lane, cut);
    let key_i = keys[first + min(place_i, window.count - 1u)];
//#end
//#unroll i in KEYS
    {
      var word = wordOf(key_i, order);
//#if PLACED
//#if KEY_WORDS == 1
      word = clampWord(word, order) & order.mask.x;
//#else
      word = clampWord(word, order) & order.mask;
//#end
//#end
      putWord(i * SUBGROUP_SIZE + lane, select(word, LARGEST, place_i == NOWHERE));
    }
//#end
    workgroupBarrier(); // the words are there

    // 3. Sort.
//#if NARROW
//#unroll i in KEYS
    var item_i = wordAt(mine + i);
//#end
//#else
    // The last segment that begins at a slot or before it, counted from 0.
    let latest = select(0u, before - 1u, isMixed);
    let begun = select(0u, bits, isMixed);
//#unroll i in KEYS
    let segment_i = latest + countOneBits(begun & (~0u >> (31u - i)));
    var item_i = itemOf(segment_i, wordAt(mine + i), mine + i);
//#end
//#end
    for (var size = 2u; size <= slots; size *= 2u) {
      let turns = turnsOf(mine, size, slots);
//#unroll i in KEYS
      item_i ^= Item(u32(extractBits(i32(turns), i, 1u)));
//#end
      for (var step = size / 2u; step >= KEYS; step /= 2u) {
        let isLower = (mine & step) == 0u;
//#unroll i in KEYS
        {
          let other = subgroupShuffleXor(item_i, step / KEYS);
//#if NARROW
          item_i = select(max(item_i, other), min(item_i, other), isLower);
//#else
          item_i = select(item_i, other, isAfter(item_i, other) == isLower);
//#end
        }
//#end
      }
//#if KEYS > 16
      if (size > 16u) {
//#pairs low high in KEYS by 16
//#include fragments/exchange.wgsl
//#end
      }
//#end
//#if KEYS > 8
      if (size > 8u) {
//#pairs low high in KEYS by 8
//#include fragments/exchange.wgsl
//#end
      }
//#end
      if (size > 4u) {
//#pairs low high in KEYS by 4
//#include fragments/exchange.wgsl
//#end
      }
      if (size > 2u) {
//#pairs low high in KEYS by 2
//#include fragments/exchange.wgsl
//#end
      }
      if (size > 1u) {
//#pairs low high in KEYS by 1
//#include fragments/exchange.wgsl
//#end
      }
    }
    workgroupBarrier(); // the words are read
//#unroll i in KEYS
//#if NARROW
    putWord(mine + i, item_i);
//#else
//#if PLACED
    pool[inPool(mine + i)] = item_i.x & (SHORT - 1u);
//#else
    putWord(mine + i, wordIn(item_i));
//#end
//#end
//#end
    workgroupBarrier(); // words or slots are there, in order

    // 4. Write.
//#if PLACED
//#unroll i in KEYS
    let to_i = placeOf(i * SUBGROUP_SIZE + lane, cut);
    let from_i = pool[inPool(i * SUBGROUP_SIZE + lane)];
    let moved_i = keys[first + min(to_i, window.count - 1u)];
//#end
    workgroupBarrier(); // the slots are read
//#unroll i in KEYS
    putWord(i * SUBGROUP_SIZE + lane, moved_i);
//#end
    workgroupBarrier(); // the keys are there
//#unroll i in KEYS
    if (to_i != NOWHERE) {
      keys[first + to_i] = wordAt(from_i);
    }
//#end
//#if VALUE_WORDS > 0
//#unroll i in KEYS
    let value_i = values[first + min(to_i, window.count - 1u)];
//#end
    workgroupBarrier(); // the keys are read
//#unroll i in KEYS
//#if VALUE_WORDS == 1
    pool[inPool(i * SUBGROUP_SIZE + lane)] = value_i;
//#else
    pool[inPool(i * SUBGROUP_SIZE + lane)] = value_i.x;
//#end
//#end
    workgroupBarrier(); // the values are there, or their low words
//#if VALUE_WORDS == 1
//#unroll i in KEYS
    if (to_i != NOWHERE) {
      values[first + to_i] = pool[inPool(from_i)];
    }
//#end
//#else
//#unroll i in KEYS
    let low_i = pool[inPool(from_i)];
//#end
    workgroupBarrier(); // the low words are read
//#unroll i in KEYS
    pool[inPool(i * SUBGROUP_SIZE + lane)] = value_i.y;
//#end
    workgroupBarrier(); // the high words are there
//#unroll i in KEYS
    if (to_i != NOWHERE) {
      values[first + to_i] = vec2u(low_i, pool[inPool(from_i)]);
    }
//#end
//#end
//#end
//#else
//#unroll i in KEYS
    {
      let to = placeOf(i * SUBGROUP_SIZE + lane, cut);
      if (to != NOWHERE) {
        keys[first + to] = bitsOf(wordAt(i * SUBGROUP_SIZE + lane), order);
      }
    }
//#end
//#end
    workgroupBarrier(); // pool and starts are free
  }
}
