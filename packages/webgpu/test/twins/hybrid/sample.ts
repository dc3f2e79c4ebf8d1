/** The twin of kernels/wgsl/hybrid/sample.wgsl. */

import { CONSTANTS, THREADS } from '@keysweep/kernels/wgsl';
import { clampWord, type KeyOrder, wordOf } from '../order.js';
import { type Buckets, bucketOf, bucketsOf, leadOf } from './batches.js';

const { SAMPLE_KEYS, SAMPLE_CELLS, RADIX, BUCKETS } = CONSTANTS;

/** What a sample shows. */
export interface Sample extends Buckets {
  /** Whether keys differ in enough bytes. */
  readonly pays: boolean;
  /** Keys by the higher digit of their bucket; then by a number that several buckets share. */
  readonly counts: readonly number[];
}

function scramble(number: number): number {
  const mixed = Math.imul(number ^ (number >>> 16), 0x7feb352d);
  return Math.imul(mixed ^ (mixed >>> 15), 0x846ca68b) >>> 8;
}

/** The counts of `groups` workgroups. */
export function sample(keys: readonly bigint[], order: KeyOrder, groups: number): Sample {
  const own = THREADS * SAMPLE_KEYS;
  const wordAt = (number: number, parts: number): bigint => {
    const part = Math.max(Math.floor(keys.length / parts), 1);
    const at = Math.min(number * part + (scramble(number) % part), keys.length - 1);
    return clampWord(wordOf(keys[at] as bigint, order), order);
  };
  const first = Array.from({ length: own }, (_, number) => wordAt(number, own));
  const buckets = bucketsOf(
    first.map((word) => leadOf(word, order)),
    order,
  );
  const counts = new Array<number>(RADIX + SAMPLE_CELLS).fill(0);
  const add = (at: number): void => {
    counts[at] = (counts[at] as number) + 1;
  };
  for (let number = 0; number < own * groups; number++) {
    const bucket = bucketOf(wordAt(number, own * groups), order, buckets, true);
    add(bucket >> 8);
    add(RADIX + Math.floor(((bucket * 40503) % BUCKETS) / (BUCKETS / SAMPLE_CELLS)));
  }
  const any = first.reduce((sum, word) => sum | word, 0n);
  const all = first.reduce((sum, word) => sum & word, -1n);
  const bytes = Array.from(
    { length: order.bits / 8 },
    (_, i) => ((any & ~all) >> BigInt(8 * i)) & 255n,
  );
  const differing = bytes.filter((byte) => byte > 0n).length;
  const pays = order.bits === 32 ? differing === 4 : differing > 5 && buckets.bucketShift >= 45;
  return { ...buckets, pays, counts };
}
