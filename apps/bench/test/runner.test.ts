import { runSeed } from '@keysweep/conformance/data';
import { createSorter, type Sorter } from 'keysweep';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testRandom } from '../../../tools/test/random.js';
import {
  callsOf,
  DEFINITIONS,
  type Definition,
  makeInput,
  nameOf,
  samplesOf,
} from '../src/inputs/definitions.js';
import { sortCase } from '../src/inputs/sort-case.js';
import { type Case, measure, type Round } from '../src/measure/runner.js';
import { linesOf } from '../src/measure/suite.js';
import { faultOf, type Input, type Result, WORKLOADS } from '../src/measure/workload.js';
import { formatRecord } from '../src/record/record.js';

const SEED = runSeed();
const random = testRandom();

/** A case whose rounds are made by `round`, which is told its number. */
const caseOf = (round: (i: number) => Round<number>, more: Partial<Case> = {}): Case => {
  let next = 0;
  return { name: 'a case', samples: 2, warmUps: 1, ...more, makeRound: () => round(next++) };
};

describe('measure', () => {
  const right = () => undefined;

  it('takes turns on a new round each time, changes who is first, counts no warm-ups', async () => {
    const calls: string[] = [];
    const timings = await measure(
      caseOf((i) => {
        const way = (name: string) => ({
          name,
          prepare: () => void calls.push(`(${name})`),
          run: () => calls.push(`${name}${i}`),
        });
        return { ways: [way('a'), way('b')], check: right };
      }),
    );
    expect(calls.join(' ')).toBe('(b) b0 (a) a0 (a) a1 (b) b1 (b) b2 (a) a2');
    expect(timings.map(({ name, fault }) => [name, fault])).toEqual([
      ['a', undefined],
      ['b', undefined],
    ]);
    for (const { milliseconds } of timings) {
      expect(milliseconds.length).toBe(2);
      for (const time of milliseconds) expect(time).toBeGreaterThanOrEqual(0);
    }
  });

  it('checks each result, and runs what was wrong or has failed no more', async () => {
    const calls = { right: 0, wrong: 0, failing: 0 };
    const timings = await measure(
      caseOf(
        (i) => ({
          ways: [
            { name: 'right', run: async () => ++calls.right && 7 },
            { name: 'wrong', run: () => ++calls.wrong && (i === 1 ? 8 : 7) },
            {
              name: 'failing',
              async run() {
                calls.failing++;
                throw new Error('too long');
              },
            },
          ],
          check: async (result) => (result === 7 ? undefined : `it is ${result}`),
        }),
        { samples: 4 },
      ),
    );
    expect(timings.map(({ fault }) => fault)).toEqual([undefined, 'it is 8', 'failed: too long']);
    expect(calls).toEqual({ right: 5, wrong: 2, failing: 1 });
  });

  it('takes times of a clock of their own and notes, by the call', async () => {
    const [timing] = await measure(
      caseOf((i) => ({ ways: [{ name: 'a', run: () => 12 * i }], check: right }), {
        ...{ calls: 4, timeOf: (result) => result as number, noteOf: (result) => `${result}` },
      }),
    );
    expect(timing).toMatchObject({ milliseconds: [3, 6], notes: ['12', '24'] });
  });

  it('makes a line for each way, with its ratio to the first', () => {
    const timing = { milliseconds: [1, 9, 2], notes: [], fault: undefined };
    const one = { ...caseOf(() => ({ ways: [], check: right })), cellsOf: () => ['more'] };
    const timings = [
      { ...timing, name: 'ours' },
      { ...timing, name: 'theirs', milliseconds: [8, 7, 9] },
      { ...timing, name: 'wrong', fault: 'element 3 is 1' },
      { ...timing, name: 'dead', milliseconds: [], fault: 'failed: it has ended' },
    ];
    expect(linesOf(one, timings, 2)).toEqual([
      ['a case', 'ours', '2.00 ms', '1.00x', 'more', '', 'yes'],
      ['a case', 'theirs', '8.00 ms', '4.00x', 'more', '', 'yes'],
      ['a case', 'wrong', '', '', '', '', 'WRONG: element 3 is 1'],
      ['a case', 'dead', '', '', '', '', 'failed: it has ended'],
    ]);
  });
});

