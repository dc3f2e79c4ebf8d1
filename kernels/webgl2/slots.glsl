// The record of slot `slot` at `position`. In front of the kernels that read slots.

Record recordAt(int slot, int position) {
  ivec2 at = texelAt(position, user_slotBits);
  switch (slot) {
    case 0: return recordOf(texelFetch(user_slot0, at, 0).channels);
    case 1: return recordOf(texelFetch(user_slot1, at, 0).channels);
    case 2: return recordOf(texelFetch(user_slot2, at, 0).channels);
#if SLOT_BITS == 3
    case 3: return recordOf(texelFetch(user_slot3, at, 0).channels);
    case 4: return recordOf(texelFetch(user_slot4, at, 0).channels);
    case 5: return recordOf(texelFetch(user_slot5, at, 0).channels);
    case 6: return recordOf(texelFetch(user_slot6, at, 0).channels);
    default: return recordOf(texelFetch(user_slot7, at, 0).channels);
#else
    default: return recordOf(texelFetch(user_slot3, at, 0).channels);
#endif
  }
}
