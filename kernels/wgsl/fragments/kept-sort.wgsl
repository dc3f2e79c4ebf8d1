// Kept sort: sorts what a workgroup keeps of a row, in its storage.
//
// Reads: THREADS; `words` and `found`, the word of each item and its place in the row; isLater.
// Defines: sortKept.
// Barriers: one before, and one after each step. Source: Batcher, "Sorting networks and their
// applications", 1968; the first step of each merge compares an item with its mirror image, so that
// all go up, and what is past the end need not be there.

fn orderItems(low: u32, high: u32) {
  let lowWord = words[low];
  let highWord = words[high];
  let lowFound = found[low];
  let highFound = found[high];
  if (isLater(lowWord, lowFound, highWord, highFound)) {
    words[low] = highWord;
    words[high] = lowWord;
    found[low] = highFound;
    found[high] = lowFound;
  }
}

/// Puts items [0, count) in order.
fn sortKept(thread: u32, count: u32) {
  workgroupBarrier(); // the items are there
  for (var half = 1u; half < count; half *= 2u) {
    // Blocks of 2 × half items, of two halves that are in order.
    for (var pair = thread; pair < count; pair += THREADS) {
      let within = pair & (half - 1u);
      let start = 2u * (pair - within);
      let high = start + 2u * half - 1u - within;
      if (high >= count) {
        if (start >= count) {
          break;
        }
        continue;
      }
      orderItems(start + within, high);
    }
    workgroupBarrier(); // the step is done
    for (var step = half / 2u; step > 0u; step /= 2u) {
      for (var pair = thread; 2u * pair < count; pair += THREADS) {
        let within = pair & (step - 1u);
        let low = 2u * (pair - within) + within;
        if (low + step >= count) {
          break;
        }
        orderItems(low, low + step);
      }
      workgroupBarrier(); // the step is done
    }
  }
}
