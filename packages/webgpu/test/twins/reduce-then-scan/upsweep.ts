/** The twin of kernels/wgsl/reduce-then-scan/upsweep.wgsl. */

import { CONSTANTS } from '@keysweep/kernels/wgsl';
import { digitOf, type KeyOrder, type Pass, type Plan, wordOf } from '../order.js';

/** For each digit value a row of counts, one a block of `blockKeys` keys. */
export function upsweep(
  keys: readonly bigint[],
  order: KeyOrder,
  { blocks }: Plan,
  pass: Pass,
  blockKeys: number,
): number[][] {
  const rows = Array.from({ length: CONSTANTS.RADIX }, () => new Array<number>(blocks).fill(0));
  for (const [i, key] of keys.entries()) {
    const word = pass.isFirst ? wordOf(key, order) : key;
    const row = rows[digitOf(word, order, pass)] as number[];
    const block = Math.floor(i / blockKeys);
    row[block] = (row[block] as number) + 1;
  }
  return rows;
}
