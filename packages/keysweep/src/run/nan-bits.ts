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

/** Whether the engine's own sort would lose bits of NaNs in such an array. */
export function losesNaNBits(keys: KeyArray): boolean {
  losesBits ??= tryOwnSort();
  return losesBits && traitsOf(keys).kind === 'float';
}

/** Sorts a signalling and a quiet NaN of each width that the engine has. */
function tryOwnSort(): boolean {
  const { Float16Array: Halves } = globalThis as {
    readonly Float16Array?: new (buffer: ArrayBuffer) => KeyArray;
  };
  const halves = Uint16Array.of(0x7c01, 0xfe12);
  const words = Uint32Array.of(0x7f800001, 0xffc00123);
  // The low words of 64 bits come first.
  const pairs = Uint32Array.of(1, 0x7ff00000, 0x123, 0xfff80000);
  const floats = [new Float32Array(words.buffer), new Float64Array(pairs.buffer)];
  const tried = [...floats, ...(Halves === undefined ? [] : [new Halves(halves.buffer)])];
  return tried.some((keys) => {
    const before = bitsOf(keys).slice().sort();
    sortArray(keys);
    reverseArray(keys);
    const after = bitsOf(keys).sort();
    return after.some((bits, i) => bits !== before[i]);
  });
}

/**
 * Sorts floats in place by the engine's own sort, which sees no NaN: they are moved to their end
 * first. One more read of all keys.
 */
export function sortAroundNaNs(keys: KeyArray, order: Order): void {
  const floats = plainView(keys) as Float64Array;
  const [start, end] = order === 'ascending' ? moveNaNsLast(floats) : moveNaNsFirst(floats);
  const others = subarrayOf(floats, start, end);
  sortArray(others);
  if (order === 'descending') reverseArray(others);
}

/** Where the keys that are no NaNs lie. */
type Bounds = readonly [start: number, end: number];

function moveNaNsLast(floats: Float64Array): Bounds {
  const bits = bitsOf(floats);
  let end = floats.length;
  for (let i = 0; i < end; ) {
    if (Number.isNaN(floats[i])) swap(floats, bits, i, --end);
    else i++;
  }
  return [0, end];
}

function moveNaNsFirst(floats: Float64Array): Bounds {
  const bits = bitsOf(floats);
  let start = 0;
  for (let i = floats.length - 1; i >= start; ) {
    if (Number.isNaN(floats[i])) swap(floats, bits, i, start++);
    else i--;
  }
  return [start, floats.length];
}

/** Swaps two floats as integers: one or two words each. */
function swap({ BYTES_PER_ELEMENT }: Float64Array, bits: BitsArray, a: number, b: number): void {
  const words = BYTES_PER_ELEMENT / bits.BYTES_PER_ELEMENT;
  for (let i = 0; i < words; i++) {
    const word = bits[words * a + i] as number;
    bits[words * a + i] = bits[words * b + i] as number;
    bits[words * b + i] = word;
  }
}
