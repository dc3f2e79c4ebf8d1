// What records are, how they lie in textures, and how a fragment sorts its own. It stands in front
// of every kernel.
//
// Texel: four unsigned words of 32 bits, in textures of records and of words alike. Float textures
//   would lose bits of NaNs, and on some GPUs denormals.
// Record: an ordered word; with PAIRED an ordered word and the element's position in the input,
//   which breaks ties. A texel is 2^CHANNEL_BITS records, whose numbers differ in the lowest bits.
// Slot: a fragment has 2^SLOT_BITS texels, t0 to t3 or t7, and writes each to a texture of its own.
//
// Constants in front of this file:
//   PAIRED     0 or 1: whether records have positions
//   SLOT_BITS  2 or 3: a fragment writes four or eight textures
// Defines: t0 to t7; CHANNEL_BITS; ORDER, STEP_1 to STEP_4, EACH, WITHIN, TURN; the functions
//   below.

uvec4 t0, t1, t2, t3;
#if SLOT_BITS == 3
uvec4 t4, t5, t6, t7;
#endif

// ORDER compares two texels record by record, and exchanges them where the second is smaller.
// sortedWithin sorts the records of a texel; mergedWithin sorts them if they are a bitonic
// sequence.
#if PAIRED
#define CHANNEL_BITS 1

bool isBefore(uvec2 a, uvec2 b) {
  return a.x < b.x || (a.x == b.x && a.y < b.y);
}

#define ORDER(a, b) { \
  bool isWrong = isBefore(b.xy, a.xy); \
  bool isWrongToo = isBefore(b.zw, a.zw); \
  uvec4 low = uvec4(isWrong ? b.xy : a.xy, isWrongToo ? b.zw : a.zw); \
  b = uvec4(isWrong ? a.xy : b.xy, isWrongToo ? a.zw : b.zw); \
  a = low; \
}

uvec4 mergedWithin(uvec4 t) {
  return isBefore(t.zw, t.xy) ? t.zwxy : t;
}

uvec4 sortedWithin(uvec4 t) {
  return mergedWithin(t);
}
#else
#define CHANNEL_BITS 2

#define ORDER(a, b) { uvec4 low = min(a, b); b = max(a, b); a = low; }

uvec4 mergedWithin(uvec4 t) {
  uvec2 low = min(t.xy, t.zw);
  uvec2 high = max(t.xy, t.zw);
  return uvec4(min(low.x, low.y), max(low.x, low.y), min(high.x, high.y), max(high.x, high.y));
}

uvec4 sortedWithin(uvec4 t) {
  return mergedWithin(uvec4(min(t.x, t.y), max(t.x, t.y), max(t.z, t.w), min(t.z, t.w)));
}
#endif

// STEP_4, STEP_2, STEP_1: the network's steps of the slot's bits. WITHIN: its steps within texels.
// TURN inverts texels (merge.glsl says what for): those whose slot has an odd number of the bits in
// `slots`, or with `all` set the others.
#if SLOT_BITS == 3
#define STEP_4 ORDER(t0, t4) ORDER(t1, t5) ORDER(t2, t6) ORDER(t3, t7)
#define STEP_2 ORDER(t0, t2) ORDER(t1, t3) ORDER(t4, t6) ORDER(t5, t7)
#define STEP_1 ORDER(t0, t1) ORDER(t2, t3) ORDER(t4, t5) ORDER(t6, t7)
#define EACH(work) work(t0, 0) work(t1, 1) work(t2, 2) work(t3, 3) \
  work(t4, 4) work(t5, 5) work(t6, 6) work(t7, 7)
#else
#define STEP_2 ORDER(t0, t2) ORDER(t1, t3)
#define STEP_1 ORDER(t0, t1) ORDER(t2, t3)
#define EACH(work) work(t0, 0) work(t1, 1) work(t2, 2) work(t3, 3)
#endif
#define MERGE_WITHIN(t, slot) t = mergedWithin(t);
#define WITHIN EACH(MERGE_WITHIN)
#define TURN(all, slots) t0 ^= inversion(all, 0); t1 ^= inversion(all, slots & 1); \
  t2 ^= inversion(all, slots & 2); t3 ^= inversion(all, slots & 3); TURN_UPPER(all, slots)
#if SLOT_BITS == 3
#define TURN_UPPER(all, slots) t4 ^= inversion(all, slots & 4); t5 ^= inversion(all, slots & 5); \
  t6 ^= inversion(all, slots & 6); t7 ^= inversion(all, slots & 7);
#else
#define TURN_UPPER(all, slots)
#endif

bool isOdd(int bits) {
  bits ^= bits >> 16;
  bits ^= bits >> 8;
  bits ^= bits >> 4;
  return (0x6996 >> (bits & 15) & 1) != 0;
}

uint inversion(bool all, int bits) {
  return all != isOdd(bits) ? 0xffffffffu : 0u;
}

// The coordinates of texel `index` in a texture with rows of 2^columnBits texels.
ivec2 texelAt(int index, int columnBits) {
  return ivec2(index & ((1 << columnBits) - 1), index >> columnBits);
}

// The index of the texel that this fragment writes.
int ownIndex(int columnBits) {
  return int(gl_FragCoord.y) << columnBits | int(gl_FragCoord.x);
}

uint wordAt(highp usampler2D words, int index, int columnBits) {
  return texelFetch(words, texelAt(index >> 2, columnBits), 0)[index & 3];
}

// Place `i` of those packed in `places`, five bits each.
int placeOf(int places, int i) {
  return places >> (5 * i) & 31;
}

// What this fragment writes to texture `slot`, for the kernel's outputs.
uvec4 slotOf(int slot) {
#if SLOT_BITS == 3
  if (slot > 3) return slot < 6 ? (slot < 5 ? t4 : t5) : slot < 7 ? t6 : t7;
#endif
  return slot < 2 ? (slot < 1 ? t0 : t1) : slot < 3 ? t2 : t3;
}

// gpu.js declares float textures only. Its declarations of the textures that are read and written
// follow here, and its translation of the entry: these macros make integers of them. Its kernel
// draws into integer textures by packages/webgl2/src/gpujs/integer-kernel.ts.
#define sampler2D usampler2D
#define vec4 uvec4
