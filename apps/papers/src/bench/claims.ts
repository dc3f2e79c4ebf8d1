/** What the sources say of their sorts, and how it is held against what was measured. */

import { formatRatio } from '@keysweep/bench/program/table.js';
import { median } from '@keysweep/conformance/statistics';
import { CUB, OURS, STD_SORT, VARIED } from './definitions.js';
import type { PaperResult } from './measure.js';

type Verdict = 'held' | 'did not' | 'cannot be compared';

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

/** A source, and what it says. */
interface Source {
  readonly source: string;
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

const timeOf = ({ milliseconds }: PaperResult): number => median(milliseconds);

/** Inputs of such keys that both sorts were measured with, the longest first. */
function together(
  results: readonly PaperResult[],
  one: string,
  other: string,
  operation: PaperResult['operation'] = 'sort',
  distribution: PaperResult['distribution'] = 'random',
): (readonly [PaperResult, PaperResult])[] {
  const of = (sort: string): PaperResult[] =>
    results.filter(
      (result) =>
        result.sort === sort &&
        result.operation === operation &&
        result.distribution === distribution,
    );
  const pairs = of(one).flatMap((result) =>
    of(other)
      .filter(({ length }) => length === result.length)
      .map((theirs) => [result, theirs] as const),
  );
  return pairs.sort(([a], [b]) => b.length - a.length);
}

/**
 * That one sort is `factor` times as fast as another, at least, with the longest input. Lengths at
 * which that is not so, or is so only there, are named.
 */
export const isFaster =
  (
    one: string,
    other: string,
    factor = 1,
    operation: PaperResult['operation'] = 'sort',
  ): Claim['find'] =>
  (results) => {
    const ratios = together(results, one, other, operation).map(([own, theirs]) => ({
      where: powerOf(own),
      ratio: timeOf(theirs) / timeOf(own),
    }));
    const [longest] = ratios;
    if (longest === undefined) return NOT_MEASURED;
    const isHeld = longest.ratio > factor;
    const unlike = ratios.filter(({ ratio }) => ratio > factor !== isHeld).reverse();
    const turned =
      unlike.length === 0
        ? ''
        : `; the other way at ${unlike.map(({ where }) => where).join(', ')}`;
    const here = `${one} is ${formatRatio(longest.ratio)} as fast as ${other} at ${longest.where}`;
    return { verdict: isHeld ? 'held' : 'did not', here: `${here}${turned}` };
  };

const powerOf = ({ length }: PaperResult): string => `2^${Math.log2(length)}`;

/** What cannot be judged, with `why`, and how fast a sort is beside another, descending too. */
const isBeside =
  (one: string, other: string, why: string): Claim['find'] =>
  (results) => {
    const found = (['random', 'reversed'] as const).flatMap((distribution) => {
      const [both] = together(results, one, other, 'sort', distribution);
      if (both === undefined) return [];
      const ratio = formatRatio(timeOf(both[1]) / timeOf(both[0]));
      return `${ratio} as fast as ${other} on ${distribution} keys at ${powerOf(both[0])}`;
    });
    const here = found.length === 0 ? NOT_MEASURED.here : `${one} is ${found.join(', ')}`;
    return { verdict: 'cannot be compared', here: `${here}; ${why}` };
  };

/** What cannot be judged, with `why`, and rates by entropy, as shares of that of random keys. */
const isByEntropy =
  (sorts: readonly string[], why: string): Claim['find'] =>
  (results) => {
    const found = sorts.flatMap((sort) => {
      const own = results.filter((one) => one.sort === sort && one.operation === 'sort');
      const rateOf = (kind: string, length: number): number =>
        1 /
        Math.min(
          ...own.filter((one) => one.distribution === kind && one.length === length).map(timeOf),
        );
      const length = Math.max(
        ...own.filter(({ distribution }) => distribution === 'entropy-0').map((one) => one.length),
      );
      const shares = VARIED.filter((kind) => kind.startsWith('entropy')).map((kind) =>
        (rateOf(kind, length) / rateOf('random', length)).toFixed(2),
      );
      return Number.isFinite(length) ? `${sort} ${shares.join(', ')}` : [];
    });
    if (found.length === 0) return NOT_MEASURED;
    const here = `over the rate of random keys, by falling entropy: ${found.join('; ')}`;
    return { verdict: 'cannot be compared', here: `${here}; ${why}` };
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

/** That each sort reaches the given billions of keys a second, at the length that suits it best. */
const isPast =
  (rate: number, sorts: readonly string[]): Claim['find'] =>
  (results) => {
    const found = sorts.flatMap((sort) => {
      const rates = results
        .filter((one) => one.sort === sort && one.distribution === 'random')
        .filter(({ operation }) => operation === 'sort')
        .map((one) => one.length / timeOf(one) / 1e6);
      return rates.length === 0 ? [] : [{ sort, rate: Math.max(...rates) }];
    });
    if (found.length === 0) return NOT_MEASURED;
    const here = found.map((one) => `${one.sort} ${one.rate.toFixed(1)}`).join(', ');
    const isHeld = found.every((one) => one.rate > rate);
    return { verdict: isHeld ? 'held' : 'did not', here: `billions of keys a second: ${here}` };
  };

/** Why a source's figures are not beside ours. */
const NO_FIGURES = 'its own figures are not to be had';

/** Comparisons of networks for 2^20 keys: (log² ± log) / 4 a key, and some at the ends. */
const KEYS = 2 ** 20;
const LOG = 20;
const comparisons = {
  bitonic: (KEYS / 4) * (LOG ** 2 + LOG),
  oddEvenMerge: (KEYS / 4) * (LOG ** 2 - LOG + 4) - 1,
};

const SOURCES: readonly Source[] = [
  {
    source: 'Garland, lecture on parallel sorting',
    claims: [
      {
        says: 'Counting by comparisons does n² work, but in one step: right for few keys alone',
        find: isFaster('comparison-counts', 'odd-even-transposition'),
      },
    ],
  },
  {
    source: 'Batcher, networks',
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
    claims: [
      {
        says: 'Its times beside CUB, descending keys too',
        find: isBeside('masks-and-scans', CUB, NO_FIGURES),
      },
      {
        says: 'Its times beside std::sort, descending keys too',
        find: isBeside('masks-and-scans', STD_SORT, NO_FIGURES),
      },
      {
        says: 'Its times beside Futhark',
        find: () => ({ verdict: 'cannot be compared', here: 'its Futhark is not here' }),
      },
    ],
  },
  {
    source: 'Merrill and Grimshaw, rate by entropy',
    claims: [
      {
        says: 'Its rates at entropies from 0 to 1',
        find: isByEntropy([OURS, CUB, 'explicit-counters', 'implicit-counters'], NO_FIGURES),
      },
      {
        says: 'A GPU sorts a billion keys a second',
        find: isPast(1, [CUB, OURS, 'explicit-counters', 'implicit-counters', 'binary-radix']),
      },
    ],
  },
  {
    source: 'Green, McColl and Bader, merge path',
    claims: [
      {
        says: 'All threads merge the same number of keys, whatever they are',
        find: isSteady('merge-path'),
      },
    ],
  },
  {
    source: 'Dehne and Zaboli, deterministic sample sort',
    claims: [
      {
        says: 'Considerably faster than the merge sort of Satish 2009',
        find: isFaster('sample-sort', 'merge-path'),
      },
      { says: 'Its time does not depend on the keys', find: isSteady('sample-sort') },
    ],
  },
];

/** Each source's claims, as they were found. */
export const findingsBySource = (
  results: readonly PaperResult[],
): readonly {
  readonly source: string;
  readonly found: readonly ({ says: string } & Finding)[];
}[] =>
  SOURCES.map(({ source, claims }) => ({
    source,
    found: claims.map(({ says, find }) => ({ says, ...find(results) })),
  }));
