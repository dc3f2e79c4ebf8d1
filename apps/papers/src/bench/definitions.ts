/** What `papers` measures on a GPU. */

import type { GpuDistribution } from '@keysweep/bench/gpu/inputs/distributions.js';
import { ALGORITHMS, type Algorithm } from '../sorts/index.js';

/** What RadixSorter is called among the papers' sorts. */
export const OURS = 'keysweep';

/** Sorts of other programs, which `--reference` has the times of. */
export const CUB = 'CUB';
export const STD_SORT = 'std::sort';

/** One line: sorts of one algorithm, at one length. Payloads are u32. */
export interface PaperDefinition {
  /** A name of ALGORITHMS, or `OURS`. */
  readonly sort: string;
  readonly operation: 'sort' | 'sortPairs';
  readonly length: number;
}

/** Descending keys, and the entropies of Merrill and Grimshaw. */
export const VARIED: readonly GpuDistribution[] = [
  'random',
  'reversed',
  'entropy-0.811',
  'entropy-0.544',
  'entropy-0.337',
  'entropy-0.201',
  'entropy-0',
];

/** Lengths at which other keys than random ones are sorted, and pairs. */
const VARIED_LENGTHS = [2 ** 20, 2 ** 24];

/** 2^10 to 2^30, every other one. */
export const LENGTHS: readonly number[] = Array.from({ length: 11 }, (_, i) => 2 ** (10 + 2 * i));

/** The algorithm of that name; none for keysweep. */
export const algorithmOf = (sort: string): Algorithm | undefined =>
  ALGORITHMS.find(({ name }) => name === sort);

/** All names, keysweep first. */
export const SORTS: readonly string[] = [OURS, ...ALGORITHMS.map(({ name }) => name)];

/** The longest input that a sort is for. */
export const maxOf = (sort: string): number =>
  algorithmOf(sort)?.maxLength ?? Number.POSITIVE_INFINITY;

/** What a sort does: keys, unless it is for pairs alone, and pairs, if it is stable. */
export function kindsOf(sort: string): PaperDefinition['operation'][] {
  const { isForPairs = false, isStable = true } = algorithmOf(sort) ?? {};
  return [...(isForPairs ? [] : ['sort' as const]), ...(isStable ? ['sortPairs' as const] : [])];
}

/** The lengths of `lengths` at which a sort is measured, and those at which its input varies. */
function lengthsOf(sort: string, lengths: readonly number[]): [all: number[], varied: number[]] {
  const all = lengths.filter((length) => length <= maxOf(sort));
  const varied = all.filter((length) => VARIED_LENGTHS.includes(length));
  return [all, varied.length > 0 ? varied : all.slice(-1)];
}

/** All lines of some sorts at some lengths, with the distributions of their keys. */
export function definitionsOf(
  sorts: readonly string[],
  lengths: readonly number[],
): readonly (readonly [PaperDefinition, readonly GpuDistribution[]])[] {
  return sorts.flatMap((sort) => {
    const [all, varied] = lengthsOf(sort, lengths);
    return kindsOf(sort).flatMap((operation) =>
      (operation === 'sort' ? all : varied).map((length) => {
        const isVaried = operation === 'sort' && varied.includes(length);
        return [{ sort, operation, length }, isVaried ? VARIED : VARIED.slice(0, 1)] as const;
      }),
    );
  });
}
