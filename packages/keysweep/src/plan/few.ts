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

/**
 * The same for a call that runs at once, by medians in Node 20: kernels start in about 10 µs, which
 * `TypedArray.prototype.sort` takes for 300 to 450 keys, and a sort of indices for 100.
 */
const KEYS_AT_ONCE_BELOW = 512;
const ROWS_AT_ONCE_BELOW = 100;

/** Whether there are so few keys that a call which runs at once leaves them to that sort. */
export const isFewAtOnce = (operation: Operation, length: number): boolean =>
  length < (operation === 'sort' ? KEYS_AT_ONCE_BELOW : ROWS_AT_ONCE_BELOW);
