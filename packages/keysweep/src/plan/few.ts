/** Where the runtime's own sort is the best whatever the machine. */

import type { Operation } from '@keysweep/core';

/**
 * Below so many keys, or pairs and indices, no backend beats the runtime's own sort: the records of
 * `regret` in apps/bench/records have both about equal at 316 keys, and at 100 rows.
 */
const KEYS_BELOW = 256;
const ROWS_BELOW = 64;

/** Whether there are so few keys that the runtime's own sort is the best. */
export const isFew = (operation: Operation, length: number): boolean =>
  length < (operation === 'sort' ? KEYS_BELOW : ROWS_BELOW);
