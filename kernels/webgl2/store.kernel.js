/** What gpu.js runs for store.glsl: it makes uniforms of the arguments, and a texel of the four numbers. */
export default function store(
  slot0,
  slot1,
  slot2,
  slot3,
  slot4,
  slot5,
  slot6,
  slot7,
  order,
  ordered,
  wordBits,
  slotBits,
  offsets,
  moreOffsets,
  flip,
  biasHigh,
  positiveHigh,
  negativeHigh,
) {
  const word = stored();
  this.color(word[0], word[1], word[2], word[3]);
}
