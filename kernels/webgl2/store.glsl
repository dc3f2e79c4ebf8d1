// Sorted records to words, in their order: without PAIRED the keys, with it which key comes to each position.
//
// In: user_slot0 and so on; user_order, with user_ordered the words that the records' positions stand for. Bits of an element's
// number above its slot go in groups of SLOT_BITS, and group g is in its position from bit 5 g of user_offsets (g < 6) or
// 5 (g - 6) of user_moreOffsets on. Out: one word an element, as four bytes.
// Texture reads: 1 an element, 1 more by order.

vec4 stored() {
  int own = ownIndex(user_wordBits);
  int position = 0;
  int bits = own >> SLOT_BITS;
  int offsets = user_offsets;
  for (int g = 0; g < 12; g++) {
    if (g == 6) offsets = user_moreOffsets;
    position |= (bits & ((1 << SLOT_BITS) - 1)) << (offsets & 31);
    bits >>= SLOT_BITS;
    offsets >>= 5;
  }
  Record record = recordAt(own & ((1 << SLOT_BITS) - 1), position);
#if PAIRED
  if (user_ordered == 0) return bytesOf(record.y);
  return texelFetch(user_order, texelAt(int(record.y), user_wordBits), 0);
#else
  // The inverse of load.glsl's keyAt.
  uint word = (record ^ uint(user_flip)) + uint(user_biasHigh);
  return bytesOf(word ^ uint(int(word) < 0 ? user_positiveHigh : user_negativeHigh));
#endif
}
