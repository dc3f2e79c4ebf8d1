// Cells of a batch: how the range of its words is cut. Whole functions:
// hybrid/batch-sort.wgsl.
//
// Reads: `plan`; minus and isLess of fragments/order.wgsl; CELLS, KEY_WORDS; with COUNTED CELL_BITS
// and BUCKET_BITS; otherwise `scanState`, batchesAt and BATCH_WORDS of fragments/scan-state.wgsl,
// wordAtLead and lastAtLead of fragments/batch-items.wgsl.
// Defines: Cut, cutOf, cellOf.
// Barriers: none.

/// How the range of a batch is cut: cell = ((word - base) >> shift) × factor >> 16.
struct Cut {
  /// The least word and the largest one of the batch, as the map has them: a word beyond the bits
  /// that make its lead may be less or more.
  base: Key,
  last: Key,
  shift: u32,
  factor: u32,
}

/// How the range of a batch is cut.
//#if COUNTED
fn cutOf(batch: u32) -> Cut {
  let span = plan.batchBuckets << BUCKET_BITS;
  let lowest = batch * span;
  let highest = lowest + min(span - 1u, ~lowest);
  let bits = 32u - countLeadingZeros(span - 1u);
  let shift = max(bits, CELL_BITS) - CELL_BITS;
//#if KEY_WORDS == 1
  return Cut(lowest, highest, shift, 1u << 16u);
//#else
  return Cut(vec2u(0u, lowest), vec2u(~0u, highest), 32u + shift, 1u << 16u);
//#end
}
//#else
fn cutOf(batch: u32) -> Cut {
  let at = batchesAt(plan.count) + BATCH_WORDS * batch;
  let least = atomicLoad(&scanState[at + 2u]);
  let most = least + atomicLoad(&scanState[at + 3u]);
  let scale = atomicLoad(&scanState[at + 4u]);
  let map = plan.map;
  return Cut(
    wordAtLead(least, map),
    lastAtLead(most, map),
    scale >> 26u,
    scale & 0x3ffffffu,
  );
}
//#end

/// The cell of a word; of one beyond the range the first or the last.
fn cellOf(word: Key, cut: Cut) -> u32 {
//#if KEY_WORDS == 1
  let within = (clamp(word, cut.base, cut.last) - cut.base) >> cut.shift;
  return min((within * cut.factor) >> 16u, CELLS - 1u);
//#else
  let above = minus(word, cut.base);
  // A shift by 32 would be one by 0: the upper word is moved in two steps.
  let bits = cut.shift & 31u;
  let low = (above.x >> bits) | ((above.y << (31u - bits)) << 1u);
  let within = select(low, above.y >> bits, cut.shift > 31u);
  let cell = min((within * cut.factor) >> 16u, CELLS - 1u);
  return select(select(cell, CELLS - 1u, isLess(cut.last, word)), 0u, isLess(word, cut.base));
//#end
}
