// First keys: brings the first keys of each row to its front, in order. The others follow in any
// order, which is the same in every run. For example, with two wanted, 5, 3, 4, 9 becomes
// 3, 4, 5, 9.
//
// In and out: `keys`, raw bits, and `values`. Input: the caller's segments, and `cuts` of
// segments/cut-rows.wgsl. LEVEL 0: rows of at most SHORT_ROW keys, of which at most SHORT_FIRST are
// wanted. LEVEL 1: other rows, and parts of long ones. LEVEL 2: long rows, whose parts have their
// first keys at the front, which are the keys that may be wanted. INDEXED: `values` of the keys
// that are wanted become their places; levels 0 and 1.
// Any number of workgroups. Workgroup g looks at segments g, g + groups, g + 2 × groups, …, LOOKS
// at a time, finds those that are its level's, and then takes one row after the other.
// Memory: reads each key once, 4 × KEY_WORDS bytes; for each wanted key, reads and writes two
// records, itself and the one in its place.
//
// Phases, for each row, of k keys that are wanted:
//   1. Find a bound, a key that at least k keys are not after: the k-th of the smallest keys of
//      as many groups as have room, or more than 2k. Most keys come after it, if k is small.
//   2. Keep the keys up to the bound, THREADS × KEYS at a time. If too many are kept, or there are
//      no more keys, sort those, and keep k; the last of them is the new bound. What comes later
//      and is equal is after it.
//   3. Move the first k to the front. What was there goes where they come from: each key follows
//      the places that lead out of the front.
//
// Workgroup storage: that of fragments/kept-sort.wgsl, 8 × LOOKS bytes, and 32.
// Barriers: between two uses of the storage by different threads, as noted; one for the buffers,
// before rows change.

//#include fragments/order.wgsl
//#include fragments/command-numbers.wgsl

@group(0) @binding(0) var<uniform> order: Order;

//#include fragments/first-rows.wgsl

@group(2) @binding(9) var<storage, read_write> keys: array<Key>;
//#if VALUE_WORDS > 0
@group(2) @binding(10) var<storage, read_write> values: array<Value>;
//#end

const LARGEST = Key(~0u);
const NOWHERE = ~0u;

/// How many keys of a row are kept.
var<workgroup> kept: atomic<u32>;
/// The same, for all threads to read.
var<workgroup> held: u32;
/// The rows that the workgroup has to do with, of those that it has looked at.
var<workgroup> chosen: array<Row, LOOKS>;
var<workgroup> chosenCount: atomic<u32>;
/// Parts or long rows, for all threads to read.
var<workgroup> listed: u32;

/// Whether key a is after key b: words, and places in the row.
fn isLater(a: Key, placeOfA: u32, b: Key, placeOfB: u32) -> bool {
//#if KEY_WORDS == 1
  return a > b || (a == b && placeOfA > placeOfB);
//#else
  return isLess(b, a) || (all(a == b) && placeOfA > placeOfB);
//#end
}

fn lesser(a: Key, b: Key) -> Key {
//#if KEY_WORDS == 1
  return min(a, b);
//#else
  return select(a, b, isLess(b, a));
//#end
}

/// The word that decides of a key's raw bits.
fn decisive(key: Key) -> Key {
//#if KEY_WORDS == 1
  return clampWord(wordOf(key, order), order) & order.mask.x;
//#else
  return clampWord(wordOf(key, order), order) & order.mask;
//#end
}

//#include fragments/kept-sort.wgsl

/// Where in the buffers a key of a row is. Of a long one only the fronts of its parts count.
fn locate(row: Row, place: u32, rows: Rows) -> u32 {
//#if LEVEL == 2
  return row.first + (place / rows.wanted) * rows.part + place % rows.wanted;
//#else
  return row.first + place;
//#end
}

/// The keys of a row whose first ones are wanted.
fn lengthOf(row: Row, rows: Rows) -> u32 {
//#if LEVEL == 2
  return (row.count / rows.part) * rows.wanted + min(row.count % rows.part, rows.wanted);
//#else
  return row.count;
//#end
}

