// Bucket starts: where each bucket of a hybrid sort begins, and the tiles of the second split. The
// scan of the counts. Part of a function: chained-scan/histogram.wgsl, COUNTS_BUCKETS, of its last
// workgroup.
//
// Input: the digit counts of `scanState`, of one digit.
// Output: `scanState`: the digit starts of the first split, the starts of the buckets, the bounds
// of their tiles; its digit counts and tile counters, zero for the next sort; `plan`. Of keys that
// are in order nothing more is done. Memory: 8 bytes a tile.
//
// Reads: thread, lane, number, count, offset, isSorted; `plan`, `scanState`; THREADS == RADIX: a
// thread a bucket; TILE, HYBRID_PASSES, MAX_PASSES; `sums`, `awaited`.
// Defines: nothing. (bucket, total, start, tiles, firstTile, list and so on are its own.)
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
      let through = subgroupInclusiveAdd(total);
      if (lane == SUBGROUP_SIZE - 1u) {
        sums[number] = through;
      }
      workgroupBarrier(); // all subgroups have added up
      start = through - total;
      for (var r = 0u; r < number; r += 1u) {
        start += sums[r];
      }
      if (bucket == RADIX - 1u) {
        awaited = start + total;
      }
      if (workgroupUniformLoad(&awaited) == count) {
        break;
      }
    }
    let tiles = (total + TILE - 1u) / TILE;
    let tilesThrough = subgroupInclusiveAdd(tiles);
    if (lane == SUBGROUP_SIZE - 1u) {
      sums[number] = tilesThrough;
    }
    workgroupBarrier(); // all subgroups have added up
    var firstTile = tilesThrough - tiles;
    for (var r = 0u; r < number; r += 1u) {
      firstTile += sums[r];
    }
    atomicStore(&scanState[DIGIT_COUNTS_AT + bucket], 0u);
    atomicStore(&scanState[DIGIT_STARTS_AT + bucket], start);
    atomicStore(&scanState[BUCKET_STARTS_AT + bucket], start);
    atomicStore(&scanState[BUCKET_ENDS_AT + bucket], 0u);
    atomicStore(&scanState[BUCKET_ENDS_AT + RADIX + bucket], 0u);
    let list = tilesAt(count);
    for (var tile_ = 0u; tile_ < tiles; tile_ += 1u) {
      let at = list + 2u * (firstTile + tile_);
      atomicStore(&scanState[at], start + tile_ * TILE);
      atomicStore(&scanState[at + 1u], (min(TILE, total - tile_ * TILE) << RADIX_BITS) | bucket);
    }
    if (thread < TILE_COUNTERS) {
      atomicStore(&scanState[thread], 0u);
    }
    if (bucket == RADIX - 1u) {
      plan.bucketTiles = select(firstTile + tiles, 0u, isSorted);
      plan.mode = select(HYBRID_MODE, IN_ORDER, isSorted);
      plan.count = count;
      plan.offset = offset;
      plan.passesRun = select(HYBRID_PASSES, 0u, isSorted);
      plan.passesSkipped = MAX_PASSES - select(HYBRID_PASSES, 0u, isSorted);
      // From the caller's buffers to scratch, and back; batches leave as raw bits.
      plan.passes[0] = Pass(vec2u(0u), 0u, 0u, 1u, 0u, offset, 0u);
      plan.passes[1] = Pass(vec2u(0u), 0u, 0u, 0u, 0u, 0u, offset);
    }
