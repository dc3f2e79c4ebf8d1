// Sweep: one pass over all keys, from counting a tile's digits to scattering its keys, in one kernel.
//
// Input: `source` keys and values, the chain's starts. Output: `target` keys and values, sorted by the pass's digit,
// stably unless LOOSE. Chained scan: a workgroup learns from the statuses of earlier tiles where its own keys go, so that keys
// are read once and written once, 8 × (KEY_WORDS + VALUE_WORDS) bytes a key, and 8 bytes a tile and digit for statuses.
// Keys come and go as raw bits in the first and last pass, as words in between.
//
// A workgroup takes tile after tile, by tickets, so that every tile's predecessors have been begun. What makes it fast is that memory
// is waited for as seldom as may be: the next tile's keys are on their way while this one is looked back and scattered; and that a
// thread's keys are scalars in straight lines. Keys, then values, go to their places in the tile through
// workgroup storage, a word at a time, so that a digit's keys leave next to each other and tiles of wide records are as long.
//
// The ranks of rank.wgsl rely on lanes of a subgroup that take part in the same ballot being in step.
// Workgroup storage: `pool`, 4 × max(TILE, ROWS × RADIX) bytes, first counters, then the tile; and
// 4 × (RADIX + SUBGROUPS + 4) bytes.
// Barriers: between one use of the storage and the next by other threads, as noted.

enable subgroups;
//#if SIZE_CONTROL
enable subgroup_size_control;
//#end
//#if SUBGROUP_ID
requires subgroup_id;
//#end
//#include fragments/order.wgsl
//#include fragments/scan-state.wgsl
//#include fragments/aligned-digit.wgsl
//#include fragments/lanes.wgsl

@group(0) @binding(0) var<uniform> order: Order;
@group(0) @binding(1) var<storage, read> plan: Plan;
@group(0) @binding(2) var<storage, read_write> scanState: array<atomic<u32>>;
@group(1) @binding(0) var<uniform> slot: u32;
@group(2) @binding(0) var<storage, read> sourceKeys: array<Key>;
@group(2) @binding(1) var<storage, read_write> targetKeys: array<Key>;
//#if VALUE_WORDS > 0
@group(2) @binding(2) var<storage, read> sourceValues: array<Value>;
@group(2) @binding(3) var<storage, read_write> targetValues: array<Value>;
//#end

var<workgroup> pool: array<atomic<u32>, max(TILE, COUNTER_ROWS * RADIX)>;
/// For every digit, what has to be added to a place in the tile to make it a place in the target.
var<workgroup> bases: array<atomic<u32>, RADIX>;
var<workgroup> sums: array<u32, SUBGROUPS>;
/// The tile that comes next.
var<workgroup> nextTile: u32;
/// The last tile that a thread waits for in vain, counted from 1.
var<workgroup> stalled: atomic<u32>;
var<workgroup> awaited: u32;

