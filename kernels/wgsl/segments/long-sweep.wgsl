// Long sweep: one pass over the keys of all long segments, each of which is a chain of tiles of its
// own. What chained-scan/sweep.wgsl does for a whole array.
//
// Input: `sourceKeys`, raw bits in the first pass, words in later ones; `sourceValues`; `tiles`;
// `starts` of segments/long-starts.wgsl; `state`.
// Output: `targetKeys`, words, in the last pass raw bits; `targetValues`; each segment sorted by
// the pass's digit, stably unless UNSTABLE, which uses up the starts. Places of scratch count from
// the first place of all segments. Any number of workgroups of THREADS threads; a tile is
// TILE = THREADS × KEYS keys.
// Memory: reads and writes each record once, 8 × (KEY_WORDS + VALUE_WORDS) bytes; 8 bytes a tile
// and digit value for statuses.
//
// Pass `slot` is that of the slot-th digit in which keys of some long segment differ. Workgroups
// take tiles from a counter, so all tiles before a workgroup's own have been taken. A pass that is
// left out ends at once, but for the first of them: after an odd number of passes it copies the
// result from scratch to the caller's buffers. Phases, for each tile:
//   1. Load the keys; they become words, in the first pass.
//   2. Count, publish the tile's counts, and rank each key in the tile (fragments/rank.wgsl).
//   3. Keys go to their places in the tile, through `pool`, a word at a time; meanwhile the values,
//      or the next tile's keys, are loaded.
//   4. Look back in the segment: where the tile's keys of each digit go (fragments/lookback.wgsl).
//   5. Scatter the keys, in the order of the tile.
//   6. The same for the values, by way of `pool` (fragments/tile-values.wgsl).
//   7. Zero the counters for the next tile.
//
// Workgroup storage: `pool`, 4 × max(TILE, COUNTER_ROWS × RADIX) bytes, first counters and then
// the tile; and 4 × (RADIX + SUBGROUPS + DIGIT_SUBGROUPS + 8) bytes, and 4 more without
// SUBGROUP_ID.
// Barriers: as in chained-scan/sweep.wgsl, whose list says what each waits for.
// Relied on: the lanes of a subgroup that take part in one ballot are in step
// (fragments/rank.wgsl).
// Source: Adinets and Merrill, "Onesweep: a faster least significant digit radix sort for GPUs",
// 2022.

//#include fragments/order.wgsl
//#include fragments/scan-state.wgsl
//#include fragments/segment-state.wgsl
//#include fragments/ties.wgsl
//#include fragments/aligned-digit.wgsl
//#include fragments/lanes.wgsl

@group(0) @binding(0) var<uniform> order: Order;
@group(0) @binding(1) var<storage, read_write> scanState: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> tiles: array<Tile>;
@group(0) @binding(3) var<storage, read_write> starts: array<atomic<u32>>;
@group(1) @binding(0) var<uniform> slot: u32;
@group(2) @binding(0) var<storage, read> sourceKeys: array<Key>;
@group(2) @binding(1) var<storage, read_write> targetKeys: array<Key>;
//#if VALUE_WORDS > 0
@group(2) @binding(2) var<storage, read> sourceValues: array<Value>;
@group(2) @binding(3) var<storage, read_write> targetValues: array<Value>;
//#end

var<workgroup> pool: array<atomic<u32>, max(TILE, COUNTER_ROWS * RADIX)>;
/// For every digit value, what to add to a place in the tile for a place in the target.
var<workgroup> bases: array<atomic<u32>, RADIX>;
var<workgroup> sums: array<u32, SUBGROUPS>;

/// Numbers that are the same for all tiles of a pass.
struct Whole {
  digits: u32,
  tiles: u32,
  first: u32,
}

/// A tile, and its number among the tiles of all segments.
struct Taken {
  tile: Tile,
  number: u32,
}

/// What a workgroup's threads tell all of them.
struct Handed {
  /// The tile that the workgroup takes next; one of no keys after the last.
  next: Taken,
  /// Of each subgroup with digits, the latest tile that it has waited for in vain, counted from 1;
  /// 0 for none.
  waits: array<u32, DIGIT_SUBGROUPS>,
}

var<workgroup> whole: Whole;
var<workgroup> handed: Handed;

/// Takes a tile, for the workgroup, by one of its threads.
fn takeTile(count: u32) {
  let taken = atomicAdd(&scanState[TAKEN_AT + slot], 1u);
  handed.next = Taken();
  if (taken < count) {
    handed.next = Taken(tiles[taken], taken);
  }
}

