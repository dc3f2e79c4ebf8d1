// Digit starts: where each digit's keys begin in each pass, and which passes are run. The scan of
// the histogram. Part of a function: chained-scan/histogram.wgsl, of its last workgroup.
//
// Input: the digit counts of `scanState`; COUNTED: the cells' counts, too.
// Output: the digit starts of `scanState`, RADIX words a pass that is run; its digit counts and
// tile counters, zero for the next sort; `plan`. HEAVY: where the copies of heavy values go
// (fragments/heavy-starts.wgsl). A digit that all keys share is not sorted on: its
// pass is left out, and the host need not know; of keys that are in order all passes are. A hybrid
// sort has two passes, and a number of buckets a batch. Memory: 8 bytes a digit value and pass.
//
// Reads: thread, lane, number, count, offset, isSorted; `plan`, `scanState`; THREADS == RADIX: a
// thread a digit value; COUNTED: bucketsOfBatch, `fullest`; `sums`, `shared_`, `missing`,
// `awaited`, countsAt; inclusiveAdd of fragments/lanes.wgsl; HEAVY: heavies, `heavySums`,
// heavySlot, HEAVY_PER_THREAD, HEAVY_COUNTS_AT of fragments/scan-state.wgsl.
// Defines: nothing. (digit, total_p, through_p, telling, decisive, swept are its own; HEAVY:
// heavyAt_h, heavySlot_h, heavyKeys_h, heavyThrough.)
//
// Phases:
//   1. Scan the counts of each digit within the subgroups, until they are complete: those of other
//      workgroups may come late, since WGSL orders no two additions. Note digits that all keys
//      share.
//   2. Add the sums of earlier subgroups: the digit starts.
//   3. Write the passes that are run, in order; then the counts of the plan.
//
// Barriers: between phases 1 and 2, which reads sums of other subgroups.
// Source: Adinets and Merrill, "Onesweep", 2022, for the histogram of all digits at once.

    let digit = number * SUBGROUP_SIZE + lane;
    // 1. Scan within subgroups.
//#unroll p in COUNTER_DIGITS
    var total_p = 0u;
    var through_p = 0u;
//#end
//#if COUNTED
    // Keys in cells, of chunks that are whole, and of one that is not.
    let chunks = count / CHUNK;
    let inPart = select(0u, min(count % CHUNK, THREADS), chunks % CELL_CHUNKS == 0u);
    let samples = (chunks + CELL_CHUNKS - 1u) / CELL_CHUNKS * THREADS + inPart;
//#end
//#if HEAVY
    // A thread's heavy values, in order, and how many keys they have.
//#unroll h in HEAVY_PER_THREAD
    let heavyAt_h = digit * HEAVY_PER_THREAD + h;
    var heavySlot_h = 0u;
    var heavyKeys_h = 0u;
    if (heavyAt_h < heavies) {
      heavySlot_h = heavySlot(plan.heavy.words[heavyAt_h]);
    }
//#end
    var heavyThrough = 0u;
//#end
    // The keys that are swept.
    var swept = count;
    loop {
      if (thread == 0u) {
        atomicStore(&missing, 0u);
      }
//#if HEAVY
      if (heavies > 0u) {
        var heavyKeys = 0u;
//#unroll h in HEAVY_PER_THREAD
        if (heavyAt_h < heavies) {
          heavyKeys_h = atomicLoad(&scanState[HEAVY_COUNTS_AT + heavySlot_h]);
        }
        heavyKeys += heavyKeys_h;
//#end
        heavyThrough = subgroupInclusiveAdd(heavyKeys);
        if (lane == SUBGROUP_SIZE - 1u) {
          heavySums[number] = heavyThrough;
        }
      }
//#end
//#unroll p in COUNTER_DIGITS
      total_p = atomicLoad(&scanState[countsAt(p) + digit]);
      through_p = inclusiveAdd(total_p, thread);
      if (lane == SUBGROUP_SIZE - 1u) {
        sums[p * SUBGROUPS + number] = through_p;
      }
//#end
      workgroupBarrier(); // all subgroups have added up
//#if HEAVY
      if (heavies > 0u) {
        swept = count + heavies;
        for (var r = 0u; r < SUBGROUPS; r += 1u) {
          swept -= heavySums[r];
        }
      }
//#end
      if (thread < COUNTER_DIGITS) {
        var all = 0u;
        for (var r = 0u; r < SUBGROUPS; r += 1u) {
          all += sums[thread * SUBGROUPS + r];
        }
//#if COUNTED
        let expected = select(count, samples, thread == MAX_PASSES);
//#else
        let expected = swept;
//#end
        if (all != expected) {
          atomicStore(&missing, 1u);
        }
      }
      workgroupBarrier(); // all digits are looked at
      if (thread == 0u) {
        awaited = atomicLoad(&missing);
      }
      if (workgroupUniformLoad(&awaited) == 0u) {
        break;
      }
    }
//#unroll p in COUNTER_DIGITS
    atomicStore(&scanState[countsAt(p) + digit], 0u);
    if (total_p == swept) {
      atomicOr(&shared_, 1u << p);
    }
//#end
//#if COUNTED
//#unroll p in COUNTER_DIGITS
    let most_p = subgroupMax(total_p);
    if (lane == 0u) {
      atomicMax(&fullest[p], most_p);
    }
//#end
//#end
    workgroupBarrier(); // shared digits are noted
//#if COUNTED
//#include fragments/counted-decision.wgsl
//#else
    let isHybrid = false;
    let telling = ~atomicLoad(&shared_) & ((1u << MAX_PASSES) - 1u);
//#end
    // Keys in order need no pass.
    var decisive = select(telling, 0u, isSorted);
//#if HEAVY
//#include fragments/heavy-starts.wgsl
//#end
//#unroll p in MAX_PASSES
    if ((decisive & (1u << p)) != 0u) {
      // 2. Digit starts.
      var start = through_p - total_p;
      for (var r = 0u; r < number; r += 1u) {
        start += sums[p * SUBGROUPS + r];
      }
      let slot = countOneBits(decisive & ((1u << p) - 1u));
      atomicStore(&scanState[DIGIT_STARTS_AT + slot * RADIX + digit], start);
      // 3. The plan. Ping-pong: even passes read the caller's buffers, odd ones scratch.
      if (thread == p) {
        var pass_: Pass;
        pass_.shift = p * RADIX_BITS;
        pass_.width = RADIX_BITS;
        pass_.isFirst = select(0u, 1u, slot == 0u);
        pass_.isLast = select(0u, 1u, (decisive >> p) == 1u && !isHybrid);
        pass_.sourceOffset = select(offset, 0u, (slot & 1u) == 1u);
        pass_.targetOffset = select(0u, offset, (slot & 1u) == 1u);
        plan.passes[slot] = pass_;
      }
    }
//#end
    if (thread < TILE_COUNTERS) {
      atomicStore(&scanState[thread], 0u);
    }
    if (thread == 0u) {
//#if MAPPED
      plan.mode = BY_SWEEPS;
//#end
//#if COUNTED
      plan.mode = select(BY_SWEEPS, HYBRID_MODE, isHybrid && !isSorted);
      plan.batchBuckets = bucketsOfBatch(count, lowFullest, highFullest);
//#end
      plan.count = count;
      plan.offset = offset;
      plan.passesRun = countOneBits(decisive);
      plan.passesSkipped = MAX_PASSES - countOneBits(decisive);
    }
