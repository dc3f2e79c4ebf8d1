// Exchange: brings two items of a lane into order. Part of a function: fragments/bitonic.wgsl.
//
// Reads: NARROW; isAfter without it. Changes: item_low and item_high.

        {
//#if NARROW
          let smaller = min(item_low, item_high);
          item_high = max(item_low, item_high);
          item_low = smaller;
//#else
          let swaps = isAfter(item_low, item_high);
          let smaller = select(item_low, item_high, swaps);
          item_high = select(item_high, item_low, swaps);
          item_low = smaller;
//#end
        }
