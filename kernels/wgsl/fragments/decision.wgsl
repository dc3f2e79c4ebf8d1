// Decision: whether a sort is hybrid, by the counts of the sample. Part of a function:
// hybrid/sample.wgsl, of its last workgroup.
//
// Input: the sample's counts in `scanState`. Output: `plan`; the sample's counts, zero for the next
// sort.
//
// Reads: thread, count, groups, own, lowest, within, shift; `plan`, `scanState`; `order`;
// `counted`, `found`, `fullest`, refuse; THREADS == RADIX.
// Defines: nothing. (ownDigit, fullestCell, samples are its own.)
//
// The counts of other workgroups may come late, since WGSL orders no two additions: they are read
// until they are complete.
//
// Barriers: between the reads of the counters and the decision, as noted.

    let samples = own * groups.x;
    var ownDigit = 0u;
    var fullestCell = 0u;
    loop {
      if (thread == 0u) {
        atomicStore(&counted, 0u);
      }
      workgroupBarrier(); // nothing is counted
      ownDigit = atomicLoad(&scanState[SAMPLE_AT + thread]);
      fullestCell = 0u;
      var keysSeen = ownDigit;
      for (var at = thread; at < SAMPLE_CELLS; at += THREADS) {
        let inCell = atomicLoad(&scanState[SAMPLE_AT + RADIX + at]);
        keysSeen += inCell;
        fullestCell = max(fullestCell, inCell);
      }
      atomicAdd(&counted, keysSeen);
      workgroupBarrier(); // all counters are read
      if (thread == 0u) {
        found = atomicLoad(&counted);
      }
      // Each key is in a digit and in a cell.
      if (workgroupUniformLoad(&found) == 2u * samples) {
        break;
      }
    }
    for (var at = thread; at < RADIX + SAMPLE_CELLS; at += THREADS) {
      atomicStore(&scanState[SAMPLE_AT + at], 0u);
    }
    atomicMax(&fullest[0], ownDigit);
    atomicMax(&fullest[1], fullestCell);
    workgroupBarrier(); // the fullest are known
    if (thread == 0u) {
      // How much fuller than all the fullest digit is. A batch has to hold a bucket of it.
      let all = f32(samples);
      let fullness = f32(atomicLoad(&fullest[0])) * f32(RADIX) / all;
      let isEven = fullness <= 4.0 && fullness * f32(count) <= f32(BATCH_AIM) * f32(BUCKETS);
      // What keys that are evenly spread hardly ever reach.
      let mean = all / f32(SAMPLE_CELLS);
      let isFlat = f32(atomicLoad(&fullest[1])) <= mean + 6.0 * sqrt(mean) + 8.0;
      if (order.leastHybrid == 0u || (isEven && isFlat)) {
        plan.isHybrid = 1u;
        plan.bounds = vec2u(lowest, lowest | within);
        plan.bucketShift = shift + 32u * HIGHEST_WORD;
      } else {
        refuse();
      }
    }
