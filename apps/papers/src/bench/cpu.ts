/** The papers' sorts on one thread of the CPU, beside keysweep, std::sort and the built-in sort. */

import { availableParallelism } from 'node:os';
import type { Definition } from '@keysweep/bench/inputs/definitions.js';
import type { EntropyDistribution } from '@keysweep/bench/inputs/entropy.js';
import { runCases } from '@keysweep/bench/measure/suite.js';
import {
  COLUMNS,
  comparisonOf,
  type Implementation,
  type RecordedTiming,
} from '@keysweep/bench/references/comparison.js';
import {
  builtinImplementation,
  inProcess,
  keysweepImplementation,
} from '@keysweep/bench/references/in-process.js';
import { nativeImplementations, startNative } from '@keysweep/bench/references/native.js';
import type { Random } from '@keysweep/conformance/data';
import { median } from '@keysweep/conformance/statistics';
import { CPU_SORTS } from '../sorts/index.js';
import { type Finding, linesOf } from './claims.js';
import { STD_SORT, VARIED } from './definitions.js';

/** In the first cache, in the others, and beyond them. */
export const CPU_LENGTHS: readonly number[] = [10, 14, 18, 20, 22, 24].map((size) => 2 ** size);

/** What Satish et al. compare, and what it means here: one thread sorts, copies included. */
const PAIRS: readonly (readonly [says: string, faster: string, slower: string])[] = [
  ['Buffers that combine writes make a radix sort faster', 'bufferedRadix', 'plainRadix'],
  ['Radix sort beats merge sort for keys of 32 bits: with buffers', 'bufferedRadix', 'mergeSort'],
  ['Radix sort beats merge sort for keys of 32 bits: without', 'plainRadix', 'mergeSort'],
];

/** A claim, and what was found of it. */
type Found = { readonly says: string } & Finding;

/** What the same authors say of machines that are not here, in their technical report. */
const ELSEWHERE: Found = {
  says:
    'Radix sort on Knights Ferry is 2.2 times as fast as the best sort on a Core i7, 1.7 times ' +
    'as on a GTX 280',
  verdict: 'cannot be compared',
  here: 'none of the three machines is here',
};

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

/** Where keys of less entropy are sorted too. */
const VARIED_LENGTH = 2 ** 20;

/** What is measured: random and descending keys of all lengths, and keys of less entropy. */
export function definitionsOnCpu(lengths: readonly number[]): Definition[] {
  const define = (distribution: Definition['distribution'], length: number): Definition => ({
    ...{ operation: 'sort', keyType: 'u32', length, distribution },
  });
  const other = VARIED.filter((kind): kind is EntropyDistribution => kind.startsWith('entropy'));
  const varied = lengths.includes(VARIED_LENGTH) ? [VARIED_LENGTH] : lengths.slice(-1);
  return [
    ...(['random', 'reversed'] as const).flatMap((kind) => lengths.map((one) => define(kind, one))),
    ...other.flatMap((kind) => varied.map((one) => define(kind, one))),
  ];
}

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
  const native = await startNative();
  if (typeof native === 'string') console.log(`Without std::sort: ${native}`);
  const implementations = [
    ...ours,
    ...paperImplementations(),
    builtinImplementation(),
    ...(typeof native === 'string' ? [] : nativeImplementations(native, 1)).filter(
      ({ name }) => name === STD_SORT,
    ),
  ];
  const results: RecordedTiming[] = [];
  try {
    const cases = definitionsOnCpu(lengths).map((definition) =>
      comparisonOf(implementations, definition, random),
    );
    await runCases(cases, COLUMNS, undefined, (result) => {
      results.push(result);
      add(result);
    });
  } finally {
    if (typeof native !== 'string') await native.close();
    for (const implementation of ours) await implementation.close?.();
  }
  console.log(`\nSatish, Kim, Chhugani et al.\n${linesOf(claimsOnCpu(results))}`);
  return results.every(({ verified }) => verified);
}

/** What was found of each claim, over all lengths of random keys. */
export function claimsOnCpu(results: readonly RecordedTiming[]): Found[] {
  const random = results.filter(({ distribution }) => distribution === 'random');
  const found = PAIRS.map(([says, faster, slower]): Found => {
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
  return [...found, ELSEWHERE];
}