//#if SIZE_CONTROL
@compute @workgroup_size(THREADS) @subgroup_size(SUBGROUP_SIZE)
//#else
@compute @workgroup_size(THREADS)
//#end
fn sweep(
  @builtin(local_invocation_index) thread: u32,
  @builtin(subgroup_invocation_id) lane: u32,
//#if SUBGROUP_ID
  @builtin(subgroup_id) number: u32,
//#end
) {
  if (thread == 0u) {
    nextTile = atomicAdd(&scanState[slot], 1u);
  }
  if (slot >= plan.passesRun) {
    return;
  }
//#if SUBGROUP_ID == 0
  let number = subgroupNumber(lane);
//#end
  let count = plan.count;
  let pass_ = plan.passes[slot];
  let isFirst = pass_.isFirst == 1u;
  let isLast = pass_.isLast == 1u;
  let shift = pass_.shift;
  let mask = digitMask(order, shift);
  // Of the thread's first key in the tile; the next ones follow at distances of SUBGROUP.
  let mine = number * SUBGROUP_SIZE * KEYS + lane;
  let row = number * RADIX;
  // Digits are divided among the first RADIX / DIGITS threads.
  let id = number * SUBGROUP_SIZE + lane;
  let hasBins = id < RADIX / DIGITS_PER_THREAD;
//#unroll j in DIGITS_PER_THREAD
  let bin_j = min(id * DIGITS_PER_THREAD + j, RADIX - 1u);
  let begin_j = atomicLoad(&scanState[DIGIT_STARTS_AT + slot * RADIX + bin_j]) + pass_.targetOffset;
//#end

  var tile_ = workgroupUniformLoad(&nextTile);
  // Past the end, whatever is there: what a binding does not reach is something within it.
//#unroll i in KEYS
  var key_i = sourceKeys[pass_.sourceOffset + tile_ * TILE + mine + i * SUBGROUP_SIZE];
//#end
  while (tile_ * TILE < count) {
    if (thread == 0u) {
      nextTile = atomicAdd(&scanState[slot], 1u);
    }
    let start = tile_ * TILE;
    let valid = min(TILE, count - start);
    if (isFirst) {
//#unroll i in KEYS
      key_i = wordOf(key_i, order);
//#end
    }

//#include fragments/rank.wgsl

    let next = workgroupUniformLoad(&nextTile); // a barrier: all places are known
    // Of a loose rank, only those in the data are one.
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
    workgroupBarrier(); // and taken
//#unroll i in KEYS
    if (isPlaced_i) {
      atomicStore(&pool[place_i], key_i.y);
    }
//#end
//#end
//#if VALUE_WORDS > 0
//#unroll i in KEYS
    let value_i = sourceValues[pass_.sourceOffset + start + mine + i * SUBGROUP_SIZE];
//#end
//#else
//#unroll i in KEYS
    key_i = sourceKeys[pass_.sourceOffset + next * TILE + mine + i * SUBGROUP_SIZE];
//#end
//#end

//#include fragments/lookback.wgsl

//#unroll i in KEYS
    let at_i = i * THREADS + id;
    var to_i = 0u;
//#end
    if (valid == TILE && !isLast) {
//#unroll i in KEYS
//#if KEY_WORDS == 1
      let word_i = atomicLoad(&pool[at_i]);
//#else
      let word_i = vec2u(low_i, atomicLoad(&pool[at_i]));
//#end
      to_i = atomicLoad(&bases[digitAt(decisiveWord(word_i, order), shift, mask)]) + at_i;
      targetKeys[to_i] = word_i;
//#end
    } else {
//#unroll i in KEYS
//#if KEY_WORDS == 1
      let word_i = atomicLoad(&pool[at_i]);
//#else
      let word_i = vec2u(low_i, atomicLoad(&pool[at_i]));
//#end
      to_i = atomicLoad(&bases[digitAt(decisiveWord(word_i, order), shift, mask)]) + at_i;
      if (at_i < valid) {
        targetKeys[to_i] = select(word_i, bitsOf(word_i, order), isLast);
      }
//#end
    }
    workgroupBarrier(); // the keys are gone

//#if VALUE_WORDS > 0
//#unroll i in KEYS
//#if VALUE_WORDS == 1
    atomicStore(&pool[place_i], value_i);
//#else
    atomicStore(&pool[place_i], value_i.x);
//#end
//#end
//#unroll i in KEYS
    key_i = sourceKeys[pass_.sourceOffset + next * TILE + mine + i * SUBGROUP_SIZE];
//#end
    workgroupBarrier(); // the values are there, or their low words
//#if VALUE_WORDS == 2
//#unroll i in KEYS
    let lowValue_i = atomicLoad(&pool[at_i]);
//#end
    workgroupBarrier(); // the low words are taken
//#unroll i in KEYS
    atomicStore(&pool[place_i], value_i.y);
//#end
    workgroupBarrier(); // the high words are there
//#end
//#unroll i in KEYS
    if (at_i < valid) {
//#if VALUE_WORDS == 1
      targetValues[to_i] = atomicLoad(&pool[at_i]);
//#else
      targetValues[to_i] = vec2u(lowValue_i, atomicLoad(&pool[at_i]));
//#end
    }
//#end
    workgroupBarrier(); // the values are gone
//#end
    for (var at = thread; at < COUNTER_ROWS * RADIX; at += THREADS) {
      atomicStore(&pool[at], 0u);
    }
    workgroupBarrier(); // the counters are zero
    tile_ = next;
  }
}
