/**
 * NaNs in engines whose own sort makes one NaN of all, as JavaScriptCore's does: they are moved out
 * of its way by their bits, because such an engine also loses the bits of a NaN that is read as a
 * number and written back.
 */

import {
  type BitsArray,
  bitsOf,
  type KeyArray,
  type Order,
  plainView,
  reverseArray,
  sortArray,
  subarrayOf,
  traitsOf,
} from '@keysweep/core';

/** Whether this engine's own sort loses bits; undefined until it was tried. */
let losesBits: boolean | undefined;

/** Whether the engine's own sort loses bits of NaNs, as JavaScriptCore's alone does. */
export function doesLoseNaNBits(): boolean {
  losesBits ??= tryOwnSort();
  return losesBits;
}

/** Whether the engine's own sort would lose bits of NaNs in such an array. */
export const losesNaNBits = (keys: KeyArray): boolean =>
  doesLoseNaNBits() && traitsOf(keys).kind === 'float';

/** Sorts a signalling and a quiet NaN. An engine does to other widths what it does to this one. */
function tryOwnSort(): boolean {
  const before = [0x7f800001, 0xffc00123];
  const bits = Uint32Array.from(before);
  const keys = new Float32Array(bits.buffer);
  sortArray(keys);
  reverseArray(keys);
  return before.some((pattern) => !bits.includes(pattern));
}

/**
 * Sorts floats in place by the engine's own sort, which sees no NaN: they are moved to their end
 * first. One more read of all keys.
 */
export function sortAroundNaNs(keys: KeyArray, order: Order): void {
  const floats = plainView(keys) as Float64Array;
  const bits = bitsOf(floats);
  const isDescending = order === 'descending';
  const last = floats.length - 1;
  let nans = 0;
  // From the end that gets no NaNs.
  for (let i = 0; i <= last - nans; ) {
    const at = isDescending ? last - i : i;
    if (Number.isNaN(floats[at])) {
      swap(bits, bits.length / floats.length, at, isDescending ? nans : last - nans);
      nans++;
    } else i++;
  }
  const others = isDescending ? subarrayOf(floats, nans) : subarrayOf(floats, 0, last + 1 - nans);
  sortArray(others);
  if (isDescending) reverseArray(others);
}

/** Swaps two floats as integers: one or two words each. */
function swap(bits: BitsArray, words: number, a: number, b: number): void {
  for (let i = 0; i < words; i++) {
    const word = bits[words * a + i] as number;
    bits[words * a + i] = bits[words * b + i] as number;
    bits[words * b + i] = word;
  }
}
