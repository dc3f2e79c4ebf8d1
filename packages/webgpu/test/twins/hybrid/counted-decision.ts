/** The twin of kernels/wgsl/fragments/counted-decision.wgsl. */

import { CONSTANTS, THREADS } from '@keysweep/kernels/wgsl';
import { type KeyOrder, wordOf } from '../order.js';
import { bucketOf } from './batches.js';

const { RADIX, BUCKETS, HISTOGRAM_KEYS, CELL_CHUNKS } = CONSTANTS;
const CHUNK = THREADS * HISTOGRAM_KEYS;

/**
 * Whether keys are alike enough for a hybrid sort. `counts` is their histogram; cells are counted
 * of the first keys of every fourth chunk.
 */
export function isCountedEven(
  keys: readonly bigint[],
  counts: readonly (readonly number[])[],
  order: KeyOrder,
  batchAim: number,
  hasNanTies: boolean,
): boolean {
  const count = keys.length;
  const cells = new Array<number>(RADIX).fill(0);
  let samples = 0;
  for (const [i, key] of keys.entries()) {
    if (Math.floor(i / CHUNK) % CELL_CHUNKS !== 0 || i % CHUNK >= THREADS) continue;
    const bucket = bucketOf(wordOf(key, order), order, hasNanTies);
    const cell = Math.floor(bucket / RADIX) ^ (bucket % RADIX);
    cells[cell] = (cells[cell] as number) + 1;
    samples++;
  }
  const fullness = counts
    .slice(-2)
    .reduce((product, own) => product * ((Math.max(...own) * RADIX) / count), 1);
  const mean = samples / RADIX;
  const decisive = counts.filter((own) => !own.includes(count)).length;
  return (
    decisive > counts.length / 2 + 1 &&
    fullness <= 4 &&
    fullness * count <= batchAim * BUCKETS &&
    Math.max(...cells) <= mean + 6 * Math.sqrt(mean) + 8
  );
}
