// Words, records and how both lie in textures. In front of every kernel.
//
// A word is 32 bits. In a texture of words, on the way to the GPU and back, it is a texel of four bytes, low byte first,
// which the GPU reads as whole numbers divided by 255. Between passes it is two halves of 16 bits in channels of 32-bit
// floats, high half first: a float holds whole numbers up to 2^24 exactly, but not any 32 bits (NaNs lose theirs).
//
// A record is an ordered word, or with PAIRED an ordered word and the position that it came from, which breaks ties.
// A fragment sorts 2^SLOT_BITS records, r0 to r7 or r3, and writes them to as many textures: record r of a fragment is in
// texture r, its slot.
//
// Constants in front: PAIRED 0 or 1; SLOT_BITS 2 or 3, by how many textures the GPU can write at a time.

#if PAIRED
#define Record uvec2
#define Texel vec4
#define channels rgba
// Compare and exchange: by word, then by position.
#define ORDER(a, b) { bool isWrong = b.x < a.x || (b.x == a.x && b.y < a.y); Record low = isWrong ? b : a; b = isWrong ? a : b; a = low; }
#else
#define Record uint
#define Texel vec2
#define channels rg
#define ORDER(a, b) { Record low = min(a, b); b = max(a, b); a = low; }
#endif

Record r0, r1, r2, r3;
#if SLOT_BITS == 3
Record r4, r5, r6, r7;
#endif

// Halves to words and back without a conversion, of which GPUs do few at a time: in a float of 2^23 plus a whole
// number, the number is the lowest bits.
const float ONE_A_BIT = 8388608.0;

uint wordOf(vec2 halves) {
  uvec2 bits = floatBitsToUint(halves + ONE_A_BIT) & 0xffffu;
  return bits.x << 16 | bits.y;
}

vec2 halvesOf(uint word) {
  return uintBitsToFloat(uvec2(word >> 16, word & 0xffffu) | floatBitsToUint(ONE_A_BIT)) - ONE_A_BIT;
}

#if PAIRED
Record recordOf(Texel texel) {
  return Record(wordOf(texel.rg), wordOf(texel.ba));
}

Texel texelOf(Record record) {
  return Texel(halvesOf(record.x), halvesOf(record.y));
}
#else
Record recordOf(Texel texel) {
  return wordOf(texel);
}

Texel texelOf(Record record) {
  return halvesOf(record);
}
#endif

uint wordOfBytes(vec4 texel) {
  uvec4 bytes = uvec4(texel * 255.0 + 0.5);
  return bytes.a << 24 | bytes.b << 16 | bytes.g << 8 | bytes.r;
}

vec4 bytesOf(uint word) {
  return vec4(uvec4(word, word >> 8, word >> 16, word >> 24) & 255u) / 255.0;
}

// Where element `index` of a texture is whose rows have 2^rowBits texels.
ivec2 texelAt(int index, int rowBits) {
  return ivec2(index & ((1 << rowBits) - 1), index >> rowBits);
}

// The element that this fragment writes.
int ownIndex(int rowBits) {
  return int(gl_FragCoord.y) << rowBits | int(gl_FragCoord.x);
}

// Slot `slot` of what this fragment writes, for the kernel's outputs.
Texel slotOf(int slot) {
  Record record = slot < 2 ? (slot < 1 ? r0 : r1) : slot < 3 ? r2 : r3;
#if SLOT_BITS == 3
  if (slot > 3) record = slot < 6 ? (slot < 5 ? r4 : r5) : slot < 7 ? r6 : r7;
#endif
  return texelOf(record);
}
