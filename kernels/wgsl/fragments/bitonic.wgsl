// Bitonic: sorts the items of a subgroup in its registers, in blocks of `slots` items. Part of a
// function: segments/even-sort.wgsl, segments/short-sort.wgsl.
//
// Reads: `lane`; `mine`, the number of the lane's first item, lane × KEYS; `slots`, a power of two
// from 4 to SUBGROUP_SIZE × KEYS, the same for all lanes; NARROW, Item; isAfter without NARROW;
// KEYS, a power of two from 8 to 32. Changes: item_0 to item_(KEYS - 1).
//
// In each level of the network blocks of `size` items become sorted, alternately up and down, but
// in the last one all go up. Levels within a lane know their directions. In the others, and where
// one is the last, what should go the other way is complemented.
// Barriers: none. Source: Batcher, "Sorting networks and their applications", 1968.

    // 1. Within lanes.
    {
//#pairs low high in KEYS by 1 turned 2
//#include fragments/exchange.wgsl
//#end
    }
    {
      if (slots == 4u) {
//#pairs low high in KEYS by 4
        item_high = ~item_high;
//#end
      }
//#pairs low high in KEYS by 2 turned 4
//#include fragments/exchange.wgsl
//#end
//#pairs low high in KEYS by 1 turned 4
//#include fragments/exchange.wgsl
//#end
      if (slots == 4u) {
//#pairs low high in KEYS by 4
        item_high = ~item_high;
//#end
      }
    }
//#if KEYS > 8
    if (slots >= 8u) {
      if (slots == 8u) {
//#pairs low high in KEYS by 8
        item_high = ~item_high;
//#end
      }
//#pairs low high in KEYS by 4 turned 8
//#include fragments/exchange.wgsl
//#end
//#pairs low high in KEYS by 2 turned 8
//#include fragments/exchange.wgsl
//#end
//#pairs low high in KEYS by 1 turned 8
//#include fragments/exchange.wgsl
//#end
      if (slots == 8u) {
//#pairs low high in KEYS by 8
        item_high = ~item_high;
//#end
      }
    }
//#end
//#if KEYS > 16
    if (slots >= 16u) {
      if (slots == 16u) {
//#pairs low high in KEYS by 16
        item_high = ~item_high;
//#end
      }
//#pairs low high in KEYS by 8 turned 16
//#include fragments/exchange.wgsl
//#end
//#pairs low high in KEYS by 4 turned 16
//#include fragments/exchange.wgsl
//#end
//#pairs low high in KEYS by 2 turned 16
//#include fragments/exchange.wgsl
//#end
//#pairs low high in KEYS by 1 turned 16
//#include fragments/exchange.wgsl
//#end
      if (slots == 16u) {
//#pairs low high in KEYS by 16
        item_high = ~item_high;
//#end
      }
    }
//#end
    // 2. Across lanes.
    var turned = 0u;
    for (var size = KEYS; size <= slots; size *= 2u) {
      let turns = select(0u, ~0u, (mine & size) != 0u && size != slots);
//#unroll i in KEYS
      item_i ^= Item(turns ^ turned);
//#end
      turned = turns;
      for (var step = size / 2u; step >= KEYS; step /= 2u) {
        let isLower = (mine & step) == 0u;
//#unroll i in KEYS
        {
          let other = subgroupShuffleXor(item_i, step / KEYS);
//#if NARROW
          item_i = select(max(item_i, other), min(item_i, other), isLower);
//#else
          item_i = select(item_i, other, isAfter(item_i, other) == isLower);
//#end
        }
//#end
      }
//#if KEYS > 16
//#pairs low high in KEYS by 16
//#include fragments/exchange.wgsl
//#end
//#end
//#if KEYS > 8
//#pairs low high in KEYS by 8
//#include fragments/exchange.wgsl
//#end
//#end
//#if KEYS > 4
//#pairs low high in KEYS by 4
//#include fragments/exchange.wgsl
//#end
//#end
//#pairs low high in KEYS by 2
//#include fragments/exchange.wgsl
//#end
//#pairs low high in KEYS by 1
//#include fragments/exchange.wgsl
//#end
    }
