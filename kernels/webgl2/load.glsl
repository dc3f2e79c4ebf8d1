// Words to records: each fragment makes records of words, and sorts them.
//
// In: user_words, words of keys, one a key or two, low one first; user_order, with user_ordered the key that comes
// to each position, a word. Out: the slots, 2^user_positionBits texels each, of records that are sorted, downwards where the position's
// highest bit is set; inverted for the next stage where the second highest is, see merge.glsl. Elements from user_count on are padding: the largest record there is.
// Texture reads: 1 a texel of keys alone; with PAIRED 1 a record, 2 for keys of two words, 1 more by order.
//
// Which records a fragment gets is of no account; these are such that neighbours read neighbours.
//
// A word of the key that is ordered as the key is (see core's transform.ts): bits are inverted by masks that depend on
// the sign, a bias is subtracted, words over the ceiling are ties, bits that are not asked for are 0. Keys are 64 bits wide
// here; those of up to 32 are the high half.
//
// The network is the bitonic one of merge.glsl, its first stages.

uint orderedWord(uint low, uint high) {
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

#if PAIRED
uvec2 recordAt(int position) {
  if (position >= user_count) return uvec2(0xffffffffu, uint(position));
  int key = position;
  if (user_ordered != 0) key = int(wordAt(user_order, position, user_orderBits));
  uint low = 0u;
  if (user_wide != 0) {
    low = wordAt(user_words, 2 * key, user_wordBits);
    key = 2 * key + 1;
  }
  uint high = wordAt(user_words, key, user_wordBits);
  return uvec2(orderedWord(low, high), uint(position));
}

uvec4 recordsAt(int texel) {
  return uvec4(recordAt(2 * texel), recordAt(2 * texel + 1));
}
#else
uvec4 recordsAt(int texel) {
  uvec4 words = texelFetch(user_words, texelAt(texel, user_wordBits), 0);
  int first = 4 * texel;
  return uvec4(
    first < user_count ? orderedWord(0u, words.x) : 0xffffffffu,
    first + 1 < user_count ? orderedWord(0u, words.y) : 0xffffffffu,
    first + 2 < user_count ? orderedWord(0u, words.z) : 0xffffffffu,
    first + 3 < user_count ? orderedWord(0u, words.w) : 0xffffffffu
  );
}
#endif

uvec4 loaded() {
  int own = ownIndex(user_slotBits);
#define READ(t, slot) t = recordsAt(own | slot << user_positionBits);
  EACH(READ)
  TURN(false, 1)
#define SORT_WITHIN(t, slot) t = sortedWithin(t);
  EACH(SORT_WITHIN)
  int highest = own >> (user_positionBits - 2);
  bool isInverted = highest > 1;
  TURN(false, 3)
  STEP_1 WITHIN
#if SLOT_BITS == 3
  TURN(false, 6)
  STEP_2 STEP_1 WITHIN
  TURN(isInverted, 4)
  STEP_4 STEP_2 STEP_1 WITHIN
#else
  TURN(isInverted, 2)
  STEP_2 STEP_1 WITHIN
#endif
  TURN(isOdd(highest), 0)
  return t0;
}
