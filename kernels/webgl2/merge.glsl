// One pass of the bitonic network: up to SLOT_BITS of its steps, and those within texels.
//
// A step compares elements whose numbers differ in one bit. CHANNEL_BITS bits of an element's number, the lowest, are its place in
// a texel, SLOT_BITS others its slot, the rest, in some order, its position. A pass exchanges all bits of the slot for bits of the
// position; then the steps of these bits need nothing but the fragment's own records. The steps within texels never need
// more: they are the last of each stage. Which bits are exchanged, packages/webgl2/src/network/plan.ts plans.
//
// In: user_slot0 and so on, the records before. Out: the same, after.
//   user_given   for each bit of the slot, the lowest first, the place in the position that it goes to: all that a fragment reads is in
//                one texture, and these bits of its position say in which
//   user_taken   where the bit comes from that takes its place in the slot; what was at the place given comes there, if it is another
//   user_steps   steps that are due, 1 to SLOT_BITS: of the slot's highest bits, the highest first
//   user_end     after how many of these a stage ends, and the next begins; 0 for never
//   user_turnedPositions, user_turnedSlots   at the end of a stage, masks of an element's number, see below
// Texture reads: 1 a texel. Comparisons: half of one a record and step.
//
// Half the comparators of a bitonic sorter work downwards. Records that they work on have all bits inverted, so that all work
// upwards. Which these are changes with the stage: an element's bits in the masks tell, if an odd number is set, that it
// is inverted, or no longer.
//
// Batcher, "Sorting networks and their applications" (1968); for fragment shaders: Purcell, Donner, Cammarano, Jensen
// and Hanrahan, "Photon mapping on programmable graphics hardware" (2003). Several steps a pass, by writing several records a
// fragment, are not in there.

void endStage(bool isTurned) {
  WITHIN
  TURN(isTurned, user_turnedSlots)
}

uvec4 merged() {
  int own = ownIndex(user_slotBits);
  int slot = 0;
  int position = own;
  for (int i = 0; i < SLOT_BITS; i++) {
    int taken = placeOf(user_taken, i);
    int given = placeOf(user_given, i);
    slot |= (own >> given & 1) << i;
    position = (position & ~(1 << given)) | (own >> taken & 1) << given;
    position &= ~(1 << taken);
  }
  ivec2 at = texelAt(position, user_slotBits);
  ivec2 to1 = texelAt(1 << placeOf(user_taken, 0), user_slotBits);
  ivec2 to2 = texelAt(1 << placeOf(user_taken, 1), user_slotBits);
#if SLOT_BITS == 3
  ivec2 to4 = texelAt(1 << placeOf(user_taken, 2), user_slotBits);
#define READ_UPPER(records) \
    t4 = texelFetch(records, at + to4, 0); \
    t5 = texelFetch(records, at + to4 + to1, 0); \
    t6 = texelFetch(records, at + to4 + to2, 0); \
    t7 = texelFetch(records, at + to4 + to2 + to1, 0);
#else
#define READ_UPPER(records)
#endif
#define READ(records) \
    t0 = texelFetch(records, at, 0); \
    t1 = texelFetch(records, at + to1, 0); \
    t2 = texelFetch(records, at + to2, 0); \
    t3 = texelFetch(records, at + to2 + to1, 0); \
    READ_UPPER(records)
  switch (slot) {
    case 0: READ(user_slot0) break;
    case 1: READ(user_slot1) break;
    case 2: READ(user_slot2) break;
#if SLOT_BITS == 3
    case 3: READ(user_slot3) break;
    case 4: READ(user_slot4) break;
    case 5: READ(user_slot5) break;
    case 6: READ(user_slot6) break;
    default: READ(user_slot7) break;
#else
    default: READ(user_slot3) break;
#endif
  }
  bool isTurned = isOdd(own & user_turnedPositions);
#define END(steps) if (user_end == steps) endStage(isTurned);
#if SLOT_BITS == 3
  STEP_4
  END(1)
  if (user_steps > 1) { STEP_2 }
  END(2)
  if (user_steps > 2) { STEP_1 }
  END(3)
#else
  STEP_2
  END(1)
  if (user_steps > 1) { STEP_1 }
  END(2)
#endif
  return t0;
}
