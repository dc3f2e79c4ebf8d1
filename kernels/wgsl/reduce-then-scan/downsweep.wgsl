// Downsweep: every key to its place. The scan-and-scatter of reduce-then-scan.
//
// Input: `source` keys and values, `spine` and its totals. Output: `target` keys and values, sorted stably by the pass's digit.
// One workgroup a block, tile by tile: pre-sort in workgroup storage, then scatter, so that a digit's keys leave
// next to each other (Satish, Harris and Garland, "Designing efficient sorting algorithms for manycore GPUs", 4.2).
// Keys come and go as raw bits in the first and last pass, as words in between.
// Reads and writes every key and value once: 8 × (KEY_WORDS + VALUE_WORDS) bytes a key.
//
// A 32-bit key without payload is pre-sorted itself. Otherwise what is pre-sorted is one word of a digit and the place
// that it came from, and keys and then values follow in one step, each in an array of its own (structure of
// arrays; Ha, Krüger and Silva, 2.2, weigh it against the alternative): the pre-sort's cost does not grow with the record.
// Interleaved, the passes between the first and the last would take some 6 % less, going by 64-bit keys in place of
// pairs (318 µs against 338 for 2^24 on an NVIDIA H200), for two more kernels and the caller's buffers copied twice.
// Records are read once more, from the cache. An exchange through workgroup storage instead took 5 % less for 32-bit pairs and
// 10 to 40 % more for 64-bit keys on an NVIDIA H200, with twice the code.
// Workgroup storage: 4 × TILE + 4 × RADIX bytes. Barriers: each between one use of the storage and the next
// by other threads, as noted.

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

/// Where the next key of each digit goes; while a tile is scattered, less the place of its first in the tile.
var<workgroup> bases: array<u32, RADIX>;

//#include fragments/tile.wgsl

@compute @workgroup_size(THREADS)
fn downsweep(
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) group: vec3u,
) {
  let pass_ = plan.passes[slot];
  let isFirst = pass_.isFirst == 1u;
  let isLast = pass_.isLast == 1u;
  let roundsEnd = pass_.width;
  let totals = RADIX * order.maxBlocks;
  // THREADS == RADIX: a thread a digit.
  let digits = scanWorkgroup(thread, spine[totals + thread]);
  bases[thread] = digits.before + spine[thread * order.maxBlocks + group.x] + pass_.targetOffset;

  let first = group.x * plan.tilesPerBlock * TILE;
  let end = min(first + plan.tilesPerBlock * TILE, plan.count);
  for (var start = first; start < end; start += TILE) {
    let valid = min(TILE, end - start);
    let limit = max(valid, thread * KEYS) - thread * KEYS;
    let from_ = pass_.sourceOffset + start;
    // Striped over the threads, so that neighbours read neighbours.
//#unroll i in KEYS
    let raw_i = sourceKeys[from_ + min(i * THREADS + thread, valid - 1u)];
//#end
    workgroupBarrier(); // `tile` is free: the previous one is scattered
//#unroll i in KEYS
    let key_i = select(raw_i, wordOf(raw_i, order), isFirst);
//#if MOVES_KEYS
    tile[i * THREADS + thread] = key_i;
//#else
    tile[i * THREADS + thread] = digitOf(key_i, order, pass_) | ((i * THREADS + thread) << RADIX_BITS);
//#end
//#end
    workgroupBarrier();
//#unroll i in KEYS
    var word_i = tile[thread * KEYS + i];
//#end

//#include fragments/presort.wgsl

    // The first key of a digit turns the digit's base into what has to be added to a place in the tile.
//#unroll i in KEYS
    let place_i = i * THREADS + thread;
    let sorted_i = tile[place_i];
    let digit_i = localDigit(sorted_i, order, pass_);
    let isFirstOfDigit_i = (place_i == 0u) | (digit_i != localDigit(tile[max(place_i, 1u) - 1u], order, pass_));
    let isLastOfDigit_i = (place_i + 1u == valid) | (digit_i != localDigit(tile[min(place_i + 1u, TILE - 1u)], order, pass_));
    if (place_i < valid && isFirstOfDigit_i) {
      bases[digit_i] -= place_i;
    }
//#end
    workgroupBarrier(); // all bases are turned
//#unroll i in KEYS
    let to_i = bases[digit_i] + place_i;
//#end
    workgroupBarrier(); // all bases are read
//#if MOVES_KEYS
//#unroll i in KEYS
    let moved_i = sorted_i;
//#end
//#else
    // The tile's records lie in the cache still: reading them again there costs less than another exchange.
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
//#unroll i in KEYS
    if (place_i < valid && isLastOfDigit_i) {
      bases[digit_i] = to_i + 1u;
    }
//#end
  }
}
