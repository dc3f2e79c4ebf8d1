/**
 * Engines whose own sort makes one NaN of all, as JavaScriptCore's does. Its sort also looks at the
 * order of integers, which tells something else of the engine: see in-order.ts.
 */

import { reverseArray, sortArray } from '@keysweep/core';

/** Whether this engine's own sort loses bits; undefined until it was tried. */
let losesBits: boolean | undefined;

/** Whether the engine's own sort loses bits of NaNs, as JavaScriptCore's alone does. */
export function doesLoseNaNBits(): boolean {
  losesBits ??= tryOwnSort();
  return losesBits;
}

/** Sorts a signalling and a quiet NaN. An engine does to other widths what it does to this one. */
function tryOwnSort(): boolean {
  const before = [0x7f800001, 0xffc00123];
  const bits = Uint32Array.from(before);
  const keys = new Float32Array(bits.buffer);
  sortArray(keys);
  reverseArray(keys);
  return before.some((pattern) => !bits.includes(pattern));
}
