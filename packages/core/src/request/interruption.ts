/**
 * Why a request cannot go on: an abort, or an array that is detached or resized. A file of its own,
 * because small sorts need it.
 */

import type { SortRequest } from '../contract.js';
import { lengthOf, type TypedArray } from '../intrinsics.js';

/**
 * Checks that a request may go on. Call it after every wait and every callback.
 * @throws the signal's reason if the caller has aborted; TypeError if one of the arrays was
 *   detached or resized.
 */
export function assertGoesOn({ signal, columns, values, shape }: SortRequest): void {
  if (signal?.aborted) throw signal.reason;
  for (const column of columns) assertUnchanged('keys', column, shape.length);
  if (values !== undefined) assertUnchanged('values', values, shape.length);
}

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
