/** The twin of a split of a hybrid sort: kernels/wgsl/chained-scan/sweep.wgsl, SPLIT 1 and 2. */

import type { Records } from '../order.js';

/** Words and values in the order of the digits that they have, stably. */
export function split({ keys, values }: Records, digits: readonly number[]): Records {
  const rows = keys.map((_, row) => row);
  rows.sort((a, b) => (digits[a] as number) - (digits[b] as number) || a - b);
  return {
    keys: rows.map((row) => keys[row] as bigint),
    values: rows.map((row) => values[row] as bigint),
  };
}
