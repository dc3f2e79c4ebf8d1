// Lookback: for every digit, how many keys of it are in earlier tiles, before_0 to before_(DIGITS - 1); and from that
// `bases`, what has to be added to a place in the tile to make it a place in the target.
//
// A thread goes back from its tile, adding the counts of tiles that have been counted, until it meets one that has been
// summed up (Merrill and Garland, "Single-pass parallel prefix scan with decoupled look-back", 2016, 4.2), AHEAD statuses at a time.
// It waits for a tile PATIENCE times. WebGPU promises no forward progress: the workgroup that has the tile may have been
// put aside for those that wait. Then this workgroup counts the tile's keys itself, from the pass's source, which nobody
// writes to (after Smith, Levien and Owens, "Decoupled Fallback", 2025).
// Barriers: between bases, the tile that is waited for, and its recount, in turn.

//#unroll j in DIGITS_PER_THREAD
    var before_j = 0u;
    /// Tiles that still have to be looked at, from the first on.
    var left_j = select(0u, tile_, hasBins);
//#end
    loop {
      var waiting = 0u;
//#unroll j in DIGITS_PER_THREAD
      for (var looks = LOOK_LIMIT; left_j > 0u && looks > 0u; looks -= 1u) {
        let last_j = left_j;
//#unroll k in LOOK_AHEAD
        let status_j_k = atomicLoad(&scanState[STATUSES_AT + (max(last_j, k + 1u) - 1u - k) * RADIX + bin_j]);
//#end
//#unroll k in LOOK_AHEAD
        // Only when those in between were known.
        if (left_j > 0u && left_j + k == last_j) {
          let kind = status_j_k & STATUS_MASK;
          if (kind == prefixFlag(slot)) {
            before_j += status_j_k >> STATUS_BITS;
            left_j = 0u;
          } else if (kind == aggregateFlag(slot)) {
            before_j += status_j_k >> STATUS_BITS;
            left_j -= 1u;
          }
        }
//#end
      }
      waiting = max(waiting, left_j);
      if (hasBins) {
        if (left_j == 0u && tile_ > 0u && tile_ + 1u != STALLED_TILE) {
          let sum = before_j + total_j;
          atomicStore(&scanState[STATUSES_AT + tile_ * RADIX + bin_j], (sum << STATUS_BITS) | prefixFlag(slot));
        }
        atomicStore(&bases[bin_j], begin_j + before_j - start_j);
      }
//#end
      if (waiting > 0u) {
        atomicMax(&stalled, waiting);
      }
      workgroupBarrier(); // all threads are through, or have said what they wait for
      if (thread == 0u) {
        awaited = atomicExchange(&stalled, 0u);
      }
      let missing = workgroupUniformLoad(&awaited);
      if (missing == 0u) {
        break;
      }

      // Tile missing - 1, counted in the place of the bases.
      for (var digit = thread; digit < RADIX; digit += THREADS) {
        atomicStore(&bases[digit], 0u);
      }
      workgroupBarrier(); // the counters are zero
      let from_ = pass_.sourceOffset + (missing - 1u) * TILE;
      for (var at = thread; at < TILE; at += THREADS) {
        let key = sourceKeys[from_ + at];
        let word = select(key, wordOf(key, order), isFirst);
        atomicAdd(&bases[digitAt(decisiveWord(word, order), shift, mask)], 1u);
      }
      workgroupBarrier(); // the tile is counted
//#unroll j in DIGITS_PER_THREAD
      if (left_j == missing) {
        before_j += atomicLoad(&bases[bin_j]);
        left_j -= 1u;
      }
//#end
    }
