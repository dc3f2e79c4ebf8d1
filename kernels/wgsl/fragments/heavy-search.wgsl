// Heavy search: which values are heavy (fragments/heavy-values.wgsl), by the keys of the last
// workgroup of the sample and as many others. Part of a function: hybrid/sample.wgsl.
//
// A slot remembers the latest word that it has met. A word that it meets twice in a row becomes the
// slot's value, in place of an earlier one. A word of twice the frequency is met twice in a row
// four times as often, so the most frequent words are mostly the ones that stay.
//
// Input: `keys`; raw_0 to raw_(SAMPLE_KEYS - 1), the thread's own keys.
// Output: `plan.heavy`: the table, the values in order, and their number. The number stays 0 if too
// few keys of the sample have such a value for the sweeps to gain from it.
//
// Reads: thread, count, offset, order; `plan`, `keys`, `binMarks`, `keyMarks`, `meetings`,
// `leasts`, `scales`, `heavyFound`; wordOf of fragments/order.wgsl; placeOf; heavySlot and
// emptySlot of fragments/heavy-values.wgsl; SAMPLES, SAMPLE_KEYS, THREADS, HEAVY_SLOTS,
// HEAVY_PER_THREAD, HEAVY_DIVISOR.
// Defines: nothing. (Its names are in a block of their own.)
// Barriers: between the phases.

    // 1. Every slot is empty.
    for (var slot = thread; slot < HEAVY_SLOTS; slot += THREADS) {
      atomicStore(&binMarks[slot], emptySlot(slot));
      atomicStore(&keyMarks[slot], emptySlot(slot));
    }
    workgroupBarrier(); // the slots are empty
    // 2. Words that a slot meets twice in a row: first of the sample, then of other keys.
//#unroll i in SAMPLE_KEYS
    var met_i = raw_i;
//#end
    for (var round = 0u; round < 2u; round += 1u) {
      if (round == 1u) {
//#unroll i in SAMPLE_KEYS
        met_i = keys[offset + placeOf(i * THREADS + thread, max(count / SAMPLES, 1u), count)];
//#end
      }
//#unroll i in SAMPLE_KEYS
      let metWord_i = wordOf(met_i, order);
      let metSlot_i = heavySlot(metWord_i);
      if (atomicExchange(&binMarks[metSlot_i], metWord_i) == metWord_i) {
        atomicStore(&keyMarks[metSlot_i], metWord_i);
      }
//#end
    }
    workgroupBarrier(); // all slots have their values
    // 3. The table, the values in order, and how many keys have one. A thread has HEAVY_PER_THREAD
    // slots.
    var copies = 0u;
//#unroll i in SAMPLE_KEYS
    let own_i = wordOf(raw_i, order);
    copies += select(0u, 1u, atomicLoad(&keyMarks[heavySlot(own_i)]) == own_i);
//#end
    atomicAdd(&meetings[2], copies);
//#unroll h in HEAVY_PER_THREAD
    let slot_h = h * THREADS + thread;
    let value_h = atomicLoad(&keyMarks[min(slot_h, HEAVY_SLOTS - 1u)]);
    let isHeavy_h = slot_h < HEAVY_SLOTS && heavySlot(value_h) == slot_h;
    var below_h = 0u;
    if (slot_h < HEAVY_SLOTS) {
      plan.heavy.table[slot_h] = value_h;
      let word_h = select(~0u, value_h, isHeavy_h);
      if (slot_h < RADIX) {
        leasts[slot_h] = word_h;
      } else {
        scales[slot_h - RADIX] = word_h;
      }
    }
//#end
    workgroupBarrier(); // the values are there, and all keys are counted
    for (var other = 0u; other < RADIX; other += 1u) {
      let one = leasts[other];
      let another = scales[other];
//#unroll h in HEAVY_PER_THREAD
      below_h += select(0u, 1u, one < value_h) + select(0u, 1u, another < value_h);
//#end
    }
//#unroll h in HEAVY_PER_THREAD
    if (isHeavy_h) {
      plan.heavy.words[below_h] = value_h;
      atomicAdd(&heavyFound, 1u);
    }
//#end
    workgroupBarrier(); // all values are counted
    let found = atomicLoad(&heavyFound);
    for (var at = found + thread; at < HEAVY_SLOTS; at += THREADS) {
      plan.heavy.words[at] = ~0u;
    }
    if (thread == 0u && atomicLoad(&meetings[2]) * HEAVY_DIVISOR >= SAMPLES) {
      plan.heavy.count = found;
    }
