/** What the sources say of their sorts, and how it is held against what was measured. */

import { median } from '@keysweep/conformance/statistics';
import { formatRatio } from '../program/table.js';
import { OURS } from './definitions.js';
import type { PaperResult } from './measure.js';

export type Verdict = 'held' | 'did not' | 'cannot be compared';

/** What was found of a claim. */
export interface Finding {
  readonly verdict: Verdict;
  /** The figure, or the reason why there is none. */
  readonly here: string;
}

export interface Claim {
  readonly says: string;
  readonly find: (results: readonly PaperResult[]) => Finding;
}

/** A source, the sorts that it is about, and what it says. */
export interface Source {
  readonly source: string;
  readonly sorts: readonly string[];
  readonly claims: readonly Claim[];
}

/** Findings as text: the verdict, what the source says, and what was found. */
export const linesOf = (findings: readonly ({ readonly says: string } & Finding)[]): string =>
  findings
    .map(({ says, verdict, here }) => `  ${verdict.toUpperCase()}: ${says}.\n      Here: ${here}.`)
    .join('\n');

const NOT_MEASURED: Finding = {
  verdict: 'cannot be compared',
  here: 'what it compares was not measured',
};

const withoutText = (what: string): Claim['find'] => {
  return () => ({ verdict: 'cannot be compared', here: what });
};

const timeOf = ({ milliseconds }: PaperResult): number => median(milliseconds);

/** The longest input of random keys that both sorts were measured with. */
function together(
  results: readonly PaperResult[],
  one: string,
  other: string,
  operation: PaperResult['operation'],
): readonly [PaperResult, PaperResult] | undefined {
  const of = (sort: string): PaperResult[] =>
    results.filter(
      (result) =>
        result.sort === sort && result.operation === operation && result.distribution === 'random',
    );
  const pairs = of(one).flatMap((result) =>
    of(other)
      .filter(({ length }) => length === result.length)
      .map((theirs) => [result, theirs] as const),
  );
  return pairs.sort(([a], [b]) => b.length - a.length)[0];
}

/** That one sort is `factor` times as fast as another, at least. */
const isFaster =
  (
    one: string,
    other: string,
    factor = 1,
    operation: PaperResult['operation'] = 'sort',
  ): Claim['find'] =>
  (results) => {
    const found = together(results, one, other, operation);
    if (found === undefined) return NOT_MEASURED;
    const ratio = timeOf(found[1]) / timeOf(found[0]);
    const where = `2^${Math.log2(found[0].length)}`;
    return {
      verdict: ratio > factor ? 'held' : 'did not',
      here: `${one} is ${formatRatio(ratio)} as fast as ${other} at ${where}`,
    };
  };

/** That a sort's time depends on the keys by a tenth at most. */
const isSteady =
  (sort: string): Claim['find'] =>
  (results) => {
    const own = results.filter((one) => one.sort === sort && one.operation === 'sort');
    const varied = own.filter(({ distribution }) => distribution !== 'random');
    const length = Math.max(0, ...varied.map((one) => one.length));
    const times = own.filter((one) => one.length === length).map(timeOf);
    if (times.length < 2) return NOT_MEASURED;
    const ratio = Math.max(...times) / Math.min(...times);
    return {
      verdict: ratio <= 1.1 ? 'held' : 'did not',
      here: `slowest over fastest keys: ${ratio.toFixed(2)}, at 2^${Math.log2(length)}`,
    };
  };

/** Comparisons of networks for 2^20 keys: (log² ± log) / 4 a key, and some at the ends. */
const KEYS = 2 ** 20;
const LOG = 20;
const comparisons = {
  bitonic: (KEYS / 4) * (LOG ** 2 + LOG),
  oddEvenMerge: (KEYS / 4) * (LOG ** 2 - LOG + 4) - 1,
};

export const SOURCES: readonly Source[] = [
  {
    source: 'Garland, lecture on parallel sorting',
    sorts: ['comparison-counts', 'odd-even-transposition', 'bitonic', OURS],
    claims: [
      {
        says: 'Counting by comparisons does n² work, but in one step: right for few keys alone',
        find: isFaster('comparison-counts', 'odd-even-transposition'),
      },
    ],
  },
  {
    source: 'Batcher, networks',
    sorts: ['bitonic', 'odd-even-merge', OURS],
    claims: [
      {
        says: 'Odd-even merge needs fewer comparisons than bitonic',
        find: (results) => {
          const { here } = isFaster('odd-even-merge', 'bitonic')(results);
          const share = (comparisons.oddEvenMerge / comparisons.bitonic).toFixed(2);
          return { verdict: 'held', here: `${share} of the comparisons at 2^20; but ${here}` };
        },
      },
    ],
  },
  {
    source: 'Satish, Harris and Garland, 2009',
    sorts: ['binary-radix', 'explicit-counters', 'merge-path', 'bitonic', OURS],
    claims: [
      {
        says: 'The radix sort is the fastest of all on a GPU',
        find: isFaster('explicit-counters', 'merge-path'),
      },
      {
        says: 'The merge sort is the fastest that compares',
        find: isFaster('merge-path', 'bitonic'),
      },
      {
        says: 'Four bits a pass, sorted in the tile first, beat one',
        find: isFaster('explicit-counters', 'binary-radix'),
      },
    ],
  },
  {
    source: 'Ha, Krüger and Silva, implicit counters',
    sorts: [
      'implicit-counters',
      'implicit-counters-hybrid',
      'implicit-counters-pairs',
      'explicit-counters',
      'bitonic',
      OURS,
    ],
    claims: [
      {
        says: 'About twice as fast as all GPU sorts before it: Satish 2009',
        find: isFaster('implicit-counters', 'explicit-counters', 2),
      },
      {
        says: 'About twice as fast as all GPU sorts before it: bitonic',
        find: isFaster('implicit-counters', 'bitonic', 2),
      },
      {
        says: 'Values are best moved by the hybrid layout: against separate arrays',
        find: isFaster('implicit-counters-hybrid', 'implicit-counters', 1, 'sortPairs'),
      },
      {
        says: 'Values are best moved by the hybrid layout: against pairs',
        find: isFaster('implicit-counters-hybrid', 'implicit-counters-pairs', 1, 'sortPairs'),
      },
    ],
  },
  {
    source: 'University of Copenhagen, radix 16',
    sorts: ['masks-and-scans', 'selection', 'insertion', OURS],
    claims: [
      {
        says: 'Its times beside CUB, Futhark and std::sort, descending keys too',
        find: withoutText('its GPU, its CUB and its Futhark are not here'),
      },
    ],
  },
  {
    source: 'Merrill and Grimshaw, rate by entropy',
    sorts: [OURS, 'explicit-counters', 'implicit-counters'],
    claims: [
      {
        says: 'Its rates at entropies from 0 to 1',
        find: withoutText('keysweep has its counts, but not its GPU; rates are in the table'),
      },
    ],
  },
  {
    source: 'Green, McColl and Bader, merge path',
    sorts: ['merge-path', OURS],
    claims: [
      {
        says: 'All threads merge the same number of keys, whatever they are',
        find: isSteady('merge-path'),
      },
    ],
  },
  {
    source: 'Dehne and Zaboli, deterministic sample sort',
    sorts: ['sample-sort', 'merge-path', OURS],
    claims: [
      {
        says: 'Considerably faster than the merge sort of Satish 2009',
        find: isFaster('sample-sort', 'merge-path'),
      },
      { says: 'Its time does not depend on the keys', find: isSteady('sample-sort') },
    ],
  },
];
