// Window starts: where the segments of a window begin. Part of a function:
// segments/even-sort.wgsl, segments/short-sort.wgsl.
//
// Reads: `window`, `isMixed`, `mine`, `lane`; `marks`, `starts`; SHORT, KEYS, SUBGROUP_SIZE.
// Defines: bits, a bit for each of KEYS places from `mine` on where a segment begins; before, the
// segments that begin before those; `starts` of all blocks: those of no segment have no keys.
// Barriers: after `starts` is written.

    let markAt = window.first + mine;
    let within = max(window.count, mine) - mine;
    var bits = 0u;
    if (within > 0u) {
      let next = marks[min((markAt >> 5u) + 1u, arrayLength(&marks) - 1u)];
      // A shift by 32 would be one by 0: the next word is moved in two steps.
      bits = (marks[markAt >> 5u] >> (markAt & 31u)) | ((next << (31u - (markAt & 31u))) << 1u);
      bits &= ~0u >> (32u - min(within, KEYS));
    }
    let before = subgroupExclusiveAdd(countOneBits(bits));
    let blocks = select(window.segments, 1u, isMixed);
    for (var block = blocks + lane; block < SHORT / window.slots; block += SUBGROUP_SIZE) {
      starts[block] = vec2u(0u);
    }
    if (isMixed) {
      if (lane == 0u) {
        starts[0] = vec2u(0u, window.count);
      }
    } else {
      var block = before;
      for (var rest = bits; rest != 0u; rest &= rest - 1u) {
        let at = mine + firstTrailingBit(rest);
        starts[block].x = at;
        if (block > 0u) {
          starts[block - 1u].y = at;
        }
        block += 1u;
      }
      if (lane == 0u) {
        starts[window.segments - 1u].y = window.count;
      }
    }
    workgroupBarrier(); // the starts are there
