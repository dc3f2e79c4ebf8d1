// Short sort: short segments in place, in the registers of a subgroup, by a bitonic network.
//
// In and out: `keys`, raw bits, and `values`. Input: `windows` of segments/windows.wgsl, and
// `marks`. A subgroup has SHORT = SUBGROUP_SIZE × KEYS slots, KEYS to a lane. SUBGROUPS windows a
// workgroup; workgroup g = x + y × groups in x takes windows SUBGROUPS × g and so on.
// Segments of about the same length get equally many slots each, a power of two, and the network
// ends with blocks of so many. Of others all keys of a window are sorted together, with the
// number of the segment above the key.
// Memory: reads and writes each value once, and each key once or, PLACED, reads it twice.
//
// Phases:
//   1. Find out where the segments begin. Each lane looks at the marks of KEYS keys.
//   2. Load the keys as words, in the order of memory, and deal them to lanes through `pool`.
//      Slots without a key get the largest word.
//   3. Sort: NARROW, a word a key; else items, a word between the number of a segment and a place.
//      In each level of the network blocks of `size` become sorted, alternately up and down: what
//      goes down is complemented, so that all comparisons are alike.
//   4. Write. PLACED: the places lead to keys and values (ties keep their order); else the words
//      are the keys.
//
// Workgroup storage: 4 × SUBGROUPS × (KEY_WORDS × (SHORT + SUBGROUP_SIZE) + SHORT / 4 + 2) bytes,
// and 4 without SUBGROUP_ID. Barriers: between two uses of it by different threads, as noted; of the
// workgroup, as the language has none of a subgroup.
// Source: Batcher, "Sorting networks and their applications", 1968.

//#include fragments/order.wgsl
//#include fragments/segment-state.wgsl
//#include fragments/lanes.wgsl

@group(0) @binding(0) var<uniform> order: Order;
@group(1) @binding(0) var<storage, read> state: array<u32>;
@group(1) @binding(1) var<storage, read> marks: array<u32>;
@group(1) @binding(2) var<storage, read> windows: array<Window>;
@group(2) @binding(0) var<storage, read_write> keys: array<Key>;
//#if VALUE_WORDS > 0
@group(2) @binding(1) var<storage, read_write> values: array<Value>;
//#end

/// Words of a subgroup in `pool`, for each word of a key: slots, and one free word a lane, so that
/// lanes find theirs in different banks.
const ROW = SHORT + SUBGROUP_SIZE;
/// Most segments of the same number of slots, and one more.
const STARTS = SHORT / 4u + 2u;

var<workgroup> pool: array<u32, SUBGROUPS * KEY_WORDS * ROW>;
/// Where segments begin in their window, and where the last one ends.
var<workgroup> starts: array<u32, SUBGROUPS * STARTS>;

/// Where a slot is in `pool`.
fn slotAt(row: u32, slot: u32) -> u32 {
  return row + slot + slot / KEYS;
}

fn putWord(row: u32, slot: u32, word: Key) {
//#if KEY_WORDS == 1
  pool[slotAt(row, slot)] = word;
//#else
  pool[slotAt(row, slot)] = word.x;
  pool[slotAt(row, slot) + ROW] = word.y;
//#end
}

fn wordAt(row: u32, slot: u32) -> Key {
//#if KEY_WORDS == 1
  return pool[slotAt(row, slot)];
//#else
  return vec2u(pool[slotAt(row, slot)], pool[slotAt(row, slot) + ROW]);
//#end
}

const LARGEST = Key(~0u);

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

/// The smallest power of two that is not below `count`, and at least 4.
fn slotsFor(count: u32) -> u32 {
  return 1u << (32u - countLeadingZeros(max(count, 4u) - 1u));
}