describe(`a sort as a case (seed ${SEED})`, () => {
  let sorter: Sorter;
  beforeAll(async () => {
    sorter = await createSorter();
  });
  afterAll(() => sorter.close());

  const definitionOf = (operation: Definition['operation']): Definition => ({
    operation,
    keyType: 'f64',
    length: 300,
    distribution: 'random',
  });

  it.each(['sort', 'sortPairs', 'argsort'] as const)(
    'verifies %s, and keeps one number a sample',
    async (operation) => {
      const definition = definitionOf(operation);
      const inputs = new Set<Input>();
      const one = sortCase(
        sorter,
        {
          ...{ name: 'a sort', operation, samples: 3, warmUps: 1, calls: 4 },
          makeInput() {
            const input = makeInput(definition, random);
            inputs.add(input);
            return input;
          },
        },
        ({ backend, length }) => [backend, `${length}`],
        definition,
      );
      const timings = await measure(one);
      // One for the report, four for each round.
      expect(inputs.size).toBe(1 + 4 * 4);
      expect(timings.map(({ fault }) => fault)).toEqual([undefined, undefined]);
      expect(one.cellsOf?.(timings[0] as never)).toEqual([expect.any(String), '300']);
      const [result] = one.resultsOf?.(timings) ?? [];
      expect(result).toMatchObject({ ...definition, calls: 4, verified: true });
      const { ours, theirs } = result as { ours: number[]; theirs: number[] };
      expect([ours.length, theirs.length]).toEqual([3, 3]);
    },
  );

  it.each([
    ['sort', 'keys'],
    ['sortPairs', 'keys'],
    ['sortPairs', 'values'],
    ['argsort', 'order'],
  ] as const)('is known to be wrong when %s gets one of its %s wrong', async (operation, part) => {
    const input = makeInput(definitionOf(operation), random);
    const copy = makeInput(definitionOf(operation), random);
    copy.columns[0].set(input.columns[0] as never);
    const result: Result = await WORKLOADS[operation].ours(sorter, copy);
    expect(faultOf(input, result)).toBe(undefined);
    const array = result[part] as Float64Array;
    [array[7], array[8]] = [array[8] as number, array[7] as number];
    expect(faultOf(input, result)).toEqual(expect.any(String));
  });
});

describe('the definitions', () => {
  const names = DEFINITIONS.map(nameOf);

  it('have names of their own', () => {
    expect(new Set(names).size).toBe(names.length);
  });

  it('cover sizes, types, operations and distributions', () => {
    for (const distribution of ['random', 'sorted', 'reversed', 'equal']) {
      for (const length of ['10', '100', '1000', '1e4', '1e5', '1e6', '1e7']) {
        expect(names).toContain(`sort u32 ${length} ${distribution}`);
      }
    }
    for (const keyType of ['u8', 'i8', 'u16', 'i16', 'i32', 'f32', 'u64', 'i64', 'f64']) {
      for (const length of ['1000', '1e5', '1e6', '1e7']) {
        expect(names).toContain(`sort ${keyType} ${length} random`);
      }
    }
    for (const operation of ['argsort', 'sortPairs']) {
      for (const length of ['1000', '1e5', '1e6']) {
        expect(names).toContain(`${operation} u32 ${length} random`);
      }
    }
  });

  it('time many calls at once if one is short', () => {
    const calls = (length: number) =>
      callsOf({ operation: 'sort', keyType: 'u32', length, distribution: 'random' });
    expect([10, 1000, 1e5, 1e7].map(calls)).toEqual([1000, 200, 2, 1]);
    for (const definition of DEFINITIONS) {
      expect(samplesOf(definition)).toBeGreaterThanOrEqual(3);
    }
  });
});

describe('formatRecord', () => {
  it('is JSON that holds everything, a result on a line', () => {
    const record = {
      date: '2030-01-02T03:04:05.678Z',
      version: '1.2.3',
      seed: 42,
      machine: { cpu: 'Some CPU', cores: 4, memory: 16e9, node: '20.0.0', v8: '11', os: 'linux' },
      results: [1, 2].map((length) => ({
        operation: 'sort' as const,
        keyType: 'u32' as const,
        length,
        distribution: 'random' as const,
        backend: 'cpu' as const,
        calls: 1,
        ours: [0.125, 0.5],
        theirs: [1.5, 2],
        verified: true,
      })),
    };
    const text = formatRecord(record);
    expect(JSON.parse(text)).toEqual(record);
    expect(text.split('\n').filter((line) => line.includes('"ours"'))).toHaveLength(2);
  });
});
