// Makes words of sorted records, in order: the keys' bits, or with PAIRED which key comes to each
// place.
//
// In (arguments are named user_ and their name in store.kernel.js):
//   slot0 to slot7   the sorted records: textures of 2^positionBits texels, 2^slotBits wide
//   order            with ordered = 1, texture of words: the key that each record's position stands
//                    for
//   wordBits         width of the textures of words and of the output, as a power of two
//   places0 to 3     six bits of an element's number in each, from bit CHANNEL_BITS on, lowest
//                    first. For each, five bits: its place in the position, or from positionBits on
//                    in the slot
//   flip, bias, positive, negative (High)   the order of the keys, as in load.glsl
// Out: a texture of words, one word an element, four a texel.
// Texture reads: one for four keys. With PAIRED one for two elements, and one more for each element
//   with `ordered`.

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
