// Differing bits: the bits in which the words of a workgroup's keys differ. Part of a function:
// workgroup-sort.wgsl, chained-scan/tile-sort.wgsl.
//
// Reads: seen_0 to seen_(KEYS - 1), the thread's words as two halves; thread, order; `bitsSeen`,
// which is zero; KEYS.
// Defines: bits, the same for all threads; 0 where `order.mask` is.
// Barriers: before `bitsSeen` is read; those of workgroupUniformLoad.

  var setBits = vec2u(0u);
  var clearBits = vec2u(0u);
//#unroll i in KEYS
  setBits |= seen_i;
  clearBits |= ~seen_i;
//#end
  atomicOr(&bitsSeen[0], setBits.x);
  atomicOr(&bitsSeen[1], setBits.y);
  atomicOr(&bitsSeen[2], clearBits.x);
  atomicOr(&bitsSeen[3], clearBits.y);
  workgroupBarrier(); // all bits are seen
  if (thread == 0u) {
    differing = vec2u(
      atomicLoad(&bitsSeen[0]) & atomicLoad(&bitsSeen[2]),
      atomicLoad(&bitsSeen[1]) & atomicLoad(&bitsSeen[3]),
    ) & order.mask;
  }
  let bits = workgroupUniformLoad(&differing);
