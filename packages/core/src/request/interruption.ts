/**
 * Why a request cannot go on: an abort, or an array that is detached or resized. A file of its own,
 * because small sorts need it.
 */

import type { SortRequest } from '../contract.js';
import { assertUnchanged } from '../intrinsics.js';

/**
 * Checks that a request may go on. Call it after every wait and every callback.
 * @throws the signal's reason if the caller has aborted; TypeError if one of the arrays was
 *   detached or resized.
 */
export function assertGoesOn({ signal, columns, chosen, values, shape }: SortRequest): void {
  if (signal?.aborted) throw signal.reason;
  const rows = chosen?.rows ?? shape.length;
  for (const column of columns) assertUnchanged('keys', column, rows);
  if (values !== undefined) assertUnchanged('values', values, shape.length);
}
