// Makes records of words. Each fragment makes 2^SLOT_BITS texels of them, and sorts these.
//
// In (arguments are named user_ and their name in load.kernel.js):
//   words         texture of words, four a texel: the bits of the keys, one word a key (narrow keys
//                 in the high bits), or with wide = 1 two, the low one first
//   order         with ordered = 1, texture of words: the index of the key that comes to each
//                 position
//   count         elements; the ones after them are padding, the largest record there is
//   wide, low     whether keys are two words, and whether the low one becomes the record's word
//   ordered       whether keys are read in the order of `order`
//   wordBits, orderBits, slotBits   widths of the textures words, order and slots, as powers of two
//   positionBits  a slot has 2^positionBits texels
//   negative, positive, bias, ceiling, mask (High and Low), flip   the key order, see orderedWord
// Out: the slots, textures of records. The 2^(SLOT_BITS + CHANNEL_BITS) records of a fragment are a
//   sorted run: downwards where the highest bit of the fragment's position is set. All bits are
//   inverted where the second highest bit is set: the next stage works downwards (merge.glsl).
// Texture reads: one a texel of keys alone. With PAIRED one a record, two for keys of two words,
//   and one more with `ordered`.
//
// Which elements a fragment gets does not matter for the result. It gets 2^SLOT_BITS texels of
// which neighbouring fragments get the neighbours, so that reads are close together.
//
// Source: the first stages of the network in merge.glsl.

// The word of a key, which compares as the key does: the key transform of
// packages/core/src/keys/transform.ts. Bits are inverted by masks that depend on the sign, and a bias is
// subtracted. Words over the ceiling are ties. Bits that do not decide are 0. Keys are 64 bits wide
// here; narrower ones are the high half.
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
