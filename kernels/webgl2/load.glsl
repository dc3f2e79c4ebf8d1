// Words to records: each fragment makes records of its neighbours, one a slot, and sorts them.
//
// In: user_words, words of keys, one a key or two, low one first; user_order, with user_ordered the key that comes
// to each position, a word. Out: the slots, sorted ascending; descending where the position's lowest bit is set, which
// they show by having all bits inverted, see merge.glsl. Elements from user_count on are padding: the largest
// record there is.
// Texture reads: 1 a record, 2 for keys of two words, 1 more by order. Comparisons: 19 for eight slots, 5 for four.
//
// A word of the key that is ordered as the key is (see core's transform.ts): bits are inverted by masks that depend on
// the sign, a bias is subtracted, words over the ceiling are ties, bits that are not asked for are 0. Keys are 64 bits wide
// here; those of up to 32 are the high half.
//
// The network is odd-even merge sort: Batcher, "Sorting networks and their applications" (1968).

uint keyAt(int key) {
  uint high, low;
  if (user_wide != 0) {
    low = wordOfBytes(texelFetch(user_words, texelAt(2 * key, user_wordBits), 0));
    high = wordOfBytes(texelFetch(user_words, texelAt(2 * key + 1, user_wordBits), 0));
  } else {
    low = 0u;
    high = wordOfBytes(texelFetch(user_words, texelAt(key, user_wordBits), 0));
  }
  bool isNegative = int(high) < 0;
  high ^= uint(isNegative ? user_negativeHigh : user_positiveHigh);
  low ^= uint(isNegative ? user_negativeLow : user_positiveLow);
  high -= uint(user_biasHigh) + (low < uint(user_biasLow) ? 1u : 0u);
  low -= uint(user_biasLow);
  uint ceilingHigh = uint(user_ceilingHigh);
  uint ceilingLow = uint(user_ceilingLow);
  if (high > ceilingHigh || (high == ceilingHigh && low > ceilingLow)) {
    high = ceilingHigh;
    low = ceilingLow;
  }
  high = (high ^ uint(user_flip)) & uint(user_maskHigh);
  low = (low ^ uint(user_flip)) & uint(user_maskLow);
  return user_low != 0 ? low : high;
}

Record recordAt(int position) {
  bool isPadding = position >= user_count;
#if PAIRED
  uint word = 0xffffffffu;
  if (!isPadding) {
    int key = position;
    if (user_ordered != 0) {
      key = int(wordOfBytes(texelFetch(user_order, texelAt(position, user_orderBits), 0)));
    }
    word = keyAt(key);
  }
  return Record(word, uint(position));
#else
  return isPadding ? 0xffffffffu : keyAt(position);
#endif
}

Texel loaded() {
  int own = ownIndex(user_slotBits);
  int first = own << SLOT_BITS;
  Record invert = Record((own & 1) == 0 ? 0u : 0xffffffffu);
  r0 = recordAt(first) ^ invert;
  r1 = recordAt(first | 1) ^ invert;
  r2 = recordAt(first | 2) ^ invert;
  r3 = recordAt(first | 3) ^ invert;
  ORDER(r0, r1) ORDER(r2, r3)
  ORDER(r0, r2) ORDER(r1, r3)
  ORDER(r1, r2)
#if SLOT_BITS == 3
  r4 = recordAt(first | 4) ^ invert;
  r5 = recordAt(first | 5) ^ invert;
  r6 = recordAt(first | 6) ^ invert;
  r7 = recordAt(first | 7) ^ invert;
  ORDER(r4, r5) ORDER(r6, r7)
  ORDER(r4, r6) ORDER(r5, r7)
  ORDER(r5, r6)
  ORDER(r0, r4) ORDER(r1, r5) ORDER(r2, r6) ORDER(r3, r7)
  ORDER(r2, r4) ORDER(r3, r5)
  ORDER(r1, r2) ORDER(r3, r4) ORDER(r5, r6)
#endif
  return slotOf(0);
}
