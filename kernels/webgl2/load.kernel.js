/**
 * The entry of load.glsl, as gpu.js takes it. gpu.js makes uniforms of the arguments, and writes a
 * texture for the returned value and for each call of out1 to out7.
 */
export default function load(
  words,
  order,
  count,
  wide,
  low,
  ordered,
  wordBits,
  orderBits,
  slotBits,
  positionBits,
  negativeHigh,
  negativeLow,
  positiveHigh,
  positiveLow,
  biasHigh,
  biasLow,
  ceilingHigh,
  ceilingLow,
  maskHigh,
  maskLow,
  flip,
) {
  const first = loaded();
  out1(slotOf(1));
  out2(slotOf(2));
  out3(slotOf(3));
  out4(slotOf(4));
  out5(slotOf(5));
  out6(slotOf(6));
  out7(slotOf(7));
  return first;
}
