import { Random, runSeed } from '@keysweep/conformance/data';
import { createSorter, type Sorter } from 'keysweep';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  callsOf,
  DEFINITIONS,
  type Definition,
  makeInput,
  nameOf,
  samplesOf,
} from '../src/inputs/definitions.js';
import { measure } from '../src/measure/runner.js';
import { type Input, WORKLOADS, type Workload } from '../src/measure/workload.js';
import { formatRecord } from '../src/record/record.js';

const SEED = runSeed();
const random = new Random(SEED);

let sorter: Sorter;
beforeAll(async () => {
  sorter = await createSorter();
});
afterAll(() => sorter.close());

describe(`measure (seed ${SEED})`, () => {
  const definitionOf = (operation: Definition['operation']): Definition => ({
    operation,
    keyType: 'f64',
    length: 300,
    distribution: 'random',
  });

  const job = (workload: Workload, operation: Definition['operation']) => ({
    workload,
    makeInput: () => makeInput(definitionOf(operation), random),
    samples: 3,
    calls: 4,
    warmUp: true,
  });

  it.each(['sort', 'sortPairs', 'argsort'] as const)(
    'verifies %s, and keeps one number a sample',
    async (operation) => {
      const result = await measure(sorter, job(WORKLOADS[operation], operation));
      expect(result.fault).toBe(undefined);
      expect(result.ours).toHaveLength(3);
      expect(result.theirs).toHaveLength(3);
      expect(result.report).toMatchObject({ operation, keyType: 'f64', length: 300 });
    },
  );

  it.each([
    ['sort', 'keys'],
    ['sortPairs', 'keys'],
    ['sortPairs', 'values'],
    ['argsort', 'order'],
  ] as const)('tells when %s gets one of its %s wrong', async (operation, part) => {
    let call = 0;
    const workload: Workload = {
      ...WORKLOADS[operation],
      async ours(...args) {
        const result = await WORKLOADS[operation].ours(...args);
        // The last call of the last sample swaps two neighbours.
        if (++call === 1 + 4 + 3 * 4) {
          const array = result[part] as Float64Array;
          [array[7], array[8]] = [array[8] as number, array[7] as number];
        }
        return result;
      },
    };
    expect((await measure(sorter, job(workload, operation))).fault).toMatch(/^(element|row) /);
    expect(call).toBe(17);
  });

  it('gives every timed call an input of its own, and takes turns', async () => {
    const seen = new Set<unknown>();
    const turns: string[] = [];
    const see = (who: string, { columns }: Input): void => {
      seen.add(columns[0].buffer);
      turns.push(who);
    };
    await measure(sorter, {
      ...job(
        {
          ...WORKLOADS.sort,
          ours: (by, input, options) => {
            see('us', input);
            return WORKLOADS.sort.ours(by, input, options);
          },
          theirs: (input) => {
            see('them', input);
            return WORKLOADS.sort.theirs(input);
          },
        },
        'sort',
      ),
      calls: 1,
      samples: 2,
      warmUp: false,
    });
    expect(turns).toEqual(['us', 'us', 'them', 'them', 'us']);
    expect(seen.size).toBe(5);
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

  it('time many calls at once where one is short', () => {
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
