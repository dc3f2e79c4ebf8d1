// Short sort: short segments of any lengths, in place, in the registers of a subgroup. It takes the
// windows that segments/even-sort.wgsl does not: those that are too uneven, or that it refused.
//
// In and out: `keys`, raw bits, and `values`. Input: the end of `windows` of segments/windows.wgsl,
// and those that were refused; `marks`. A workgroup is one subgroup; a window has equally many
// slots for each segment if there are enough, else its segments are sorted together
// (fragments/short-window.wgsl). Any number of workgroups; workgroup g takes windows g, g + groups,
// g + 2 × groups, …
// Memory: reads and writes each key and value once, 8 × (KEY_WORDS + VALUE_WORDS) bytes a record;
// PLACED, reads each key once more.
//
// Phases, for each window:
//   1. Find out where the segments begin (fragments/window-starts.wgsl).
//   2. Load the keys as words, in the order of memory, and deal them to lanes through `pool`. Slots
//      without a key get the largest word.
//   3. Sort items (fragments/bitonic.wgsl): the number of the segment, the word, and the slot.
//   4. Write. PLACED: the slots lead to keys and values (ties keep their order); else the words are
//      the keys.
//
// Workgroup storage: that of fragments/short-window.wgsl, and 16 bytes.
// Barriers: between two uses of it by different threads, as noted.

//#include fragments/order.wgsl
//#include fragments/segment-state.wgsl
//#include fragments/short-window.wgsl

@group(0) @binding(0) var<uniform> order: Order;
@group(1) @binding(0) var<storage, read> state: array<u32>;
@group(1) @binding(1) var<storage, read> marks: array<u32>;
@group(1) @binding(2) var<storage, read> windows: array<Window>;
@group(1) @binding(3) var<storage, read_write> refused: array<u32>;
@group(2) @binding(0) var<storage, read_write> keys: array<Key>;
//#if VALUE_WORDS > 0
@group(2) @binding(1) var<storage, read_write> values: array<Value>;
//#end

const LARGEST = Key(~0u);

/// The window that is sorted, for all lanes to read; one of no keys after the last.
var<workgroup> taken: Window;

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

//#include fragments/subgroup-entry.wgsl
fn sortShort(
  @builtin(subgroup_invocation_id) lane: u32,
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
) {
  let mine = lane * KEYS;
  let ownAt = lane * (KEYS + 1u);
  let atLane = lane + lane / KEYS;
  for (var index = group.x; ; index += groups.x) {
    if (lane == 0u) {
      let length = arrayLength(&windows);
      let mixed = min(state[MIXED_AT], length);
      taken = Window();
      if (REFUSED_AT == 0u && index < mixed) {
        taken = windows[length - 1u - index];
      } else {
        let number = index - select(mixed, 0u, REFUSED_AT > 0u);
        if (number < refused[REFUSED_AT]) {
          taken = windows[refused[2u + number]];
        }
      }
    }
    let window = workgroupUniformLoad(&taken);
    if (window.count == 0u) {
      break;
    }
    let isMixed = window.slots * window.segments > SHORT;
    let slots = window.slots;
    let slotBits = firstTrailingBit(slots);

    // 1. Segments.
//#include fragments/window-starts.wgsl

    // 2. Load. Elsewhere any key will do: WGSL keeps the access within the binding.
    let first = state[FIRST_AT] + window.first;
//#unroll i in KEYS
    let place_i = placeOf(i * SUBGROUP_SIZE + lane, slots, slotBits);
    let key_i = keys[first + place_i];
//#end
//#unroll i in KEYS
    var word_i = wordOf(key_i, order);
//#if PLACED
//#if KEY_WORDS == 1
    word_i = clampWord(word_i, order) & order.mask.x;
//#else
    word_i = clampWord(word_i, order) & order.mask;
//#end
//#end
    word_i = select(word_i, LARGEST, place_i == NOWHERE);
//#if KEY_WORDS == 1
    pool[dealt(i, atLane)] = word_i;
//#else
    pool[dealt(i, atLane)] = word_i.x;
    pool[dealt(i, atLane) + ROW] = word_i.y;
//#end
//#end
    workgroupBarrier(); // the words are there

    // 3. Sort.
    // The last segment that begins at a slot or before it, counted from 0.
    let latest = select(0u, before - 1u, isMixed);
    let begun = select(0u, bits, isMixed);
//#unroll i in KEYS
    let segment_i = latest + countOneBits(begun & (~0u >> (31u - i)));
//#if KEY_WORDS == 1
    let own_i = pool[ownAt + i];
//#else
    let own_i = vec2u(pool[ownAt + i], pool[ownAt + i + ROW]);
//#end
    var item_i = itemOf(segment_i, own_i, mine + i);
//#end
//#include fragments/bitonic.wgsl

    // 4. Write.
    workgroupBarrier(); // the words are read
//#unroll i in KEYS
//#if PLACED
    pool[ownAt + i] = slotAt(item_i.x & (SHORT - 1u));
//#else
    let sorted_i = wordIn(item_i);
//#if KEY_WORDS == 1
    pool[ownAt + i] = sorted_i;
//#else
    pool[ownAt + i] = sorted_i.x;
    pool[ownAt + i + ROW] = sorted_i.y;
//#end
//#end
//#end
    workgroupBarrier(); // words or slots are there, in order
//#unroll i in KEYS
    let to_i = placeOf(i * SUBGROUP_SIZE + lane, slots, slotBits);
//#end
//#if PLACED
//#unroll i in KEYS
    let from_i = pool[dealt(i, atLane)];
    let raw_i = keys[first + to_i];
//#end
    workgroupBarrier(); // the slots are read
//#unroll i in KEYS
//#if KEY_WORDS == 1
    pool[dealt(i, atLane)] = raw_i;
//#else
    pool[dealt(i, atLane)] = raw_i.x;
    pool[dealt(i, atLane) + ROW] = raw_i.y;
//#end
//#end
    workgroupBarrier(); // the keys are there
//#unroll i in KEYS
    if (to_i != NOWHERE) {
//#if KEY_WORDS == 1
      keys[first + to_i] = pool[from_i];
//#else
      keys[first + to_i] = vec2u(pool[from_i], pool[from_i + ROW]);
//#end
    }
//#end
//#if VALUE_WORDS > 0
//#unroll i in KEYS
    let value_i = values[first + to_i];
//#end
    workgroupBarrier(); // the keys are read
//#include fragments/window-values.wgsl
//#end
//#else
//#unroll i in KEYS
    if (to_i != NOWHERE) {
//#if KEY_WORDS == 1
      keys[first + to_i] = bitsOf(pool[dealt(i, atLane)], order);
//#else
      let word = vec2u(pool[dealt(i, atLane)], pool[dealt(i, atLane) + ROW]);
      keys[first + to_i] = bitsOf(word, order);
//#end
    }
//#end
//#end
    workgroupBarrier(); // pool and starts are free
  }
}
