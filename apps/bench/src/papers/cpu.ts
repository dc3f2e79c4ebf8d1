/** The papers' sorts on one thread of the CPU, beside keysweep and the built-in sort. */

import { availableParallelism } from 'node:os';
import type { Random } from '@keysweep/conformance/data';
import { median } from '@keysweep/conformance/statistics';
import { CPU_SORTS } from '@keysweep/papers';
import { type Definition, nameOf } from '../inputs/definitions.js';
import { compareSorts, type Implementation } from '../references/comparison.js';
import { samplesOf, warmUpsOf } from '../references/definitions.js';
import {
  builtinImplementation,
  inProcess,
  keysweepImplementation,
} from '../references/in-process.js';
import { formatTimings, type RecordedTiming, recordedTimings } from '../references/timings.js';
import { type Finding, linesOf } from './claims.js';

/** In the first cache, in the others, and beyond them. */
export const CPU_LENGTHS: readonly number[] = [10, 14, 18, 20, 22, 24].map((size) => 2 ** size);

/** What Satish et al. compare, and what it means here: one thread sorts, copies included. */
const PAIRS: readonly (readonly [says: string, faster: string, slower: string])[] = [
  ['Buffers that combine writes make a radix sort faster', 'bufferedRadix', 'plainRadix'],
  ['Radix sort beats merge sort for keys of 32 bits', 'bufferedRadix', 'mergeSort'],
];

const paperImplementations = (): Implementation[] =>
  Object.entries(CPU_SORTS).map(([name, sort]) =>
    inProcess(
      name,
      1,
      (_, keys) => {
        sort(keys as Uint32Array);
        return keys;
      },
      ({ operation, keyType }) => operation === 'sort' && keyType === 'u32',
    ),
  );

/** Measures all at `lengths`, prints a table for each, and hands every result to `add`. */
export async function measureOnCpu(
  lengths: readonly number[],
  random: Random,
  add: (result: RecordedTiming) => void,
): Promise<boolean> {
  const ours: Implementation[] = [];
  for (const threads of new Set([1, availableParallelism()])) {
    ours.push(await keysweepImplementation(threads));
  }
  const implementations = [...ours, ...paperImplementations(), builtinImplementation()];
  const results: RecordedTiming[] = [];
  try {
    for (const distribution of ['random', 'reversed'] as const) {
      for (const length of lengths) {
        const definition: Definition = { operation: 'sort', keyType: 'u32', length, distribution };
        const counts = { samples: samplesOf(definition), warmUps: warmUpsOf(definition) };
        const timings = await compareSorts(implementations, definition, counts, random);
        for (const timing of recordedTimings(definition, timings)) {
          results.push(timing);
          add(timing);
        }
        console.log(`\n${nameOf(definition)}\n\n${formatTimings(definition, timings)}`);
      }
    }
  } finally {
    for (const implementation of ours) await implementation.close?.();
  }
  console.log(`\nSatish, Kim, Chhugani et al.\n${linesOf(claimsOnCpu(results))}`);
  return results.every(({ verified }) => verified);
}

/** What was found of each claim, over all lengths of random keys. */
export function claimsOnCpu(
  results: readonly RecordedTiming[],
): ({ readonly says: string } & Finding)[] {
  const random = results.filter(({ distribution }) => distribution === 'random');
  return PAIRS.map(([says, faster, slower]) => {
    const ratios = random
      .filter(({ implementation }) => implementation === faster)
      .map(({ length, milliseconds }) => {
        const other = random.find(
          (one) => one.implementation === slower && one.length === length,
        ) as RecordedTiming;
        return { length, ratio: median(other.milliseconds) / median(milliseconds) };
      });
    // What the source measured is long input.
    const verdict = (ratios.at(-1)?.ratio ?? 0) > 1 ? 'held' : 'did not';
    const figures = ratios.map(({ length, ratio }) => `2^${Math.log2(length)} ${ratio.toFixed(2)}`);
    return { says, verdict, here: `${faster} over ${slower}, at ${figures.join(', ')}` };
  });
}
