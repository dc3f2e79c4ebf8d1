// Bucket starts: where the room of each bucket of a hybrid sort begins (bucket-rooms.wgsl), as many
// places as keys were counted in it, times `stride`. The scan of the counts. Part of a function:
// chained-scan/histogram.wgsl, COUNTS_BUCKETS, of its last workgroup.
//
// Input: the digit counts of `scanState`, of one digit.
// Output: `scanState`: the digit starts of the first split, and the starts of the rooms, which are
// the same; its digit counts and tile counters, zero for the next sort; `plan`. Of keys that are in
// order nothing more is done.
//
// Reads: thread, lane, number, count, counted, stride, offset, isSorted; `plan`, `scanState`;
// THREADS == RADIX: a thread a bucket; HYBRID_PASSES, MAX_PASSES; `sums`, `awaited`;
// inclusiveAdd of fragments/lanes.wgsl.
// Defines: nothing. (bucket, total, start are its own.)
//
// Barriers: before sums of other subgroups are read.

    let bucket = number * SUBGROUP_SIZE + lane;
    var total = 0u;
    var start = 0u;
    loop {
      if (thread == 0u) {
        awaited = 0u;
      }
      total = atomicLoad(&scanState[DIGIT_COUNTS_AT + bucket]);
      let through = inclusiveAdd(total, thread);
      if (lane == SUBGROUP_SIZE - 1u) {
        sums[number] = through;
      }
      workgroupBarrier(); // all subgroups have added up
      start = through - total;
      for (var r = 0u; r < number; r += 1u) {
        start += sums[r];
      }
      if (bucket == RADIX - 1u) {
        awaited = select(0u, 1u, start + total == counted);
      }
      if (workgroupUniformLoad(&awaited) == 1u) {
        break;
      }
    }
    atomicStore(&scanState[DIGIT_COUNTS_AT + bucket], 0u);
    atomicStore(&scanState[DIGIT_STARTS_AT + bucket], start * stride);
    atomicStore(&scanState[BUCKET_STARTS_AT + bucket], start * stride);
    atomicStore(&scanState[BUCKET_ENDS_AT + bucket], 0u);
    atomicStore(&scanState[BUCKET_ENDS_AT + RADIX + bucket], 0u);
    if (thread < TILE_COUNTERS) {
      atomicStore(&scanState[thread], 0u);
    }
    if (bucket == RADIX - 1u) {
      plan.mode = select(HYBRID_MODE, IN_ORDER, isSorted);
      plan.count = count;
      plan.offset = offset;
      plan.passesRun = select(HYBRID_PASSES, 0u, isSorted);
      plan.passesSkipped = MAX_PASSES - select(HYBRID_PASSES, 0u, isSorted);
      // From the caller's buffers to scratch, and back; batches leave as raw bits.
      plan.passes[0] = Pass(vec2u(0u), 0u, 0u, 1u, 0u, offset, 0u);
      plan.passes[1] = Pass(vec2u(0u), 0u, 0u, 0u, 0u, 0u, offset);
    }
