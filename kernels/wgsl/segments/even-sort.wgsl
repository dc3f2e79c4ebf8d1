// Even sort: short segments of about the same length, in place, a word a key, in the registers of a
// subgroup.
//
// In and out: `keys`, raw bits, and `values`. Input: as many of `windows` as the state says at
// LIST_AT (segments/windows.wgsl, segments/marks.wgsl), and `marks`. A workgroup is one subgroup; a
// window has equally many slots for each segment (fragments/short-window.wgsl). Any number of
// workgroups; workgroup g takes windows g, g + groups, g + 2 × groups, …
// Memory: reads and writes each key and value once, 8 × (KEY_WORDS + VALUE_WORDS) bytes a record.
//
// Without PLACED the word is the whole key. PLACED: it has the highest bits of how far a key is
// above the smallest one of the window, and below them its slot. Mostly those bits decide. If they
// do not, nothing is written, and the window's number goes to the list of `refused`, for
// segments/short-sort.wgsl.
//
// Phases, for each window:
//   1. Find out where the segments begin (fragments/window-starts.wgsl).
//   2. Load the keys, in the order of memory, and deal them to lanes through `pool`. Slots without
//      a key get the largest word.
//   3. Sort (fragments/bitonic.wgsl).
//   4. PLACED: look whether the words were right.
//   5. Write.
//
// Workgroup storage: that of fragments/short-window.wgsl, and 24 bytes.
// Barriers: between two uses of it by different threads, as noted.

//#include fragments/order.wgsl
//#include fragments/segment-state.wgsl
//#include fragments/short-window.wgsl

@group(0) @binding(0) var<uniform> order: Order;
@group(1) @binding(0) var<storage, read> state: array<u32>;
@group(1) @binding(1) var<storage, read> marks: array<u32>;
@group(1) @binding(2) var<storage, read> windows: array<Window>;
@group(1) @binding(3) var<storage, read_write> refused: array<atomic<u32>>;
@group(2) @binding(0) var<storage, read_write> keys: array<Key>;
//#if VALUE_WORDS > 0
@group(2) @binding(1) var<storage, read_write> values: array<Value>;
//#end

alias Item = u32;

const LARGEST = ~0u;

//#if PLACED
/// The lowest bits of a key that a word has no room for.
var<workgroup> lost: u32;
/// 1 where the words were not right.
var<workgroup> isRefused: u32;
//#end

/// The word that decides of a key's raw bits.
fn decisive(key: u32) -> u32 {
  return clampWord(wordOf(key, order), order) & order.mask.x;
}

//#include fragments/subgroup-entry.wgsl
fn sortEven(
  @builtin(subgroup_invocation_id) lane: u32,
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
) {
  let mine = lane * KEYS;
  let ownAt = lane * (KEYS + 1u);
  let atLane = lane + lane / KEYS;
  let count = min(state[LIST_AT], arrayLength(&windows));
  for (var index = group.x; index < count; index += groups.x) {
    let window = windows[index];
    let slots = window.slots;
    let slotBits = firstTrailingBit(slots);
    let isMixed = false;

    // 1. Segments.
//#include fragments/window-starts.wgsl

    // 2. Load. Elsewhere any key will do: WGSL keeps the access within the binding.
    let first = state[FIRST_AT] + window.first;
//#unroll i in KEYS
    let place_i = placeOf(i * SUBGROUP_SIZE + lane, slots, slotBits);
    let key_i = keys[first + place_i];
//#end
//#if PLACED
    var least = ~0u;
    var largest = 0u;
//#unroll i in KEYS
    if (place_i != NOWHERE) {
      least = min(least, decisive(key_i));
      largest = max(largest, decisive(key_i));
    }
    pool[dealt(i, atLane)] = key_i;
//#end
    least = subgroupMin(least);
    largest = subgroupMax(largest);
    // As many of the highest bits of the range as there is room for above the slot; one word is
    // larger than all of them.
    let rangeBits = 32u - countLeadingZeros(largest - least);
    let bitsLeft = 32u - SLOT_BITS;
    if (lane == 0u) {
      lost = max(rangeBits + 1u, bitsLeft) - bitsLeft;
    }
    let shift = workgroupUniformLoad(&lost); // a barrier: the keys are there
//#else
//#unroll i in KEYS
    pool[dealt(i, atLane)] = select(wordOf(key_i, order), LARGEST, place_i == NOWHERE);
//#end
    workgroupBarrier(); // the words are there
//#end

    // 3. Sort.
//#unroll i in KEYS
//#if PLACED
    let isKey_i = placeOf(mine + i, slots, slotBits) != NOWHERE;
    let above_i = (decisive(pool[ownAt + i]) - least) >> shift;
    var item_i = select(LARGEST, (above_i << SLOT_BITS) | (mine + i), isKey_i);
//#else
    var item_i = pool[ownAt + i];
//#end
//#end
//#include fragments/bitonic.wgsl

//#if PLACED
    // 4. Look.
//#unroll i in KEYS
    let moved_i = pool[slotAt(item_i & (SHORT - 1u))];
//#end
    if (shift > 0u) {
      var previous = 0u;
      var isWrong = false;
//#unroll i in KEYS
      {
        let word = select(decisive(moved_i), LARGEST, item_i == LARGEST);
        isWrong |= word < previous && (i > 0u) && ((mine + i) & (slots - 1u)) != 0u;
        previous = word;
      }
//#end
      // The first of a lane, and the last of the one before.
      let last = subgroupShuffle(previous, max(lane, 1u) - 1u);
      let word = select(decisive(moved_0), LARGEST, item_0 == LARGEST);
      isWrong |= word < last && (mine & (slots - 1u)) != 0u;
      let isAnyWrong = subgroupAny(isWrong);
      if (lane == 0u) {
        isRefused = select(0u, 1u, isAnyWrong);
      }
      if (workgroupUniformLoad(&isRefused) == 1u) {
        if (lane == 0u) {
          atomicStore(&refused[2u + atomicAdd(&refused[REFUSED_AT], 1u)], index);
        }
        continue;
      }
    }
    workgroupBarrier(); // the keys are read
//#unroll i in KEYS
    pool[ownAt + i] = moved_i;
//#end
//#else
//#unroll i in KEYS
    pool[ownAt + i] = item_i;
//#end
//#end
    workgroupBarrier(); // keys or words are there, in order

    // 5. Write.
//#unroll i in KEYS
    let to_i = placeOf(i * SUBGROUP_SIZE + lane, slots, slotBits);
    if (to_i != NOWHERE) {
//#if PLACED
      keys[first + to_i] = pool[dealt(i, atLane)];
//#else
      keys[first + to_i] = bitsOf(pool[dealt(i, atLane)], order);
//#end
    }
//#end
//#if VALUE_WORDS > 0
//#unroll i in KEYS
    let value_i = values[first + to_i];
//#end
    workgroupBarrier(); // the keys are read
//#unroll i in KEYS
    pool[ownAt + i] = slotAt(item_i & (SHORT - 1u));
//#end
    workgroupBarrier(); // it has slots, in order
//#unroll i in KEYS
    let from_i = pool[dealt(i, atLane)];
//#end
    workgroupBarrier(); // the slots are read
//#include fragments/window-values.wgsl
//#end
    workgroupBarrier(); // pool and starts are free
  }
}
