// Kept sort: sorts what a workgroup keeps of a row, in its storage.
//
// Reads: THREADS, CAPACITY, BY_EIGHT; LARGEST, isLater.
// Defines: `words` and `found`, the word of each item and its place in the row; slotOf, where in
// them an item is; sortKept.
// Workgroup storage: (4 × KEY_WORDS + 4) bytes for each slot of CAPACITY items.
// Barriers: one before, and one after each round.
//
// A merge compares each item of a block of 2 × half with its mirror image, and then those that are
// half / 2, half / 4, … apart, so that all blocks go up, and what is past the end need not be
// there.
// With BY_EIGHT a thread has eight items of a round, a step q apart each, in its registers, which
// takes it three of these steps; those at the end of a merge may be done twice, which changes
// nothing. Few items are spread over more threads two by two, a step a round.
// Source: Batcher, "Sorting networks and their applications", 1968.

var<workgroup> words: array<Key, CAPACITY + CAPACITY / 8u>;
var<workgroup> found: array<u32, CAPACITY + CAPACITY / 8u>;

/// One free slot for every eight, so that threads find theirs in different banks.
fn slotOf(item: u32) -> u32 {
  return item + item / 8u;
}

//#if BY_EIGHT
/// One round on items [0, count): steps of 4q, by mirror images if `isMirrored`, 2q and q. With
/// `isFirst` the eight items are sorted.
fn sortRound(thread: u32, count: u32, q: u32, isMirrored: bool, isFirst: bool) {
  for (var group = thread; group * 8u < count + 8u * q; group += THREADS) {
    let within = group & (q - 1u);
    let start = 8u * (group - within);
    if (start + within >= count) {
      continue;
    }
    let turned = select(within, q - 1u - within, isMirrored);
//#unroll i in 8
    let item_i = start + i * q + select(within, turned, i > 3u);
    let slot_i = slotOf(min(item_i, count - 1u));
    var word_i = LARGEST;
    var found_i = ~0u;
    if (item_i < count) {
      word_i = words[slot_i];
      found_i = found[slot_i];
    }
//#end
    if (isFirst) {
//#pairs low high in 8 by 1
//#include fragments/order-items.wgsl
//#end
      // The mirror images of blocks of four.
//#pairs low high in 8 by 2 crossed 1
//#include fragments/order-items.wgsl
//#end
//#pairs low high in 8 by 1
//#include fragments/order-items.wgsl
//#end
    }
    if (isMirrored) {
//#pairs low high in 8 by 4 crossed 3
//#include fragments/order-items.wgsl
//#end
    } else {
//#pairs low high in 8 by 4
//#include fragments/order-items.wgsl
//#end
    }
//#pairs low high in 8 by 2
//#include fragments/order-items.wgsl
//#end
//#pairs low high in 8 by 1
//#include fragments/order-items.wgsl
//#end
//#unroll i in 8
    if (item_i < count) {
      words[slot_i] = word_i;
      found[slot_i] = found_i;
    }
//#end
  }
  workgroupBarrier(); // the round is done
}

/// Puts items [0, count) in order.
fn sortKept(thread: u32, count: u32) {
  workgroupBarrier(); // the items are there
  // Blocks of 2 × half items, of two halves that are in order but for the first round.
  var half = 4u;
  var q = 1u;
  var isMirrored = true;
  loop {
    sortRound(thread, count, q, isMirrored, half == 4u);
    if (q > 1u) {
      // The next step is q / 2.
      q = max(q / 8u, 1u);
      isMirrored = false;
    } else {
      half *= 2u;
      if (half >= count) {
        break;
      }
      q = half / 4u;
      isMirrored = true;
    }
  }
}
//#else
fn orderTwo(low: u32, high: u32) {
  let lowWord = words[slotOf(low)];
  let lowFound = found[slotOf(low)];
  let highWord = words[slotOf(high)];
  let highFound = found[slotOf(high)];
  if (isLater(lowWord, lowFound, highWord, highFound)) {
    words[slotOf(low)] = highWord;
    found[slotOf(low)] = highFound;
    words[slotOf(high)] = lowWord;
    found[slotOf(high)] = lowFound;
  }
}

/// Puts items [0, count) in order.
fn sortKept(thread: u32, count: u32) {
  workgroupBarrier(); // the items are there
  for (var half = 1u; half < count; half *= 2u) {
    for (var step = half; step > 0u; step /= 2u) {
      for (var pair = thread; 2u * pair < count + 2u * step; pair += THREADS) {
        let within = pair & (step - 1u);
        let start = 2u * (pair - within);
        let high = start + select(step + within, 2u * step - 1u - within, step == half);
        if (high < count) {
          orderTwo(start + within, high);
        }
      }
      workgroupBarrier(); // the step is done
    }
  }
}
//#end
