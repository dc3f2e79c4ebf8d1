// Thinned sweep: what sweeps do about heavy values (fragments/heavy-values.wgsl). The first sweep
// leaves their keys out but for one of each value (DROPS); the last one leaves room for the others
// (SHIFTS). For chained-scan/sweep.wgsl.
//
// Reads: DROPS, SHIFTS, THREADS, RADIX, HEAVY_SLOTS; HEAVY_PLACES_AT of fragments/scan-state.wgsl;
// Digit and digitIn of fragments/aligned-digit.wgsl; `order`, `plan`, `scanState`, `targetKeys`,
// `pool`.
// Defines: DROPS: loadHeavyTable, moveOneOfEach; SHIFTS: placeAfterCopies.
// Workgroup storage: DROPS: HEAVY_SLOTS words of `pool`, behind the counters. Barriers: none.

//#if DROPS
//#include fragments/heavy-values.wgsl

/// Brings the table, if there is any, to the pool, where a tile's keys take its place. A barrier
/// has to follow.
fn loadHeavyTable(thread: u32) {
  if (plan.heavy.count == 0u) {
    return;
  }
  for (var slot = thread; slot < HEAVY_SLOTS; slot += THREADS) {
    atomicStore(&pool[RADIX + slot], plan.heavy.table[slot]);
  }
}

/// Moves one key of each heavy value to the target of the first pass; one workgroup does so.
fn moveOneOfEach(thread: u32, starts: u32, digit: Digit, targetOffset: u32) {
  for (var at = thread; at < plan.heavy.count; at += THREADS) {
    let word = plan.heavy.words[at];
    let to = atomicAdd(&scanState[starts + digitIn(word, order, digit)], 1u);
    targetKeys[targetOffset + to] = word;
  }
}
//#end
//#if SHIFTS
/// Where a word goes that would go to `place` if no keys were left out; `value` is its digit in the
/// last pass. Notes the place, less `targetOffset`, of one that is heavy.
fn placeAfterCopies(word: u32, value: u32, place: u32, targetOffset: u32) -> u32 {
  var below = plan.heavy.firsts[value];
  let end = plan.heavy.firsts[value + 1u];
  var high = end;
  while (below < high) {
    let middle = (below + high) / 2u;
    if (plan.heavy.words[middle] < word) {
      below = middle + 1u;
    } else {
      high = middle;
    }
  }
  let to = place + plan.heavy.starts[below];
  if (below < end && plan.heavy.words[below] == word) {
    atomicStore(&scanState[HEAVY_PLACES_AT + below], to - targetOffset);
  }
  return to;
}
//#end
