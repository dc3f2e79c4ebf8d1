// Merge runs: the neighbouring sorted runs of a tile become one. Part of a function:
// regular-sampling/sort-buckets.wgsl.
//
// Reads: `pool` by itemAt and putItem, the words of the runs, one after the other; every run begins
// at a multiple of KEYS, and LAST_WORD stands where there is none. id; levels, how often the number
// of runs is halved until there is one; edgeOf, where a run begins, and runAt, which one has a
// place; isAfter; NARROW, TILE; KEYS, which is 8.
// Changes: `pool`, which is in order; equal words are the same. There is a barrier at the end.
// (All other names are its own.)
//
// For each level a thread makes KEYS places of the result:
//   1. A binary search along the diagonal of both runs' merge path tells how many items of each are
//      in the places before.
//   2. The next KEYS items of either run are a bitonic sequence, if the second one's are read
//      backwards. The smaller ones of such pairs are those of the thread, and a network sorts them.
// So there is one wait for the storage, where a merge item by item has KEYS.
// Barriers: before the runs are read, and before they are written over.
// Sources: Odeh, Green, Mwassi, Shmueli and Birk, "Merge path: parallel merging made simple", 2012;
// Batcher, "Sorting networks and their applications", 1968.

  for (var level = 0u; level < levels; level += 1u) {
    workgroupBarrier(); // the runs are there
    // 1. Search.
    let place = id * KEYS;
    let pair = runAt(place) >> (level + 1u);
    let a = edgeOf((2u * pair) << level);
    let b = edgeOf((2u * pair + 1u) << level);
    let end_ = edgeOf((2u * pair + 2u) << level);
    let diagonal = place - a;
    var fewest = max(diagonal, end_ - b) - (end_ - b);
    var most = min(diagonal, b - a);
    while (fewest < most) {
      let middle = (fewest + most) >> 1u;
      let isPast = isAfter(itemAt(a + middle), itemAt(b + diagonal - 1u - middle));
      most = select(most, middle, isPast);
      fewest = select(middle + 1u, fewest, isPast);
    }
    // 2. Merge.
    let fromA = a + fewest;
    let fromB = b + diagonal - fewest;
//#unroll i in KEYS
    let first_i = itemAt(min(fromA + i, TILE - 1u));
    let second_i = itemAt(min(fromB + KEYS - 1u - i, TILE - 1u));
//#end
    workgroupBarrier(); // the runs are read
//#unroll i in KEYS
    var item_i = select(LAST_WORD, first_i, fromA + i < b);
    {
      let other = select(LAST_WORD, second_i, fromB + KEYS - 1u - i < end_);
//#if NARROW
      item_i = min(item_i, other);
//#else
      item_i = select(item_i, other, isAfter(item_i, other));
//#end
    }
//#end
//#pairs low high in KEYS by 4
//#include fragments/exchange.wgsl
//#end
//#pairs low high in KEYS by 2
//#include fragments/exchange.wgsl
//#end
//#pairs low high in KEYS by 1
//#include fragments/exchange.wgsl
//#end
//#unroll i in KEYS
    putItem(place + i, item_i);
//#end
  }
  workgroupBarrier(); // the order is there