//#include fragments/subgroup-entry.wgsl
fn sweepLong(
//#include fragments/subgroup-thread.wgsl
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
) {
  if (thread == 0u) {
    whole.digits = atomicLoad(&scanState[DIGITS_AT]);
    whole.tiles = min(atomicLoad(&scanState[TILES_AT]), arrayLength(&tiles));
    whole.first = atomicLoad(&scanState[FIRST_AT]);
  }
  let all = workgroupUniformLoad(&whole);
  let passes = countOneBits(all.digits);
  if (slot >= passes) {
    // The way home: an odd pass reads scratch.
    if (slot == passes && slot % 2u == 1u) {
      for (var number = group.x; number < all.tiles; number += groups.x) {
        let tile = tiles[number];
        for (var at = thread; at < tile.valid; at += THREADS) {
          targetKeys[tile.first + at] = sourceKeys[tile.first - all.first + at];
//#if VALUE_WORDS > 0
          targetValues[tile.first + at] = sourceValues[tile.first - all.first + at];
//#end
        }
      }
    }
    return;
  }
//#include fragments/subgroup-number.wgsl
  // The slot-th digit.
  var rest = all.digits;
  for (var i = 0u; i < slot; i += 1u) {
    rest &= rest - 1u;
  }
  let which = firstTrailingBit(rest);
  let isFirst = slot == 0u;
  let isLast = slot + 1u == passes;
  let digit = Digit(which * RADIX_BITS, digitMask(order, which * RADIX_BITS));
  // Scratch has the first of all segments at 0.
  let sourceShift = select(0u, all.first, slot % 2u == 1u);
  let targetShift = select(all.first, 0u, slot % 2u == 1u);
  // The place of the thread's first key in the tile; the next ones follow SUBGROUP_SIZE apart.
  let mine = number * SUBGROUP_SIZE * KEYS + lane;
  let row = number * RADIX;
  // The first RADIX / DIGITS_PER_THREAD threads hold digit values, DIGITS_PER_THREAD each.
  let id = number * SUBGROUP_SIZE + lane;
  let hasBins = id < RADIX / DIGITS_PER_THREAD;
//#unroll j in DIGITS_PER_THREAD
  let bin_j = min(id * DIGITS_PER_THREAD + j, RADIX - 1u);
//#end

  if (thread == 0u) {
    takeTile(all.tiles);
  }
  var taken = workgroupUniformLoad(&handed.next);
  // Past the end any key will do: WGSL keeps the access within the binding.
//#unroll i in KEYS
  var key_i = sourceKeys[taken.tile.first - sourceShift + mine + i * SUBGROUP_SIZE];
//#end
  while (taken.tile.valid > 0u) {
    let tile = taken.tile;
    if (thread == 0u) {
      takeTile(all.tiles);
    }
    let valid = tile.valid;
    // The chain of the segment: its tiles, and their statuses.
    let STATUSES_AT = STATE_WORDS;
    let tile_ = taken.number;
    let earlier = tile.index;
    let chainStart = tile.first - earlier * TILE - sourceShift;
    let targetFirst = tile.first - earlier * TILE - targetShift;
    let startsAt = (tile.segment * MAX_PASSES + which) * RADIX;
//#if UNSTABLE == 0
//#unroll j in DIGITS_PER_THREAD
    let begin_j = atomicLoad(&starts[startsAt + bin_j]) + targetFirst;
//#end
//#end
    // 1. Words.
    if (isFirst) {
//#unroll i in KEYS
      key_i = wordOf(key_i, order);
//#end
    }

    // 2. Count and rank.
//#include fragments/rank.wgsl

    workgroupBarrier(); // all places are known
    let coming = handed.next;
    var next = taken;
    // 3. Keys to their places. An unstable rank gives keys past the end no place.
//#unroll i in KEYS
    let isPlaced_i = (UNSTABLE == 0u) | (mine + i * SUBGROUP_SIZE < valid);
    if (isPlaced_i) {
      atomicStore(&pool[place_i], wide(key_i).x);
    }
//#end
//#if KEY_WORDS == 2
    workgroupBarrier(); // the low words are there
//#unroll i in KEYS
    let low_i = atomicLoad(&pool[i * THREADS + id]);
//#end
    workgroupBarrier(); // and read
//#unroll i in KEYS
    if (isPlaced_i) {
      atomicStore(&pool[place_i], key_i.y);
    }
//#end
//#end
//#if VALUE_WORDS > 0
//#unroll i in KEYS
    let value_i = sourceValues[tile.first - sourceShift + mine + i * SUBGROUP_SIZE];
//#end
//#else
//#unroll i in KEYS
    key_i = sourceKeys[coming.tile.first - sourceShift + mine + i * SUBGROUP_SIZE];
//#end
//#end

    // 4. Look back. Without order among tiles, one addition finds and takes a digit's places.
//#if UNSTABLE
//#unroll j in DIGITS_PER_THREAD
    if (hasBins) {
      let first_j = atomicAdd(&starts[startsAt + bin_j], total_j);
      atomicStore(&bases[bin_j], first_j + targetFirst - start_j);
    }
//#end
    next = workgroupUniformLoad(&handed.next); // a barrier: the bases are known
//#else
//#include fragments/lookback.wgsl
//#end

    // 5. Scatter the keys.
//#unroll i in KEYS
    let at_i = i * THREADS + id;
//#if KEY_WORDS == 1
    let word_i = atomicLoad(&pool[at_i]);
//#else
    let word_i = vec2u(low_i, atomicLoad(&pool[at_i]));
//#end
    let to_i = atomicLoad(&bases[digitIn(word_i, order, digit)]) + at_i;
    if (at_i < valid) {
      targetKeys[to_i] = select(word_i, bitsOf(word_i, order), isLast);
    }
//#end
    workgroupBarrier(); // the keys are read

//#if VALUE_WORDS > 0
    // 6. The values.
//#unroll i in KEYS
//#if VALUE_WORDS == 1
    atomicStore(&pool[place_i], value_i);
//#else
    atomicStore(&pool[place_i], value_i.x);
//#end
//#end
//#unroll i in KEYS
    key_i = sourceKeys[next.tile.first - sourceShift + mine + i * SUBGROUP_SIZE];
//#end
//#include fragments/tile-values.wgsl
//#end
    // 7. Zero the counters.
    for (var at = thread; at < COUNTER_ROWS * RADIX; at += THREADS) {
      atomicStore(&pool[at], 0u);
    }
    workgroupBarrier(); // the counters are zero
    taken = next;
  }
}
