// Downsweep: every key and value to its place by the pass's digit, stably. The scatter of
// reduce-then-scan.
//
// Input: `sourceKeys`, raw bits in the first pass, words in later ones; `sourceValues`; `spine`,
// scanned, and after it the sum of each row; `plan`.
// Output: `targetKeys`, words, in the last pass raw bits; `targetValues`.
// One workgroup a block, tile by tile. Others return at once, and so do all in a pass that
// is not run.
// Memory: reads and writes every record once, 8 × (KEY_WORDS + VALUE_WORDS) bytes; unless
// MOVES_KEYS, reads every key once more, from the cache.
//
// Phases; 2 to 6 for each tile:
//   1. The place where the block's first key of each digit goes: `bases`.
//   2. Load the tile's keys.
//   3. Pre-sort the tile by the digit (fragments/presort.wgsl), so that keys of one digit are
//      neighbours and leave for neighbouring places.
//   4. Subtract from each digit's base the place of the digit's first key in the tile: base +
//      place in the tile is then the place in the target.
//   5. Scatter keys, then values.
//   6. Move each digit's base past its last key.
//
// MOVES_KEYS: 32-bit keys without values are pre-sorted themselves. All other records are
// represented by a word of the digit and the place in the tile, so that the pre-sort's cost does
// not grow with the record; keys and values are loaded again by that place. They stay in arrays of
// their own: structure of arrays (Ha, Krüger and Silva, 2.2, weigh it against the alternative).
// Interleaved records would save some 6 % between the first and the last pass (64-bit keys took
// 318 µs, pairs 338, for 2^24 on an NVIDIA H200), for two more kernels and two copies. An exchange
// through workgroup storage instead of the second load took 5 % less for 32-bit pairs and 10 % to
// 40 % more for 64-bit keys there, with twice the code.
//
// Workgroup storage: 4 × (TILE_WORDS + RADIX) bytes; see fragments/tile.wgsl for TILE_WORDS.
// Barriers, for each tile four and the ones of fragments/presort.wgsl: the tile before is scattered,
// so that its storage is free; the tile is there; all bases are relative; all bases are read.
// Source: Satish, Harris and Garland, "Designing efficient sorting algorithms for manycore GPUs",
// 4.2.

//#include fragments/order.wgsl

@group(0) @binding(0) var<uniform> order: Order;
@group(0) @binding(1) var<storage, read> plan: Plan;
@group(0) @binding(2) var<storage, read_write> spine: array<u32>;
@group(1) @binding(0) var<uniform> slot: u32;
@group(2) @binding(0) var<storage, read> sourceKeys: array<Key>;
@group(2) @binding(1) var<storage, read_write> targetKeys: array<Key>;
//#if VALUE_WORDS > 0
@group(2) @binding(2) var<storage, read> sourceValues: array<Value>;
@group(2) @binding(3) var<storage, read_write> targetValues: array<Value>;
//#end

/// Where the next key of each digit goes; in phase 5 less the place of its first key in the tile.
var<workgroup> bases: array<u32, RADIX>;

//#include fragments/tile.wgsl

@compute @workgroup_size(THREADS)
fn downsweep(
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) group: vec3u,
) {
  if (slot >= plan.passesRun || group.x >= plan.blocks) {
    return;
  }
  // 1. The bases. THREADS == RADIX: a thread a digit.
  let pass_ = plan.passes[slot];
  let isFirst = pass_.isFirst == 1u;
  let isLast = pass_.isLast == 1u;
  let roundsEnd = pass_.width;
  let totals = RADIX * order.maxBlocks;
  let digits = scanWorkgroup(thread, spine[totals + thread]);
  bases[thread] = digits.before + spine[thread * order.maxBlocks + group.x] + pass_.targetOffset;

  let first = group.x * plan.tilesPerBlock * TILE;
  let end = min(first + plan.tilesPerBlock * TILE, plan.count);
  for (var start = first; start < end; start += TILE) {
    let valid = min(TILE, end - start);
    let limit = max(valid, thread * KEYS) - thread * KEYS;
    let from_ = pass_.sourceOffset + start;
    // 2. Load, striped over the threads, so that neighbours read neighbours.
//#unroll i in KEYS
    let raw_i = sourceKeys[from_ + min(i * THREADS + thread, valid - 1u)];
//#end
    workgroupBarrier(); // the previous tile is scattered
//#unroll i in KEYS
    let key_i = select(raw_i, wordOf(raw_i, order), isFirst);
//#if MOVES_KEYS
    tile[i * THREADS + thread] = key_i;
//#else
    tile[i * THREADS + thread] =
      digitOf(key_i, order, pass_) | ((i * THREADS + thread) << RADIX_BITS);
//#end
//#end
    workgroupBarrier(); // the tile is there
    // 3. Pre-sort.
//#unroll i in KEYS
    var word_i = tile[thread * KEYS + i];
//#end

//#include fragments/presort.wgsl

    // 4. Bases relative to places in the tile.
//#unroll i in KEYS
    let place_i = i * THREADS + thread;
    let sorted_i = tile[place_i];
    let digit_i = localDigit(sorted_i, order, pass_);
    let isFirstOfDigit_i = (place_i == 0u) |
      (digit_i != localDigit(tile[max(place_i, 1u) - 1u], order, pass_));
    let isLastOfDigit_i = (place_i + 1u == valid) |
      (digit_i != localDigit(tile[min(place_i + 1u, TILE - 1u)], order, pass_));
    if (place_i < valid && isFirstOfDigit_i) {
      bases[digit_i] -= place_i;
    }
//#end
    workgroupBarrier(); // all bases are relative
    // 5. Scatter.
//#unroll i in KEYS
    let to_i = bases[digit_i] + place_i;
//#end
    workgroupBarrier(); // all bases are read
//#if MOVES_KEYS
//#unroll i in KEYS
    let moved_i = sorted_i;
//#end
//#else
    // The tile's records are still in the cache: loading them again costs less than an exchange.
//#unroll i in KEYS
    let came_i = from_ + min(sorted_i >> RADIX_BITS, valid - 1u);
    let again_i = sourceKeys[came_i];
    let moved_i = select(again_i, wordOf(again_i, order), isFirst);
//#end
//#end
//#unroll i in KEYS
    if (place_i < valid) {
      targetKeys[to_i] = select(moved_i, bitsOf(moved_i, order), isLast);
    }
//#end
//#if VALUE_WORDS > 0
//#unroll i in KEYS
    let value_i = sourceValues[came_i];
//#end
//#unroll i in KEYS
    if (place_i < valid) {
      targetValues[to_i] = value_i;
    }
//#end
//#end
    // 6. Bases of the next tile.
//#unroll i in KEYS
    if (place_i < valid && isLastOfDigit_i) {
      bases[digit_i] = to_i + 1u;
    }
//#end
  }
}
