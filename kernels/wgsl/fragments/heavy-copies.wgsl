// Heavy copies: writes the keys that the sweeps have left out, beside the one of each value that
// they have moved (fragments/heavy-values.wgsl). For hybrid/batch-sort.wgsl.
//
// Input: `plan.heavy`; the places of the values in `scanState`.
// Output: `keys`, raw bits. Any number of workgroups, which share the copies evenly.
// Memory: writes each copy once, 4 bytes.
//
// Reads: THREADS, HEAVY_SLOTS; HEAVY_PLACES_AT of fragments/scan-state.wgsl; bitsOf of
// fragments/order.wgsl; `order`, `plan`, `scanState`, `keys`.
// Defines: writeHeavyCopies.

fn writeHeavyCopies(thread: u32, group: u32, groups: u32) {
  let copies = plan.heavy.starts[plan.heavy.count];
  let share = (copies + groups - 1u) / groups;
  let end = min((group + 1u) * share, copies);
  var at = group * share + thread;
  if (at >= end) {
    return;
  }
  // The value of the first copy. Values past the last one have all copies before them.
  var value = 0u;
  for (var step = HEAVY_SLOTS / 2u; step > 0u; step /= 2u) {
    value += select(0u, step, plan.heavy.starts[value + step] <= at);
  }
  while (at < end) {
    while (plan.heavy.starts[value + 1u] <= at) {
      value += 1u;
    }
    let start = plan.heavy.starts[value];
    let valueEnd = min(end, plan.heavy.starts[value + 1u]);
    let place = atomicLoad(&scanState[HEAVY_PLACES_AT + value]);
    let first = plan.offset + place + 1u - start;
    let bits = bitsOf(plan.heavy.words[value], order);
    for (; at < valueEnd; at += THREADS) {
      keys[first + at] = bits;
    }
  }
}
