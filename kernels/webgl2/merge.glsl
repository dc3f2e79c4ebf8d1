// One pass of the bitonic network: up to SLOT_BITS of its steps.
//
// A step compares elements whose numbers differ in one bit. SLOT_BITS bits of an element's number are its slot, the others,
// in some order, its position. A pass brings `width` bits from position to slot, and in exchange as many from slot to position;
// then the steps of these bits need nothing but the fragment's own records. Which bits, packages/webgl2/src/network.ts
// plans.
//
// In: user_slot0 and so on, the records before. Out: the same, after. Both 2^user_positionBits positions.
//   user_taken   where in the position before are the bits that are taken into the slot
//   user_given   where in the position after are the bits that were given for it, the lowest of the slot before
//   user_width   how many; the others of the slot before are now its lowest, the taken ones its highest
//   user_steps   the slot's bits whose steps are due, as a mask
//   user_turnedPositions, user_turnedSlots   at the start of a stage, masks of an element's number, see below
// Texture reads: 1 a record. Comparisons: half of one a record and step.
//
// Half the comparators of a bitonic sorter work downwards. Records that they work on have all bits inverted, so that all work
// upwards. Which these are changes with the stage: an element's bits in the masks tell, if an odd number is set, that it
// is inverted, or no longer.
//
// Batcher, "Sorting networks and their applications" (1968); for fragment shaders: Purcell, Donner, Cammarano, Jensen
// and Hanrahan, "Photon mapping on programmable graphics hardware" (2003). Several steps a pass, by writing several records a
// fragment, are not in there.

bool isOdd(int bits) {
  bits ^= bits >> 16;
  bits ^= bits >> 8;
  bits ^= bits >> 4;
  return (0x6996 >> (bits & 15) & 1) != 0;
}

// What slot `slot` of this fragment was before: `given` and `rest` are the fragment's position, split.
Record taken(int slot, int given, int rest) {
  int kept = SLOT_BITS - user_width;
  int before = given | (slot & ((1 << kept) - 1)) << user_width;
  int low = rest & ((1 << user_taken) - 1);
  int high = rest >> user_taken;
  return recordAt(before, high << (user_taken + user_width) | slot >> kept << user_taken | low);
}

Texel merged() {
  int own = ownIndex(user_slotBits);
  int given = own >> user_given & ((1 << user_width) - 1);
  int rest = own >> (user_given + user_width) << user_given | own & ((1 << user_given) - 1);
  r0 = taken(0, given, rest);
  r1 = taken(1, given, rest);
  r2 = taken(2, given, rest);
  r3 = taken(3, given, rest);
#if SLOT_BITS == 3
  r4 = taken(4, given, rest);
  r5 = taken(5, given, rest);
  r6 = taken(6, given, rest);
  r7 = taken(7, given, rest);
#endif
  if ((user_turnedPositions | user_turnedSlots) != 0) {
    bool isTurned = isOdd(own & user_turnedPositions);
#define TURN(r, slot) if (isTurned != isOdd(slot & user_turnedSlots)) r = ~r;
    TURN(r0, 0) TURN(r1, 1) TURN(r2, 2) TURN(r3, 3)
#if SLOT_BITS == 3
    TURN(r4, 4) TURN(r5, 5) TURN(r6, 6) TURN(r7, 7)
#endif
  }
#if SLOT_BITS == 3
  if ((user_steps & 4) != 0) {
    ORDER(r0, r4) ORDER(r1, r5) ORDER(r2, r6) ORDER(r3, r7)
  }
#endif
  if ((user_steps & 2) != 0) {
    ORDER(r0, r2) ORDER(r1, r3)
#if SLOT_BITS == 3
    ORDER(r4, r6) ORDER(r5, r7)
#endif
  }
  if ((user_steps & 1) != 0) {
    ORDER(r0, r1) ORDER(r2, r3)
#if SLOT_BITS == 3
    ORDER(r4, r5) ORDER(r6, r7)
#endif
  }
  return slotOf(0);
}
