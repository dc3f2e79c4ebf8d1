// Sorted records to words, in their order: without PAIRED the keys, with it which key comes to each position.
//
// In: user_slot0 and so on; user_order, with user_ordered the words that the records' positions stand for. Out: one word an element.
//   user_places0 and so on   for each bit of an element's number from bit CHANNEL_BITS on, lowest first, six in each: its
//                            place in the position, or from user_positionBits on in the slot
// Texture reads: 1 for four keys; with PAIRED 1 for two elements, 1 more an element by order.

uvec4 recordsAt(int texel) {
  int place = 0;
  int places = user_places0;
  for (int bit = 0; bit < 24; bit++) {
    if (bit == 6) places = user_places1;
    if (bit == 12) places = user_places2;
    if (bit == 18) places = user_places3;
    place |= (texel >> bit & 1) << (places & 31);
    places >>= 5;
  }
  ivec2 at = texelAt(place & ((1 << user_positionBits) - 1), user_slotBits);
  switch (place >> user_positionBits) {
    case 0: return texelFetch(user_slot0, at, 0);
    case 1: return texelFetch(user_slot1, at, 0);
    case 2: return texelFetch(user_slot2, at, 0);
#if SLOT_BITS == 3
    case 3: return texelFetch(user_slot3, at, 0);
    case 4: return texelFetch(user_slot4, at, 0);
    case 5: return texelFetch(user_slot5, at, 0);
    case 6: return texelFetch(user_slot6, at, 0);
    default: return texelFetch(user_slot7, at, 0);
#else
    default: return texelFetch(user_slot3, at, 0);
#endif
  }
}

#if PAIRED
uint storedWord(uint position) {
  return user_ordered == 0 ? position : wordAt(user_order, int(position), user_wordBits);
}

uvec4 stored() {
  int own = ownIndex(user_wordBits);
  uvec4 lower = recordsAt(2 * own);
  uvec4 upper = recordsAt(2 * own + 1);
  return uvec4(
    storedWord(lower.y), storedWord(lower.w), storedWord(upper.y), storedWord(upper.w)
  );
}
#else
// The inverse of load.glsl's orderedWord.
uint storedWord(uint ordered) {
  uint word = (ordered ^ uint(user_flip)) + uint(user_biasHigh);
  return word ^ uint(int(word) < 0 ? user_positiveHigh : user_negativeHigh);
}

uvec4 stored() {
  uvec4 keys = recordsAt(ownIndex(user_wordBits));
  return uvec4(storedWord(keys.x), storedWord(keys.y), storedWord(keys.z), storedWord(keys.w));
}
#endif
