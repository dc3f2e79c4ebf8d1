// One pass of the bitonic network: up to SLOT_BITS of its steps, and those within texels.
//
// A step compares elements whose numbers differ in one bit. The lowest CHANNEL_BITS bits of a
// number are the element's place in its texel, SLOT_BITS others its slot, the rest, in some order,
// its position: which fragment it belongs to. A pass does three things:
//
//   1. It exchanges the bits of the slot for bits of the position, by what a fragment reads.
//   2. It does the steps of the bits in the slot, on the texels that the fragment has read.
//   3. At the end of a stage it does the steps within texels, and inverts records for the next.
//
// Which bits are exchanged is planned by packages/webgl2/src/network/plan.ts.
//
// In (arguments are named user_ and their name in merge.kernel.js):
//   slot0 to slot7   the records before: textures of 2^positionBits texels
//   slotBits         width of these textures, as a power of two
//   given            for each bit of the slot, lowest first, five bits: its new place in the
//                    position. These bits of a fragment's position say which one texture it reads
//   taken            for each bit of the slot, five bits: the place of the bit that replaces it.
//                    What was at the given place comes there, if it is another place
//   steps            steps that are due, 1 to SLOT_BITS: of the slot's highest bits, the highest
//                    first
//   end              after how many of these a stage ends, and the next begins; 0 for never
//   turnedPositions, turnedSlots   at the end of a stage, masks of a number's bits, see below
// Out: the slots after, of the same shape.
// Texture reads: one a texel. Comparisons: half of one for each record and step.
//
// Half of the comparators of a bitonic sorter work downwards. Here all work upwards, and records
// that would go downwards have all bits inverted. At the end of a stage that changes for the
// elements that have an odd number of the bits in the masks.
//
// Source: Batcher, "Sorting networks and their applications" (1968). For fragment shaders: Purcell,
// Donner, Cammarano, Jensen and Hanrahan, "Photon mapping on programmable graphics hardware"
// (2003). Several steps a pass, by writing several textures, are ours.

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
