/** The twin of kernels/wgsl/chained-scan/sweep.wgsl. */

import { bitsOf, type KeyOrder, type Pass, type Records, wordOf } from '../order.js';
import { alignedDigit } from './aligned-digit.js';

/**
 * The records in the order of the pass's digit, stably; `starts` has the first place of each
 * value.
 */
export function sweep(
  { keys, values }: Records,
  order: KeyOrder,
  pass: Pass,
  starts: readonly number[],
  hasNanTies: boolean,
): Records {
  const sorted: Records = { keys: [], values: [] };
  const next = [...starts];
  for (const [i, key] of keys.entries()) {
    const word = pass.isFirst ? wordOf(key, order) : key;
    const digit = alignedDigit(word, order, pass.shift, hasNanTies);
    const place = next[digit] as number;
    next[digit] = place + 1;
    sorted.keys[place] = pass.isLast ? bitsOf(word, order) : word;
    sorted.values[place] = values[i] as bigint;
  }
  return sorted;
}
