/** Whether a caller's array is still as it was: a file of its own, because small sorts need it. */

import { lengthOf, type TypedArray } from '../intrinsics.js';

/**
 * Throws if `array` no longer has the length that it had when the sort began, because its buffer
 * was detached (transferred to another thread) or resized meanwhile.
 */
export function assertUnchanged(name: string, array: TypedArray, length: number): void {
  const now = lengthOf(array);
  if (now === length) return;
  const what = now === 0 ? 'detached or emptied' : `resized from ${length} to ${now} elements`;
  throw new TypeError(`${name} was ${what} while it was being sorted`);
}
