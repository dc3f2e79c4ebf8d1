/**
 * Has `toEqual` and its like look at large arrays quickly. Vitest takes 2.5 µs an element of a
 * typed array, and tests compare millions of them. What is not alike to the bit is left to Vitest,
 * so nothing passes or fails because of this, and failures look as they always do.
 */

import { expect } from 'vitest';

/** True if the two are the same typed array, to the bit; undefined: ask Vitest. */
function areSameBits(a: unknown, b: unknown): true | undefined {
  if (!ArrayBuffer.isView(a) || !ArrayBuffer.isView(b)) return undefined;
  if (a.constructor !== b.constructor || a.byteLength !== b.byteLength) return undefined;
  const [one, other] = [a, b].map(
    ({ buffer, byteOffset, byteLength }) => new Uint8Array(buffer, byteOffset, byteLength),
  ) as [Uint8Array, Uint8Array];
  // A page has no Buffer, whose comparison takes a hundredth of the time.
  const isSame =
    typeof Buffer === 'undefined'
      ? one.every((byte, at) => byte === other[at])
      : Buffer.compare(one, other) === 0;
  return isSame || undefined;
}

/** True if both are plain arrays of the same elements; undefined: ask Vitest. */
function areSameElements(a: unknown, b: unknown): true | undefined {
  if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return undefined;
  if (a.constructor !== Array || b.constructor !== Array) return undefined;
  // `toStrictEqual` tells an element that is missing from one that is undefined.
  const isSame = (at: number): boolean => a[at] !== undefined && Object.is(a[at], b[at]);
  for (let at = 0; at < a.length; at++) if (!isSame(at)) return undefined;
  return true;
}

// If files share a process, each of them runs this again.
const kept = globalThis as { [place: symbol]: true | undefined };
const IS_SET_UP = Symbol.for('keysweep: fast equality');
if (kept[IS_SET_UP] === undefined) expect.addEqualityTesters([areSameBits, areSameElements]);
kept[IS_SET_UP] = true;
