// Ranks: for the keys of a workgroup in key_0 to key_(KEYS - 1), where in the tile they go, place_0 to place_(KEYS - 1).
//
// Each subgroup counts in a row of RADIX counters of its own, in lane order key by key, so that equal digits keep
// their order. The tile's counts are published as soon as they are known, and ranks found meanwhile: by ballot, a lane
// learns which lanes have its digit, and how many of them come before it; the first of them brings the row up to date
// (Adinets and Merrill, "Onesweep", 2022, 3.3 and 4.2; one ballot for every bit of the digit).
// LOOSE: equal digits may come in any order. Then counting is ranking: one atomic addition a key.
//
// Places past the end of the data have the last digit and come last: they stay last, whatever is in them.
// Barriers: between counting, summing up, ranking and what comes after, as noted. The counters of `pool` are zero before.

//#unroll i in KEYS
    var digit_i = digitAt(decisiveWord(key_i, order), shift, mask);
//#end
//#if UNSTABLE
//#unroll i in KEYS
    var rank_i = 0u;
    if (mine + i * SUBGROUP_SIZE < valid) {
      rank_i = atomicAdd(&pool[digit_i], 1u);
    }
//#end
//#else
    if (valid < TILE) {
//#unroll i in KEYS
      digit_i = select(RADIX - 1u, digit_i, mine + i * SUBGROUP_SIZE < valid);
//#end
    }
//#unroll i in KEYS
    atomicAdd(&pool[row + digit_i], 1u);
//#end
//#end
    workgroupBarrier(); // all keys are counted

    var own = 0u;
//#unroll j in DIGITS_PER_THREAD
    var total_j = 0u;
//#unroll r in COUNTER_ROWS
    let count_j_r = atomicLoad(&pool[r * RADIX + bin_j]);
    total_j += count_j_r;
//#end
    own += total_j;
    if (hasBins && tile_ + 1u != STALLED_TILE) {
      let kind = select(aggregateFlag(slot), prefixFlag(slot), tile_ == 0u);
      atomicStore(&scanState[STATUSES_AT + tile_ * RADIX + bin_j], (total_j << STATUS_BITS) | kind);
    }
//#end
    let through = subgroupInclusiveAdd(own);
    if (lane == SUBGROUP_SIZE - 1u) {
      sums[number] = through;
    }
    workgroupBarrier(); // all subgroups are summed up
    var digitStart = through - own;
//#unroll r in DIGIT_SUBGROUPS
    digitStart += select(0u, sums[r], r < number);
//#end
//#unroll j in DIGITS_PER_THREAD
    let start_j = digitStart;
    if (hasBins) {
      var rowStart = digitStart;
//#unroll r in COUNTER_ROWS
      atomicStore(&pool[r * RADIX + bin_j], rowStart);
      rowStart += count_j_r;
//#end
    }
    digitStart += total_j;
//#end
    workgroupBarrier(); // the counters have become places

//#if UNSTABLE
//#unroll i in KEYS
    let place_i = rank_i + atomicLoad(&pool[digit_i]);
//#end
//#else
//#unroll i in KEYS
    var peers_i = allLanes();
//#unroll b in RADIX_BITS
    let isSet_i_b = (digit_i & (1u << b)) != 0u;
    peers_i &= lanesOf(subgroupBallot(isSet_i_b), isSet_i_b);
//#end
    let below_i = population(peers_i & lanesBelow(lane));
    let first_i = atomicLoad(&pool[row + digit_i]);
    let place_i = first_i + below_i;
    // Nothing else of the row's changes meanwhile, and the ballots for the next key keep the lanes in step.
    if (below_i == 0u) {
      atomicStore(&pool[row + digit_i], first_i + population(peers_i));
    }
//#end
//#end
