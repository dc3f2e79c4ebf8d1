// Tile values: the values of a tile leave for the target, once each is at its place in `pool`, a
// word at a time. Part of a function: chained-scan/sweep.wgsl, segments/long-sweep.wgsl.
//
// Reads: `pool`, with the values, or of wide values their low words; value_0 to value_(KEYS - 1),
// the thread's values, and place_0, …, their places in the tile; at_0 to at_(KEYS - 1), the places
// of what this thread moves, and to_0, …, its places in the target; valid; KEYS, VALUE_WORDS.
// Defines: `targetValues`. (lowValue_i is its own.)
// Barriers: one before and one after `pool` is read; of wide values two more between the words.

    workgroupBarrier(); // the values are there, or their low words
//#if VALUE_WORDS == 2
//#unroll i in KEYS
    let lowValue_i = atomicLoad(&pool[at_i]);
//#end
    workgroupBarrier(); // the low words are read
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
    workgroupBarrier(); // the values are read
