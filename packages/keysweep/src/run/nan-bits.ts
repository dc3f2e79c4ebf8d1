/**
 * NaNs in engines whose own sort makes one NaN of all, as JavaScriptCore's does: they are moved out
 * of its way by their bits, because such an engine also loses the bits of a NaN that is read as a
 * number and written back.
 */

import {
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
  traitsOf(keys).kind === 'float' && doesLoseNaNBits();

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
  const words = bits.length / floats.length;
  const isDescending = order === 'descending';
  /** Places from the end that gets no NaNs. */
  const placeOf = (i: number): number => (isDescending ? floats.length - 1 - i : i);
  let others = floats.length;
  for (let i = 0; i < others; ) {
    const from = placeOf(i);
    if (!Number.isNaN(floats[from])) i++;
    else {
      // As integers.
      const to = words * placeOf(--others);
      const nan = bits.slice(words * from, words * from + words);
      bits.copyWithin(words * from, to, to + words);
      bits.set(nan as never, to);
    }
  }
  const numbers = isDescending
    ? subarrayOf(floats, floats.length - others)
    : subarrayOf(floats, 0, others);
  sortArray(numbers);
  if (isDescending) reverseArray(numbers);
}
