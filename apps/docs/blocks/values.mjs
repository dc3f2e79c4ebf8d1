/** The values that blocks of code use without declaring them, where nothing but keysweep is. */

/** @param {typeof import('keysweep')} keysweep */
export const valuesOf = async ({ createSorter }) => ({
  keys: Float32Array.of(3, 1, 2),
  values: Uint32Array.of(10, 20, 30),
  depths: Float32Array.of(3, 1, 2),
  sorter: await createSorter(),
  ids: Uint32Array.of(10, 20, 30),
  xs: Float32Array.of(1, 2, 3),
  quads: new Float32Array(12),
  order: Uint32Array.of(2, 0, 1),
  visible: Uint32Array.of(0, 2),
  day: Int32Array.of(2, 1, 2),
  delay: Int16Array.of(5, 7, 6),
  bitmap: Uint8Array.of(0b101),
  offsets: Int32Array.of(0, 1, 2, 3),
  bytes: new TextEncoder().encode('bac'),
  telemetry: { send() {} },
});
