// Tile scatter: the keys of one stage of a tile leave for the target. Part of a function:
// chained-scan/sweep.wgsl.
//
// Reads: `pool`, and of wide keys low_0 to low_(STAGE_KEYS - 1), as fragments/tile-places.wgsl
// leaves them; `bases`, `spilling`, `spillBases`, `roomEnds`; stage, tile_, placed (the keys that
// have a place in the tile), id, isLast, SHIFTS isShifted and pass_, placeAfterCopies;
// order, digit (what digitIn takes it for); spill of fragments/bucket-rooms.wgsl; KEY_WORDS,
// STAGE_KEYS, STAGE_TILE, TILE, THREADS, SPILLS.
// Defines: `targetKeys`, where the keys are in the order of the pass; at_0 to at_(STAGE_KEYS - 1),
// the places in the tile of what this thread moves, and to_0 to to_(STAGE_KEYS - 1), its places in
// the target. (word_i, bucket_i are its own.)
// Barriers: none.

//#unroll i in STAGE_KEYS
    let at_i = stage * STAGE_TILE + i * THREADS + id;
    var to_i = 0u;
//#end
//#if SHIFTS
    if (isShifted) {
      // Room for the copies of heavy values. Not unrolled: other sorts would need more registers.
      let stageEnd = min(placed, (stage + 1u) * STAGE_TILE);
      for (var at = stage * STAGE_TILE + id; at < stageEnd; at += THREADS) {
        let word = atomicLoad(&pool[at - stage * STAGE_TILE]);
        let value = digitIn(word, order, digit) % RADIX;
        let place = atomicLoad(&bases[value]) + at;
        let to = placeAfterCopies(word, value, place, pass_.targetOffset);
        targetKeys[to] = bitsOf(word, order);
      }
    } else
//#end
//#if SPILLS
    if (atomicLoad(&spilling) == tile_ + 1u) {
//#unroll i in STAGE_KEYS
//#if KEY_WORDS == 1
      let word_i = atomicLoad(&pool[i * THREADS + id]);
//#else
      let word_i = vec2u(low_i, atomicLoad(&pool[i * THREADS + id]));
//#end
      let bucket_i = digitIn(word_i, order, digit);
      to_i = atomicLoad(&bases[bucket_i]) + at_i;
      if (at_i < placed) {
        if (to_i < roomEnds[bucket_i]) {
          targetKeys[to_i] = word_i;
        } else {
          spill(word_i, spillBases[bucket_i] + at_i);
        }
      }
//#end
    } else
//#end
    if (placed == TILE && !isLast) {
//#unroll i in STAGE_KEYS
//#if KEY_WORDS == 1
      let word_i = atomicLoad(&pool[i * THREADS + id]);
//#else
      let word_i = vec2u(low_i, atomicLoad(&pool[i * THREADS + id]));
//#end
      to_i = atomicLoad(&bases[digitIn(word_i, order, digit) % RADIX]) + at_i;
      targetKeys[to_i] = word_i;
//#end
    } else {
//#unroll i in STAGE_KEYS
//#if KEY_WORDS == 1
      let word_i = atomicLoad(&pool[i * THREADS + id]);
//#else
      let word_i = vec2u(low_i, atomicLoad(&pool[i * THREADS + id]));
//#end
      to_i = atomicLoad(&bases[digitIn(word_i, order, digit) % RADIX]) + at_i;
      if (at_i < placed) {
        targetKeys[to_i] = select(word_i, bitsOf(word_i, order), isLast);
      }
//#end
    }
