// Rank: where in the tile each key of a workgroup goes. Part of a function:
// chained-scan/sweep.wgsl, chained-scan/tile-sort.wgsl, fragments/long-batches.wgsl.
//
// Reads: key_0 to key_(RANK_KEYS - 1), the thread's words, `mine` the place of the first of them,
// valid, order, digit (what digitIn takes it for), row, thread, lane, number, hasBins, bin_j;
// `pool`, whose counters are zero, and `sums`; RANK_KEYS, RANK_TILE, RADIX, RADIX_BITS,
// SUBGROUP_SIZE, COUNTER_ROWS, DIGITS_PER_THREAD, DIGIT_SUBGROUPS, UNSTABLE, DROPS, PUBLISHES,
// DIGITS_TWICE, HAS_SUBGROUPS; what fragments/lanes.wgsl defines; without subgroups, in order,
// BALLOTS_AT and BALLOT_WORDS; with PUBLISHES tile_, earlier (the tiles before it in its chain),
// slot, STALLED_TILE; with DIGITS_TWICE digitAgain and LAST_WORD; with DROPS isThinned, heavySlot.
// Defines: place_0 to place_(RANK_KEYS - 1); total_j and start_j, the number of the tile's keys of
// digit value bin_j and their first place in the tile. PUBLISHES: the tile's statuses. (digit_i,
// rank_i, peers_i, below_i, first_i, count_j_r, own, through, digitStart are its own.)
//
// Phases:
//   1. Count: each subgroup in a row of RADIX counters of its own. Without order (UNSTABLE) one row
//      serves all, and what the atomic addition returns is already a rank.
//   2. Sum up over the rows. PUBLISHES: the tile's counts become its status, for the lookbacks of
//      later tiles.
//   3. Scan the sums: the counters become first places, row by row.
//   4. Rank, key by key: by a ballot for each bit of the digit a lane learns which lanes have its
//      digit, and how many of them are below it. The lowest of them moves the row's counter on.
//   Without subgroups there is one row, and in place of ballots each thread sets a bit in the words
//   of its digit: BALLOT_WORDS words of `pool` for each, from BALLOTS_AT on, zero before and after.
//
// DROPS: if isThinned, keys of heavy values (fragments/heavy-values.wgsl) get no place in the tile,
// but one past its end. The table of these values is in `pool`, after the counters.
// Equal digits keep their order: rows are in the order of subgroups, keys in that of i, then lanes.
// Places past the end of the data have the last digit value and come last, so they stay last.
// DIGITS_TWICE: digits are computed anew in phase 4, and in phase 1 by another formula. A compiler
// that finds them to be the same keeps them all in registers meanwhile, so that fewer workgroups
// find room in a multiprocessor. Keys past the end become words whose digits are all the last one.
// With NAN_TIES such words would have digits of other keys, so there it isn't done.
//
// Workgroup storage: that of the sweep. Barriers: between the phases, as noted.
// Source: Adinets and Merrill, "Onesweep", 2022, 3.3 and 4.2; one ballot for each bit of the digit.

    // 1. Count.
//#if DIGITS_TWICE
    if (valid < RANK_TILE) {
//#unroll i in RANK_KEYS
      key_i = select(LAST_WORD, key_i, mine + i * SUBGROUP_SIZE < valid);
//#end
    }
//#unroll i in RANK_KEYS
    atomicAdd(&pool[row + digitAgain(key_i, order, digit) % RADIX], 1u);
//#end
//#else
//#unroll i in RANK_KEYS
    var digit_i = digitIn(key_i, order, digit);
//#end
//#end
//#if UNSTABLE
//#unroll i in RANK_KEYS
    var rank_i = DROPS << 31u;
//#end
//#if DROPS
    if (isThinned) {
//#unroll i in RANK_KEYS
      let isHeavy_i = atomicLoad(&pool[RADIX + heavySlot(key_i)]) == key_i;
      if (!isHeavy_i && mine + i * SUBGROUP_SIZE < valid) {
        rank_i = atomicAdd(&pool[digit_i], 1u);
      }
//#end
    } else {
//#end
//#unroll i in RANK_KEYS
    if (mine + i * SUBGROUP_SIZE < valid) {
      rank_i = atomicAdd(&pool[digit_i], 1u);
    }
//#end
//#if DROPS
    }
//#end
//#else
//#if DIGITS_TWICE == 0
    if (valid < RANK_TILE) {
//#unroll i in RANK_KEYS
      digit_i = select(RADIX - 1u, digit_i, mine + i * SUBGROUP_SIZE < valid);
//#end
    }
//#unroll i in RANK_KEYS
    atomicAdd(&pool[row + digit_i % RADIX], 1u);
//#end
//#end
//#end
    workgroupBarrier(); // all keys are counted

    // 2. Sum up.
    var own = 0u;
//#unroll j in DIGITS_PER_THREAD
    var total_j = 0u;
//#unroll r in COUNTER_ROWS
    let count_j_r = atomicLoad(&pool[r * RADIX + bin_j]);
    total_j += count_j_r;
//#end
    own += total_j;
//#if PUBLISHES
    if (hasBins && tile_ + 1u != STALLED_TILE) {
      let kind = select(aggregateFlag(slot), prefixFlag(slot), earlier == 0u);
      atomicStore(&scanState[STATUSES_AT + tile_ * RADIX + bin_j], (total_j << STATUS_BITS) | kind);
    }
//#end
//#end
    // 3. Scan.
    let through = inclusiveAdd(own, thread);
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

    // 4. Rank.
//#if UNSTABLE
//#unroll i in RANK_KEYS
    let place_i = rank_i + atomicLoad(&pool[digit_i]);
//#end
//#else
//#if HAS_SUBGROUPS
//#unroll i in RANK_KEYS
//#if DIGITS_TWICE
    let digit_i = digitIn(key_i, order, digit);
//#end
    var peers_i = allLanes();
//#unroll b in RADIX_BITS
    let isSet_i_b = (digit_i & (1u << b)) != 0u;
    peers_i &= lanesOf(subgroupBallot(isSet_i_b), isSet_i_b);
//#end
    let below_i = population(peers_i & lanesBelow(lane));
    let first_i = atomicLoad(&pool[row + digit_i % RADIX]);
    let place_i = first_i + below_i;
    // No other lane changes this counter, and the next key's ballots keep the lanes in step.
    if (below_i == 0u) {
      atomicStore(&pool[row + digit_i % RADIX], first_i + population(peers_i));
    }
//#end
//#else
//#unroll i in RANK_KEYS
    // A bit for each thread in the digit's words is what a ballot would tell.
    let votes_i = BALLOTS_AT + digit_i % RADIX * BALLOT_WORDS;
    atomicOr(&pool[votes_i + (thread >> 5u)], 1u << (thread & 31u));
    workgroupBarrier(); // all have voted
    var peers_i = 0u;
    var below_i = 0u;
    for (var word = 0u; word < BALLOT_WORDS; word += 1u) {
      let vote = atomicLoad(&pool[votes_i + word]);
      peers_i += countOneBits(vote);
      below_i += countOneBits(vote & wordBelow(thread, 32u * word));
    }
    let first_i = atomicLoad(&pool[row + digit_i % RADIX]);
    let place_i = first_i + below_i;
    workgroupBarrier(); // votes and counters are read
    atomicStore(&pool[votes_i + (thread >> 5u)], 0u);
    if (below_i == 0u) {
      atomicStore(&pool[row + digit_i % RADIX], first_i + peers_i);
    }
    workgroupBarrier(); // the votes are gone, and the counters have moved on
//#end
//#end
//#end