//#include fragments/subgroup-entry.wgsl
fn sortShort(
//#include fragments/subgroup-thread.wgsl
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
) {
  let index = SUBGROUPS * (workgroup.x + workgroup.y * workgroups.x);
  var most = Window();
//#unroll r in SUBGROUPS
  if (index + r < arrayLength(&windows)) {
    let window_r = windows[index + r];
    most.count = max(most.count, window_r.count);
    most.segments = max(most.segments, window_r.segments);
    most.longest = max(most.longest, window_r.longest);
  }
//#end
  // One key is in order.
  if (most.longest < 2u) {
    return;
  }
//#if SUBGROUP_ID == 0
  let number = subgroupNumber(lane);
//#end
  var slots = slotsFor(most.longest);
  let isMixed = slots * most.segments > SHORT;
  if (isMixed) {
    slots = slotsFor(most.count);
  }
  let slotBits = firstTrailingBit(slots);

  // 1. Segments.
  var window = Window();
  if (index + number < arrayLength(&windows)) {
    window = windows[index + number];
  }
  let row = number * KEY_WORDS * ROW;
  let startsAt = number * STARTS;
  let mine = lane * KEYS;
  let markAt = window.first + mine;
  let markShift = markAt & 31u;
  let within = max(window.count, mine) - mine;
  var bits = 0u;
  if (within > 0u) {
    bits = marks[markAt >> 5u] >> markShift;
    // A shift by 32 would be one by 0: the next word is moved in two steps.
    bits |= (marks[min((markAt >> 5u) + 1u, arrayLength(&marks) - 1u)] << (31u - markShift)) << 1u;
    bits &= ~0u >> (32u - min(within, KEYS));
  }
  let before = subgroupExclusiveAdd(countOneBits(bits));
  if (isMixed) {
    if (lane == 0u) {
      starts[startsAt] = 0u;
      starts[startsAt + 1u] = window.count;
    }
  } else {
    var at = startsAt + before;
    for (var rest = bits; rest != 0u; rest &= rest - 1u) {
      starts[at] = mine + firstTrailingBit(rest);
      at += 1u;
    }
    if (lane == 0u) {
      starts[startsAt + window.segments] = window.count;
    }
  }
  let blocks = select(window.segments, min(window.count, 1u), isMixed);
  workgroupBarrier(); // the starts are there

  // 2. Load.
  let first = state[FIRST_AT] + window.first;
//#unroll i in KEYS
  let slot_i = i * SUBGROUP_SIZE + lane;
  let block_i = slot_i >> slotBits;
  let place_i = startOf(startsAt, block_i, blocks) + (slot_i & (slots - 1u));
  let isKey_i = block_i < blocks && place_i < startOf(startsAt, block_i + 1u, blocks);
//#end
//#unroll i in KEYS
  var word_i = LARGEST;
  if (isKey_i) {
    word_i = wordOf(keys[first + place_i], order);
//#if PLACED
//#if KEY_WORDS == 1
    word_i = clampWord(word_i, order) & order.mask.x;
//#else
    word_i = clampWord(word_i, order) & order.mask;
//#end
//#end
  }
//#end
//#unroll i in KEYS
  putWord(row, slot_i, word_i);
//#end
  workgroupBarrier(); // the words are there

  // 3. Sort.
//#if NARROW
  if (isMixed) {
//#end
    var segment = before + select(0u, ~0u, isMixed);
    if (!isMixed) {
      segment = 0u;
    }
    var item: array<Item, KEYS>;
//#unroll i in KEYS
    if (isMixed) {
      segment += (bits >> i) & 1u;
    }
    item[i] = itemOf(segment, wordAt(row, mine + i), mine + i);
//#end
    for (var size = 2u; size <= slots; size *= 2u) {
//#unroll i in KEYS
      item[i] ^= Item(turned(mine + i, size, slots));
//#end
      for (var step = size / 2u; step >= KEYS; step /= 2u) {
        let isLower = (mine & step) == 0u;
//#unroll i in KEYS
        {
          let other = subgroupShuffleXor(item[i], step / KEYS);
          item[i] = select(item[i], other, isAfter(item[i], other) == isLower);
        }
//#end
      }
//#unroll w in LOG_KEYS
      if (size > (1u << (LOG_KEYS - 1u - w))) {
        const step = 1u << (LOG_KEYS - 1u - w);
//#unroll j in HALF_KEYS
        {
          const low = 2u * j - j % step;
          let swaps = isAfter(item[low], item[low + step]);
          let smaller = select(item[low], item[low + step], swaps);
          item[low + step] = select(item[low + step], item[low], swaps);
          item[low] = smaller;
        }
//#end
      }
//#end
    }
    workgroupBarrier(); // the words are read
//#unroll i in KEYS
//#if PLACED
    pool[slotAt(row, mine + i)] = item[i].x & (SHORT - 1u);
//#else
    putWord(row, mine + i, wordIn(item[i]));
//#end
//#end
//#if NARROW
  } else {
    var item: array<u32, KEYS>;
//#unroll i in KEYS
    item[i] = wordAt(row, mine + i);
//#end
    for (var size = 2u; size <= slots; size *= 2u) {
//#unroll i in KEYS
      item[i] ^= turned(mine + i, size, slots);
//#end
      for (var step = size / 2u; step >= KEYS; step /= 2u) {
        let isLower = (mine & step) == 0u;
//#unroll i in KEYS
        {
          let other = subgroupShuffleXor(item[i], step / KEYS);
          item[i] = select(max(item[i], other), min(item[i], other), isLower);
        }
//#end
      }
//#unroll w in LOG_KEYS
      if (size > (1u << (LOG_KEYS - 1u - w))) {
        const step = 1u << (LOG_KEYS - 1u - w);
//#unroll j in HALF_KEYS
        {
          const low = 2u * j - j % step;
          let smaller = min(item[low], item[low + step]);
          item[low + step] = max(item[low], item[low + step]);
          item[low] = smaller;
        }
//#end
      }
//#end
    }
    workgroupBarrier(); // the words are read
//#unroll i in KEYS
    pool[slotAt(row, mine + i)] = item[i];
//#end
  }
//#end
  workgroupBarrier(); // words or places are there, in order

  // 4. Write.
//#if PLACED
//#unroll i in KEYS
  let from_i = pool[slotAt(row, slot_i)];
//#end
  workgroupBarrier(); // the places are read
//#unroll i in KEYS
  if (isKey_i) {
    putWord(row, slot_i, keys[first + place_i]);
  }
//#end
  workgroupBarrier(); // the keys are there
//#unroll i in KEYS
  if (isKey_i) {
    keys[first + place_i] = wordAt(row, from_i);
  }
//#end
//#if VALUE_WORDS > 0
  workgroupBarrier(); // the keys are read
//#if VALUE_WORDS == 1
//#unroll i in KEYS
  if (isKey_i) {
    pool[slotAt(row, slot_i)] = values[first + place_i];
  }
//#end
  workgroupBarrier(); // the values are there
//#unroll i in KEYS
  if (isKey_i) {
    values[first + place_i] = pool[slotAt(row, from_i)];
  }
//#end
//#else
//#unroll i in KEYS
  var value_i = Value();
  if (isKey_i) {
    value_i = values[first + place_i];
    pool[slotAt(row, slot_i)] = value_i.x;
  }
//#end
  workgroupBarrier(); // the low words are there
//#unroll i in KEYS
  let low_i = pool[slotAt(row, from_i)];
//#end
  workgroupBarrier(); // and read
//#unroll i in KEYS
  pool[slotAt(row, slot_i)] = value_i.y;
//#end
  workgroupBarrier(); // the high words are there
//#unroll i in KEYS
  if (isKey_i) {
    values[first + place_i] = vec2u(low_i, pool[slotAt(row, from_i)]);
  }
//#end
//#end
//#end
//#else
//#unroll i in KEYS
  if (isKey_i) {
    keys[first + place_i] = bitsOf(wordAt(row, slot_i), order);
  }
//#end
//#end
}

/// Where the keys of a block begin in the window; past the last one, where its keys end.
fn startOf(startsAt: u32, block: u32, blocks: u32) -> u32 {
  return starts[startsAt + min(block, blocks)];
}

/// All ones where a slot's item has to be complemented before the level of `size`: if it goes down
/// in this level or did in the one before, but not in both. In the last level all go up.
fn turned(slot: u32, size: u32, slots: u32) -> u32 {
  let now = select(slot & size, 0u, size == slots);
  let before = select((slot << 1u) & size, 0u, size == 2u);
  return select(0u, ~0u, now != before);
}
