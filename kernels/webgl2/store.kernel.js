/**
 * The entry of store.glsl, as gpu.js takes it. gpu.js makes uniforms of the arguments, and writes
 * the returned value to a texture.
 */
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
  positionBits,
  places0,
  places1,
  places2,
  places3,
  flip,
  biasHigh,
  positiveHigh,
  negativeHigh,
) {
  return stored();
}
