/** What the benchmark measures, how it judges claims, and its tables. */

import { parseReference } from '@keysweep/bench/gpu/reference.js';
import { makeInput } from '@keysweep/bench/inputs/definitions.js';
import { Random } from '@keysweep/conformance/data';
import { ALGORITHMS } from '@keysweep/papers';
import { describe, expect, it } from 'vitest';
import { findingsBySource } from '../src/bench/claims.js';
import { claimsOnCpu, definitionsOnCpu } from '../src/bench/cpu.js';
import { CUB, definitionsOf, LENGTHS, OURS, SORTS, VARIED } from '../src/bench/definitions.js';
import type { PaperResult } from '../src/bench/measure.js';
import { resultsOf } from '../src/bench/references.js';
import { papersCheck, papersClaims, papersOnGpu, papersWork } from '../src/report/tables.js';

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

const findingOf = (says: string, results: readonly PaperResult[]) => {
  const all = findingsBySource(results).flatMap(({ found }) => found);
  const { verdict, here } = all.find((finding) => finding.says.startsWith(says)) ?? {};
  return { verdict, here };
};

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
    const longestOf = (sorts: typeof all): number => Math.max(...sorts.map(({ length }) => length));
    expect(longestOf(all.filter(({ sort }) => sort !== OURS))).toBe(2 ** 28);
    expect(longestOf(all)).toBe(2 ** 30);
  });

  it('vary the keys if a sort is measured longest below 2^20, else at 2^20 and 2^24', () => {
    const varied = definitionsOf(['insertion', 'bitonic'], LENGTHS)
      .filter(([{ operation }, kinds]) => operation === 'sort' && kinds === VARIED)
      .map(([{ sort, length }]) => [sort, length]);
    expect(varied).toEqual([
      ['insertion', 2 ** 10],
      ['bitonic', 2 ** 20],
      ['bitonic', 2 ** 24],
    ]);
  });

  it('begin with keysweep', () => {
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

  it('hold if the factor is reached at the longest length of both; others are named', () => {
    const says = 'About twice as fast as all GPU sorts before it: Satish 2009';
    const short = [
      resultOf('implicit-counters', 1, { length: 2 ** 10 }),
      resultOf('explicit-counters', 9, { length: 2 ** 10 }),
    ];
    const explicit = resultOf('explicit-counters', 6);
    const of = (milliseconds: number) =>
      findingOf(says, [...short, resultOf('implicit-counters', milliseconds), explicit]);
    expect(of(2.9)).toEqual({
      verdict: 'held',
      here: 'implicit-counters is 2.07x as fast as explicit-counters at 2^20',
    });
    expect(of(4)).toEqual({
      verdict: 'did not',
      here:
        'implicit-counters is 1.50x as fast as explicit-counters at 2^20; ' +
        'the other way at 2^10',
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
    expect(findingOf(says, results).verdict).toBe('held');
    expect(findingOf(says, results.slice(0, 2)).verdict).toBe('cannot be compared');
  });

  it('of steadiness allow a tenth', () => {
    const says = 'Its time does not depend on the keys';
    const of = (milliseconds: number) =>
      findingOf(says, [
        resultOf('sample-sort', 1),
        resultOf('sample-sort', milliseconds, { distribution: 'reversed' }),
      ])?.verdict;
    expect([of(1.09), of(1.2), of(0.8)]).toEqual(['held', 'did not', 'did not']);
    expect(findingOf(says, []).verdict).toBe('cannot be compared');
  });

  it('without figures of the source say how fast a sort is, on descending keys too', () => {
    const of = (results: readonly PaperResult[]) => findingOf('Its times beside CUB', results);
    const results = [resultOf('masks-and-scans', 4), resultOf(CUB, 1)];
    const descending = [
      resultOf('masks-and-scans', 6, { distribution: 'reversed' }),
      resultOf(CUB, 3, { distribution: 'reversed' }),
    ];
    expect(of([...results, ...descending])).toEqual({
      verdict: 'cannot be compared',
      here:
        'masks-and-scans is 0.25x as fast as CUB on random keys at 2^20, ' +
        '0.50x as fast as CUB on reversed keys at 2^20; its own figures are not to be had',
    });
    expect(of(results)?.here).not.toContain('reversed');
    expect(of([])?.here).toContain('was not measured');
  });

  it('of entropy are shares of the rate of random keys, at the longest length', () => {
    const results = [
      resultOf(CUB, 6),
      ...['0.811', '0.544', '0.337', '0.201'].map((entropy) =>
        resultOf(CUB, 3, { distribution: `entropy-${entropy}` }),
      ),
      resultOf(CUB, 1, { distribution: 'entropy-0' }),
      resultOf(CUB, 9, { length: 2 ** 10, distribution: 'entropy-0' }),
    ];
    expect(findingOf('Its rates at entropies', results).here).toMatch(
      /by falling entropy: CUB 2\.00, 2\.00, 2\.00, 2\.00, 6\.00; its own/,
    );
  });

  it('of a rate hold if every sort passes it', () => {
    const says = 'A GPU sorts a billion keys a second';
    // 2^20 keys in 1 ms are 1.05 billion a second.
    const of = (milliseconds: number) =>
      findingOf(says, [resultOf(CUB, 1), resultOf('binary-radix', milliseconds)]);
    expect(of(1)?.verdict).toBe('held');
    expect(of(2)).toEqual({
      verdict: 'did not',
      here: 'billions of keys a second: CUB 1.0, binary-radix 0.5',
    });
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
    const [buffers, merges, plain] = claimsOnCpu([...at(1024, 2), ...at(4096, 5)]);
    expect(buffers).toMatchObject({
      verdict: 'did not',
      here: 'bufferedRadix over plainRadix, at 2^10 2.00, 2^12 0.80',
    });
    expect(merges?.verdict).toBe('did not');
    expect(plain).toMatchObject({ here: 'plainRadix over mergeSort, at 2^10 0.25, 2^12 0.25' });
  });
});

it('takes the fastest times of u32 keys from what CUB’s benchmark has printed', () => {
  const lines = [
    'cub u32-uniform.20 keys 0.3000 ms | pairs 0.4000 ms',
    'cub u32-uniform.20 keys 0.2000 ms | pairs 0.5000 ms',
    'cub u32-reversed.20 keys 0.1000 ms',
    'cub u32-zipf.20 keys 0.1000 ms',
    'cub u64-uniform.20 keys 0.9000 ms',
    'std::sort u32-entropy-0.10 keys 0.0400 ms',
    'other u32-uniform.10 keys 0.0400 ms',
  ];
  const results = resultsOf(parseReference(lines.join('\n')));
  expect(
    results.map(({ sort, operation, length, distribution, clock, milliseconds }) =>
      [sort, operation, Math.log2(length), distribution, clock, ...milliseconds].join(' '),
    ),
  ).toEqual([
    'CUB sort 20 random gpu 0.2',
    'CUB sortPairs 20 random gpu 0.4',
    'CUB sort 20 reversed gpu 0.1',
    'std::sort sort 10 entropy-0 host 0.04',
  ]);
});

it('measures descending keys of all lengths on the CPU, and keys of less entropy at one', () => {
  const definitions = definitionsOnCpu([2 ** 10, 2 ** 20, 2 ** 22]);
  const lengthsOf = (kind: string) =>
    definitions
      .filter(({ distribution }) => distribution === kind)
      .map(({ length }) => Math.log2(length));
  expect([lengthsOf('random'), lengthsOf('reversed')]).toEqual([
    [10, 20, 22],
    [10, 20, 22],
  ]);
  expect(['entropy-0.811', 'entropy-0.201', 'entropy-0'].map(lengthsOf)).toEqual([
    [20],
    [20],
    [20],
  ]);
  const onesOf = (distribution: (typeof definitions)[number]['distribution']): number => {
    const definition = { ...definitions[0]!, length: 4096, distribution };
    const keys = makeInput(definition, new Random(1)).columns[0] as Uint32Array;
    return keys.reduce((sum, key) => sum + (key & 1), 0) / 4096;
  };
  // Of a bit that is 1 where two, five or no random bits are.
  expect(Math.abs(onesOf('entropy-0.811') - 1 / 4)).toBeLessThan(0.05);
  expect(Math.abs(onesOf('entropy-0.201') - 1 / 32)).toBeLessThan(0.02);
  expect(onesOf('entropy-0')).toBe(0);
});

it('makes a table of bytes and operations a key, beside the time', () => {
  const short = { length: 2 ** 10, cost: { bytes: 8, operations: 1 } };
  const results = [
    resultOf('binary-radix', 9, short),
    // 2^20 keys in 2^20 ns: a nanosecond each.
    resultOf('binary-radix', 2 ** 20 / 1e6, { cost: { bytes: 384, operations: 100 } }),
    resultOf('implicit-counters-pairs', 2, { operation: 'sortPairs' }),
    resultOf(OURS, 1, { cost: undefined }),
  ];
  const record = { results, copyRate: 768e6 };
  const text = papersWork({ name: 'r', record: record as never });
  expect(text).toContain('| binary-radix | 2²⁰ | 1 | 384 | 100 | 1.00 | 50 % | 100 |');
  expect(text).toContain('| implicit-counters-pairs, pairs | 2²⁰ |');
  expect(text).not.toContain(OURS);
  expect(text).toContain('Copies: 0.77 TB/s.');
});

it('makes a table of checks', () => {
  const check = (sort: string, length: number, more: object = {}) => ({
    ...{ sort, operation: 'sort', length, by: 'gpu', faults: {} },
    distributions: ['random', 'few'],
    ...more,
  });
  const wrong = { operation: 'sortPairs', faults: { few: 'keys are out of order' } };
  const bySuite = { by: 'suite', distributions: ['Zipf'] };
  const results = [
    ...[check('bitonic', 2 ** 10), check('bitonic', 2 ** 12), check('bitonic', 1, bySuite)],
    check('a', 16, wrong),
  ];
  const text = papersCheck({ name: 'r', record: { results } as never });
  expect(text).toContain('| bitonic | no | 2¹² | 1 | 4 | 0 |');
  expect(text).toContain('| a | yes | 2⁴ | 0 | 2 | 1 |');
  expect(text).toContain('| the suite | Zipf |\n| the GPU | random; few |');
});

it('makes tables of rates by length and by kind of key, and one of claims', () => {
  const results = [
    resultOf(OURS, 1),
    resultOf('sample-sort', 4),
    resultOf('sample-sort', 8, { distribution: 'reversed' }),
    resultOf('merge-path', 2),
  ];
  const source = { name: 'r', record: { results } as never };
  const rates = papersOnGpu(source);
  expect(rates).toContain('| sample-sort | 0.26 |');
  expect(rates).toContain('| sample-sort, 2²⁰ | 0.26 | 0.13 |');
  expect(papersClaims(source)).toContain(
    '| Dehne and Zaboli, deterministic sample sort ' +
      '| Considerably faster than the merge sort of Satish 2009 ' +
      '| sample-sort is 0.50x as fast as merge-path at 2^20 | did not |',
  );
});
