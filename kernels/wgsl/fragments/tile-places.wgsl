// Tile places: the keys of one stage of a tile go to their places in workgroup storage. Part of a
// function: chained-scan/sweep.wgsl.
//
// Reads: key_0 to key_(KEYS - 1), place_0 to place_(KEYS - 1) of fragments/rank.wgsl; stage, valid,
// mine, id; wide of fragments/order.wgsl; KEYS, KEY_WORDS, STAGES, STAGE_KEYS, STAGE_TILE, THREADS,
// SUBGROUP_SIZE, UNSTABLE, DROPS, TILE.
// Defines: `pool`, which has the stage's keys in the order of the tile; of wide keys it has the
// high words, and low_0 to low_(STAGE_KEYS - 1) are the low words of the places id, id + THREADS, …
// (isPlaced_i and slot_i are its own.)
//
// Barriers: of wide keys two, between the low words and the high ones. The caller has one before
// and one after.

    // An unstable rank gives no place to keys past the end, nor to keys that are left out.
//#unroll i in KEYS
//#if DROPS
    let isPlaced_i = place_i < TILE;
//#else
    let isPlaced_i = (UNSTABLE == 0u) | (mine + i * SUBGROUP_SIZE < valid);
//#end
//#if STAGES == 1
    let slot_i = place_i;
//#else
    // Keys of other stages share a place that nobody reads: less to compute than a condition.
    let slot_i = min(place_i - stage * STAGE_TILE, STAGE_TILE);
//#end
    if (isPlaced_i) {
      atomicStore(&pool[slot_i], wide(key_i).x);
    }
//#end
//#if KEY_WORDS == 2
    workgroupBarrier(); // the low words are there
//#unroll i in STAGE_KEYS
    let low_i = atomicLoad(&pool[i * THREADS + id]);
//#end
    workgroupBarrier(); // and read
//#unroll i in KEYS
    if (isPlaced_i) {
      atomicStore(&pool[slot_i], key_i.y);
    }
//#end
//#end
