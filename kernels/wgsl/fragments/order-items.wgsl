// Puts two items of a thread in order. Part of a function: fragments/kept-sort.wgsl.
//
// Reads and changes: word_low, found_low, word_high, found_high. Reads: isLater.

      {
        let isSwapped = isLater(word_low, found_low, word_high, found_high);
        let word = word_low;
        let place = found_low;
        word_low = select(word_low, word_high, isSwapped);
        found_low = select(found_low, found_high, isSwapped);
        word_high = select(word_high, word, isSwapped);
        found_high = select(found_high, place, isSwapped);
      }
