/** What `papers` measures, how it judges claims, and its tables. */

import { ALGORITHMS } from '@keysweep/papers';
import { describe, expect, it } from 'vitest';
import { SOURCES } from '../src/papers/claims.js';
import { claimsOnCpu } from '../src/papers/cpu.js';
import { definitionsOf, LENGTHS, OURS, SORTS, VARIED } from '../src/papers/definitions.js';
import type { PaperResult } from '../src/papers/measure.js';
import { papersOnGpu } from '../src/report/papers.js';

/** A result of made-up times. */
const resultOf = (sort: string, milliseconds: number, more: object = {}): PaperResult => ({
  sort,
  operation: 'sort',
  length: 2 ** 20,
  distribution: 'random',
  clock: 'gpu',
  calls: 1,
  milliseconds: [milliseconds],
  dispatches: 1,
  cost: { bytes: 8, operations: 1 },
  verified: true,
  fault: undefined,
  ...more,
});

const findingOf = (says: string, results: readonly PaperResult[]) =>
  SOURCES.flatMap(({ claims }) => claims)
    .find((claim) => claim.says.startsWith(says))
    ?.find(results);

describe('definitions', () => {
  it('have every sort of the papers up to its limit, and pairs where it is stable', () => {
    const all = definitionsOf(SORTS, LENGTHS).map(([definition]) => definition);
    for (const { name, maxLength, isStable, isForPairs = false } of ALGORITHMS) {
      const own = all.filter(({ sort }) => sort === name);
      const [keys, pairs] = (['sort', 'sortPairs'] as const).map((operation) =>
        own.filter((one) => one.operation === operation).map(({ length }) => length),
      );
      expect(keys).toEqual(isForPairs ? [] : LENGTHS.filter((length) => length <= maxLength));
      expect(pairs!.length > 0).toBe(isStable);
      expect(pairs!.every((length) => length <= maxLength)).toBe(true);
    }
    expect(Math.max(...all.map(({ length }) => length))).toBe(2 ** 28);
  });

  it('vary the keys where a sort is measured longest below 2^20, else at 2^20 and 2^24', () => {
    const varied = definitionsOf(['insertion', 'bitonic'], LENGTHS)
      .filter(([{ operation }, kinds]) => operation === 'sort' && kinds === VARIED)
      .map(([{ sort, length }]) => [sort, length]);
    expect(varied).toEqual([
      ['insertion', 2 ** 10],
      ['bitonic', 2 ** 20],
      ['bitonic', 2 ** 24],
    ]);
  });

  it('are of sorts that some source describes', () => {
    const described = SOURCES.flatMap(({ sorts }) => sorts);
    expect([...new Set(described)].sort()).toEqual([...SORTS].sort());
    expect(SORTS[0]).toBe(OURS);
  });
});

describe('claims', () => {
  it('of comparisons are held against comparisons, whatever the time', () => {
    const times = [resultOf('odd-even-merge', 3), resultOf('bitonic', 2)];
    expect(findingOf('Odd-even merge needs fewer comparisons', times)).toEqual({
      verdict: 'held',
      here:
        '0.91 of the comparisons at 2^20; but ' +
        'odd-even-merge is 0.67x as fast as bitonic at 2^20',
    });
  });

  it('hold where the factor is reached, at the longest length of both', () => {
    const says = 'About twice as fast as all GPU sorts before it: Satish 2009';
    const short = [
      resultOf('implicit-counters', 1, { length: 2 ** 10 }),
      resultOf('explicit-counters', 9, { length: 2 ** 10 }),
    ];
    const explicit = resultOf('explicit-counters', 6);
    const of = (milliseconds: number) =>
      findingOf(says, [...short, resultOf('implicit-counters', milliseconds), explicit]);
    expect(of(2.9)?.verdict).toBe('held');
    expect(of(4)).toEqual({
      verdict: 'did not',
      here: 'implicit-counters is 1.50x as fast as explicit-counters at 2^20',
    });
  });

  it('of pairs look at pairs alone', () => {
    const says = 'Values are best moved by the hybrid layout: against separate arrays';
    const pairs = { operation: 'sortPairs' };
    const results = [
      resultOf('implicit-counters-hybrid', 2, pairs),
      resultOf('implicit-counters', 1),
      resultOf('implicit-counters', 3, pairs),
    ];
    expect(findingOf(says, results)?.verdict).toBe('held');
    expect(findingOf(says, results.slice(0, 2))?.verdict).toBe('cannot be compared');
  });

  it('of steadiness allow a tenth', () => {
    const says = 'Its time does not depend on the keys';
    const of = (milliseconds: number) =>
      findingOf(says, [
        resultOf('sample-sort', 1),
        resultOf('sample-sort', milliseconds, { distribution: 'reversed' }),
      ])?.verdict;
    expect([of(1.09), of(1.2), of(0.8)]).toEqual(['held', 'did not', 'did not']);
    expect(findingOf(says, [])?.verdict).toBe('cannot be compared');
  });

  it('on the CPU are judged at the longest length', () => {
    const timing = (implementation: string, length: number, milliseconds: number) => ({
      ...({ operation: 'sort', keyType: 'u32', distribution: 'random', verified: true } as const),
      ...{ implementation, length, threads: 1, milliseconds: [milliseconds] },
    });
    const at = (length: number, buffered: number) => [
      timing('plainRadix', length, 4),
      timing('bufferedRadix', length, buffered),
      timing('mergeSort', length, 1),
    ];
    const [buffers, merges] = claimsOnCpu([...at(1024, 2), ...at(4096, 5)]);
    expect(buffers).toMatchObject({
      verdict: 'did not',
      here: 'bufferedRadix over plainRadix, at 2^10 2.00, 2^12 0.80',
    });
    expect(merges?.verdict).toBe('did not');
  });
});

it('makes a table of rates and one of claims for each source', () => {
  const results = [
    resultOf(OURS, 1),
    resultOf('sample-sort', 4),
    resultOf('sample-sort', 8, { distribution: 'reversed' }),
    resultOf('merge-path', 2),
  ];
  const text = papersOnGpu({ name: 'r', record: { results } as never });
  const part = text.slice(text.indexOf('**Dehne'));
  expect(part).toContain('| sample-sort | 0.26 |');
  expect(part).toContain('| sample-sort, 2²⁰ | 0.13 |');
  expect(part).toContain(
    '| Considerably faster than the merge sort of Satish 2009 | ' +
      'sample-sort is 0.50x as fast as merge-path at 2^20 | did not |',
  );
});
