/** The twin of kernels/wgsl/hybrid/sample.wgsl: which keys it sees, and what it makes of them. */

import { CONSTANTS } from '@keysweep/kernels/wgsl';
import { clampWord, type KeyOrder, wordOf } from '../order.js';
import { type Bins, binOf, bucketOf, type KeyMap, leadOf } from './map.js';

const { RADIX, RADIX_BITS, SHORT_DIGITS } = CONSTANTS;
const { MEETINGS_DIVISOR, IN_BIN_DIVISOR, IN_BUCKET_DIVISOR } = CONSTANTS;

/** Keys that a workgroup sees. */
export const SAMPLES: number = CONSTANTS.SAMPLES;

/** Different numbers of bins or keys that are kept apart, and of counters of bins. */
const MARKS = 2 ** 15;
const BIN_COUNTERS = 512;

function scramble(number: number): number {
  const mixed = Math.imul(number ^ (number >>> 16), 0x7feb352d);
  return Math.imul(mixed ^ (mixed >>> 15), 0x846ca68b) >>> 8;
}

/** The words that each of `groups` workgroups sees. */
export function sampledWords(keys: readonly bigint[], order: KeyOrder, groups: number): bigint[][] {
  const part = Math.max(Math.floor(keys.length / (SAMPLES * groups)), 1);
  return Array.from({ length: groups }, (_, group) =>
    Array.from({ length: SAMPLES }, (_, i) => {
      const number = i * groups + group;
      const at = Math.min(number * part + (scramble(number) % part), keys.length - 1);
      return clampWord(wordOf(keys[at] as bigint, order), order);
    }),
  );
}

/** How many of `numbers` there was already. */
const repeats = (numbers: readonly number[]): number => numbers.length - new Set(numbers).size;

/** How many of `numbers` the most frequent one meets. */
function maxMet(numbers: readonly number[]): number {
  const counts = new Map<number, number>();
  for (const number of numbers) counts.set(number, (counts.get(number) ?? 0) + 1);
  return Math.max(...counts.values()) - 1;
}

/** Whether keys may differ in more digits than sweeps take less time for. */
export function isLong({ least, most, tail }: KeyMap, { bits }: KeyOrder): boolean {
  const range = 32 - Math.clz32(least ^ most) + (bits === 64 ? tail : 0);
  return range > SHORT_DIGITS * RADIX_BITS;
}

/** Whether bins are even, by the words of the workgroup that goes on alone. */
export function isEven(
  words: readonly bigint[],
  map: KeyMap,
  bins: readonly Bins[],
  { bits }: KeyOrder,
): boolean {
  const leads = words.map((word) => Math.min(map.most, Math.max(map.least, leadOf(word, map))));
  const buckets = leads.map((lead) => bucketOf(lead, map));
  const marks = leads.map((lead, i) => {
    const bucket = buckets[i] as number;
    return scramble(bucket * RADIX + binOf(lead, bins[bucket] as Bins));
  });
  const keyMarks = words.map((word) => {
    const low = Number(word & 0xffffffffn);
    return scramble(bits === 32 ? low : low ^ scramble(Number(word >> 32n)));
  });
  const meetings = repeats(marks.map((mark) => mark % MARKS));
  const equals = repeats(keyMarks.map((mark) => mark % MARKS));
  return (
    meetings <= equals + Math.floor(SAMPLES / MEETINGS_DIVISOR) &&
    maxMet(marks.map((mark) => Math.floor(mark / MARKS) % BIN_COUNTERS)) <=
      Math.floor(SAMPLES / IN_BIN_DIVISOR) &&
    maxMet(buckets) <= Math.floor(SAMPLES / IN_BUCKET_DIVISOR)
  );
}