/// Whether a row that is not cut is of this level.
fn isOwn(row: Row, rows: Rows) -> bool {
  let isShort = row.count <= SHORT_ROW && rows.wanted <= SHORT_FIRST;
//#if LEVEL == 0
  return row.count > 0u && isShort;
//#else
  return row.count > 0u && row.count <= rows.part && !isShort;
//#end
}

@compute @workgroup_size(THREADS)
fn takeFirst(
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
) {
  let rows = allRows();
//#if LEVEL == 0
  if (group.x == 0u && thread < 2u) {
    atomicStore(&counters[thread], 0u); // for segments/cut-rows.wgsl, which comes next
  }
  let total = rows.count;
//#else
  let length = arrayLength(&cuts);
  if (thread == 0u) {
//#if LEVEL == 1
    listed = min(atomicLoad(&counters[PARTS_AT]), length - MAX_LONGS);
//#else
    listed = min(atomicLoad(&counters[LONGS_AT]), MAX_LONGS);
//#end
  }
//#if LEVEL == 1
  let total = rows.count + workgroupUniformLoad(&listed);
//#else
  let total = workgroupUniformLoad(&listed);
//#end
//#end
  for (var taken = group.x; taken < total; taken += groups.x * LOOKS) {
    if (thread == 0u) {
      atomicStore(&chosenCount, 0u);
    }
    workgroupBarrier(); // nothing is chosen yet
    let number = taken + thread * groups.x;
    if (thread < LOOKS && number < total) {
//#if LEVEL == 0
      let row = rowOf(number, rows);
      let isChosen = isOwn(row, rows);
//#end
//#if LEVEL == 1
      let isCut = number >= rows.count;
      var row = Row();
      if (isCut) {
        row = cuts[number - rows.count];
      } else {
        row = rowOf(number, rows);
      }
      let isChosen = isCut || isOwn(row, rows);
//#end
//#if LEVEL == 2
      let row = cuts[length - 1u - number];
      let isChosen = true;
//#end
      if (isChosen) {
        chosen[atomicAdd(&chosenCount, 1u)] = row;
      }
    }
    workgroupBarrier(); // all are looked at
    if (thread == 0u) {
      held = atomicLoad(&chosenCount);
    }
    let rowCount = workgroupUniformLoad(&held);
    for (var index = 0u; index < rowCount; index += 1u) {
      let row = workgroupUniformLoad(&chosen[index]);
      let count = lengthOf(row, rows);
      let wanted = min(rows.wanted, count);
      // More are sorted before the next chunk: the bound becomes better.
      let room = min(max(4u * wanted, MIN_ROOM), CAPACITY);
      var bound = LARGEST;
      var boundPlace = ~0u;
      if (thread == 0u) {
        atomicStore(&kept, 0u);
      }
      workgroupBarrier(); // nothing is kept yet
      for (var base = 0u; base < count; base += THREADS * KEYS) {
//#unroll i in KEYS
        let place_i = base + i * THREADS + thread;
        let key_i = keys[locate(row, min(place_i, count - 1u), rows)];
//#end
//#unroll i in KEYS
        let word_i = decisive(key_i);
//#end

        // 1. Find a bound.
        // Groups of a thread: more than 2 × wanted in all.
        var own = 1u;
        while (own * THREADS < 2u * wanted) {
          own *= 2u;
        }
        if (base == 0u && 4u * wanted <= count && own <= KEYS / 2u && own * THREADS <= CAPACITY) {
//#unroll i in KEYS
          var least_i = select(LARGEST, word_i, place_i < count);
//#end
//#if KEYS > 8
          if (own <= 8u) {
//#pairs low high in KEYS by 8
            least_low = lesser(least_low, least_high);
//#end
          }
//#end
          if (own <= 4u) {
//#pairs low high in KEYS by 4
            least_low = lesser(least_low, least_high);
//#end
          }
          if (own <= 2u) {
//#pairs low high in KEYS by 2
            least_low = lesser(least_low, least_high);
//#end
          }
          if (own == 1u) {
//#pairs low high in KEYS by 1
            least_low = lesser(least_low, least_high);
//#end
          }
//#unroll i in KEYS
          if (i < own) {
            words[slotOf(i * THREADS + thread)] = least_i;
            found[slotOf(i * THREADS + thread)] = 0u;
          }
//#end
          sortKept(thread, own * THREADS);
          bound = words[slotOf(wanted - 1u)];
          workgroupBarrier(); // the bound is read
        }

        // 2. Keep the keys that don't come after the bound.
        var pending = 0u;
//#unroll i in KEYS
        pending |= select(1u << i, 0u, isLater(word_i, place_i, bound, boundPlace));
        pending &= select(~(1u << i), ~0u, place_i < count);
//#end
        loop {
          if (pending != 0u) {
//#unroll i in KEYS
            if ((pending & (1u << i)) != 0u) {
              let slot = atomicAdd(&kept, 1u);
              if (slot < CAPACITY) {
                words[slotOf(slot)] = word_i;
                found[slotOf(slot)] = place_i;
                pending &= ~(1u << i);
              }
            }
//#end
          }
          workgroupBarrier(); // all have tried
          if (thread == 0u) {
            held = atomicLoad(&kept);
          }
          let tried = workgroupUniformLoad(&held);
          if (tried <= room && base + THREADS * KEYS < count) {
            break;
          }
          // Too many, or all.
          sortKept(thread, min(tried, CAPACITY));
          bound = words[slotOf(wanted - 1u)];
          boundPlace = found[slotOf(wanted - 1u)];
//#unroll i in KEYS
          pending &= select(~0u, ~(1u << i), isLater(word_i, place_i, bound, boundPlace));
//#end
          if (thread == 0u) {
            atomicStore(&kept, wanted);
          }
          workgroupBarrier(); // the bound is read, and there is room again
          if (tried <= CAPACITY) {
            break;
          }
        }
      }

      // 3. Move. The words are not needed any more: they say which places of the front stay.
//#unroll j in MOVES
      let to_j = j * THREADS + thread;
      if (to_j < wanted) {
        words[slotOf(to_j)] = Key(0u);
      }
//#end
      workgroupBarrier(); // none is known to stay
//#unroll j in MOVES
      let from_j = found[slotOf(min(to_j, wanted - 1u))];
      if (to_j < wanted && from_j < wanted) {
        words[slotOf(from_j)] = Key(1u);
      }
//#end
      workgroupBarrier(); // all that stay are known
//#unroll j in MOVES
      let keyAt_j = locate(row, min(to_j, wanted - 1u), rows);
      let newAt_j = locate(row, from_j, rows);
      let newKey_j = keys[newAt_j];
      let oldKey_j = keys[keyAt_j];
//#if VALUE_WORDS > 0
//#if INDEXED
      let newValue_j = newAt_j;
//#else
      let newValue_j = values[newAt_j];
      let oldValue_j = values[keyAt_j];
//#end
//#end
      var oldAt_j = NOWHERE;
      if (to_j < wanted && wide(words[slotOf(min(to_j, wanted - 1u))]).x == 0u) {
        var place = from_j;
        while (place < wanted) {
          place = found[slotOf(place)];
        }
        oldAt_j = locate(row, place, rows);
      }
//#end
      storageBarrier(); // all keys and values are read
//#unroll j in MOVES
      if (to_j < wanted) {
        keys[keyAt_j] = newKey_j;
//#if VALUE_WORDS > 0
        values[keyAt_j] = newValue_j;
//#end
      }
      if (oldAt_j != NOWHERE) {
        keys[oldAt_j] = oldKey_j;
//#if VALUE_WORDS > 0
//#if INDEXED == 0
        values[oldAt_j] = oldValue_j;
//#end
//#end
      }
//#end
      workgroupBarrier(); // the storage is free
    }
    workgroupBarrier(); // the rows are taken
  }
}
