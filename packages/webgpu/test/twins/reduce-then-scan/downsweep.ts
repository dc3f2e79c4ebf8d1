/** The twin of kernels/wgsl/reduce-then-scan/downsweep.wgsl. */

import { bitsOf, digitOf, type KeyOrder, type Pass, type Records, wordOf } from '../order.js';

/** The records in the order of the pass's digit; `rows` and `totals` are the scanned spine. */
export function downsweep(
  { keys, values }: Records,
  order: KeyOrder,
  { rows, totals }: { rows: readonly (readonly number[])[]; totals: readonly number[] },
  pass: Pass,
  blockKeys: number,
): Records {
  const sorted: Records = { keys: [], values: [] };
  let next: number[] = [];
  for (const [i, key] of keys.entries()) {
    if (i % blockKeys === 0) {
      // The block's first place of each digit value.
      let start = 0;
      next = totals.map((total, digit) => {
        start += total;
        return start - total + (rows[digit]?.[i / blockKeys] as number);
      });
    }
    const word = pass.isFirst ? wordOf(key, order) : key;
    const digit = digitOf(word, order, pass);
    const place = next[digit] as number;
    next[digit] = place + 1;
    sorted.keys[place] = pass.isLast ? bitsOf(word, order) : word;
    sorted.values[place] = values[i] as bigint;
  }
  return sorted;
}
