import {
  KEY_TYPES,
  type KeyArray,
  type KeyType,
  keyTraits,
  mergeRuns,
  type OrderedColumn,
} from '@keysweep/core';
import { type OracleOrder, oraclePermutation } from '@keysweep/core/oracle';
import { describe, expect, it, test } from 'vitest';
import fc from './fast-check.js';
import { boundaryPatterns, keysOf } from './patterns.js';

/** Thorough runs try more. */
const isThorough = process.env.KEYSWEEP_THOROUGH === '1';

const ORDERS = ['ascending', 'descending'] as const;
/** Node 20 has no Float16Array, and a merge has to be told by the class what bits mean. */
const TYPES = KEY_TYPES.filter((keyType) => keyType !== 'f16' || 'Float16Array' in globalThis);
const UNSIGNED = TYPES.filter((keyType) => keyTraits(keyType).kind === 'unsigned');

interface Column {
  readonly keyType: KeyType;
  readonly patterns: readonly bigint[];
}

function keysOfColumn({ keyType, patterns }: Column): KeyArray {
  const keys = keysOf(keyType, patterns);
  return keyType === 'f16' ? new Float16Array(keys.buffer) : keys;
}

/** The result of a merge, and what it yielded on the way. */
function drain(
  columns: readonly KeyArray[],
  starts: Uint32Array,
  order: Omit<OrderedColumn, 'keys'>,
): { permutation: Uint32Array; yields: number[] } {
  const merge = mergeRuns(
    columns.map((keys) => ({ keys, ...order })),
    starts,
  );
  const yields: number[] = [];
  for (;;) {
    const step = merge.next();
    if (step.done) return { permutation: step.value, yields };
    yields.push(step.value);
  }
}

const permutationOf = (...args: Parameters<typeof drain>): number[] => [
  ...drain(...args).permutation,
];

/** Sorts the runs of `columns` with the oracle, merges them, and compares with the oracle again. */
function checkMerge(
  columns: readonly Column[],
  starts: readonly number[],
  { order = 'ascending', keyBits }: OracleOrder,
): void {
  const segments = Uint32Array.from(starts);
  const inRuns = oraclePermutation(columns.map(keysOfColumn), { order, keyBits, segments });
  const runs = columns.map(({ keyType, patterns }) =>
    keysOfColumn({ keyType, patterns: Array.from(inRuns, (i) => patterns[i]!) }),
  );
  const expected = [...oraclePermutation(runs, { order, keyBits })];
  expect(permutationOf(runs, segments, { order, keyBits })).toEqual(expected);
}

/** Patterns that are random, or of the type's corners, or drawn from so few that most are ties. */
const patternsOf = (keyType: KeyType, length: number): fc.Arbitrary<bigint[]> => {
  const any = fc.bigInt({ min: 0n, max: (1n << BigInt(keyTraits(keyType).bits)) - 1n });
  const corner = fc.constantFrom(...boundaryPatterns(keyType));
  const some = (pattern: fc.Arbitrary<bigint>) =>
    fc.array(pattern, { minLength: length, maxLength: length });
  const few = fc
    .array(fc.oneof(any, corner), { minLength: 1, maxLength: 3 })
    .chain((patterns) => some(fc.constantFrom(...patterns)));
  return fc.oneof(some(any), some(fc.oneof(any, corner)), some(corner), few);
};

/** Starts of up to `maxRuns` runs; equal ones, and so empty runs, are frequent. */
const startsIn = (length: number, maxRuns: number): fc.Arbitrary<number[]> =>
  fc
    .array(fc.integer({ min: 0, max: length }), { maxLength: maxRuns - 1 })
    .map((cuts) => [0, ...cuts.sort((a, b) => a - b)]);

/** Columns of one length, and starts of runs in them. */
const inputOf = (
  keyTypes: readonly KeyType[],
  maxRuns = 12,
): fc.Arbitrary<[columns: Column[], starts: number[]]> =>
  fc
    .integer({ min: 0, max: 60 })
    .chain((length) =>
      fc.tuple(
        fc.tuple(
          ...keyTypes.map((keyType) =>
            patternsOf(keyType, length).map((patterns) => ({ keyType, patterns })),
          ),
        ),
        startsIn(length, maxRuns),
      ),
    );

describe.each(ORDERS)('%s', (order) => {
  it.each(TYPES)('merges runs of %s', (keyType) => {
    fc.assert(
      fc.property(inputOf([keyType]), ([columns, starts]) =>
        checkMerge(columns, starts, { order }),
      ),
      { numRuns: isThorough ? 300 : 60 },
    );
  });

  it.each(UNSIGNED)('compares the chosen bits of %s alone', (keyType) => {
    const place = fc.integer({ min: 0, max: keyTraits(keyType).bits });
    fc.assert(
      fc.property(inputOf([keyType]), place, place, ([columns, starts], a, b) => {
        const keyBits = { begin: Math.min(a, b), end: Math.max(a, b) };
        checkMerge(columns, starts, { order, keyBits });
      }),
      { numRuns: isThorough ? 300 : 60 },
    );
  });

  it('compares the next column if one is equal', () => {
    const input = fc
      .array(fc.constantFrom(...TYPES), { minLength: 2, maxLength: 4 })
      .chain((keyTypes) => inputOf(keyTypes));
    fc.assert(
      fc.property(input, ([columns, starts]) => checkMerge(columns, starts, { order })),
      { numRuns: isThorough ? 500 : 100 },
    );
  });

  it('merges 300 runs', () => {
    const input = fc
      .constantFrom(...TYPES)
      .chain((keyType) => fc.tuple(patternsOf(keyType, 2000), fc.constant(keyType)))
      .chain(([patterns, keyType]) =>
        fc.tuple(
          fc.constant([{ keyType, patterns }]),
          fc.array(fc.integer({ min: 0, max: 2000 }), { minLength: 299, maxLength: 299 }),
        ),
      );
    fc.assert(
      fc.property(input, ([columns, cuts]) =>
        checkMerge(columns, [0, ...cuts.sort((a, b) => a - b)], { order }),
      ),
      { numRuns: 20 },
    );
  });

  it('sorts, if every run is one element', () => {
    fc.assert(
      fc.property(inputOf(['f32']), ([[column]]) =>
        checkMerge([column!], [...column!.patterns.keys()], { order }),
      ),
      { numRuns: isThorough ? 100 : 30 },
    );
  });

  it('leaves one run as it is', () => {
    fc.assert(
      fc.property(inputOf(['i64'], 1), ([columns, starts]) =>
        checkMerge(columns, starts, { order }),
      ),
      { numRuns: isThorough ? 50 : 15 },
    );
  });

  it('takes ties by run, then by position', () => {
    const identity = [0, 1, 2, 3, 4, 5];
    const starts = Uint32Array.of(0, 1, 1, 3, 6);
    const nans = Uint32Array.of(0x7fc00001, 0xffffffff, 0x7f800001, 0xff800001, 0x7fc00000, ~0);
    for (const keys of [
      new Uint8Array(6).fill(7),
      new BigInt64Array(6).fill(-7n),
      new Float32Array(nans.buffer),
    ]) {
      expect(permutationOf([keys], starts, { order })).toEqual(identity);
      expect(permutationOf([keys, keys], starts, { order })).toEqual(identity);
    }
  });

  // Dealt out like cards, element i of the merge is in run i modulo 3: no need for an oracle.
  it.each<[KeyType, (values: number[]) => KeyArray]>([
    ['u32', (values) => Uint32Array.from(values)],
    ['f32', (values) => Float32Array.from(values, (value) => value - 300_000)],
    ['u64', (values) => BigUint64Array.from(values, BigInt)],
  ])('merges %s in steps, and tells how far it is', (_, keysFrom) => {
    const runLength = 200_001;
    const length = 3 * runLength;
    const values = new Array<number>(length);
    const expected = new Uint32Array(length);
    for (let i = 0; i < length; i++) {
      const position = (i % 3) * runLength + Math.floor(i / 3);
      expected[i] = position;
      values[position] = order === 'ascending' ? i : length - i;
    }
    const starts = Uint32Array.of(0, runLength, 2 * runLength);
    const { permutation, yields } = drain([keysFrom(values)], starts, { order });
    expect(Buffer.compare(Buffer.from(permutation.buffer), Buffer.from(expected.buffer))).toBe(0);
    expect(yields.filter((done) => done > 0)).toEqual([2 ** 18, 2 ** 19, length]);
    expect(yields.toSorted((a, b) => a - b)).toEqual(yields);
  });
});

test('nothing to merge', () => {
  const none = Uint32Array.of();
  expect(permutationOf([], none, { order: 'ascending' })).toEqual([]);
  expect(permutationOf([none], none, { order: 'ascending' })).toEqual([]);
  expect(
    permutationOf([none, new Float64Array(0)], Uint32Array.of(0, 0), { order: 'descending' }),
  ).toEqual([]);
});

test('columns may be views of shared memory, and are not written', () => {
  const memory = Uint32Array.of(9, 1, 5, 9, 0, 5, 9).buffer;
  const shared = new SharedArrayBuffer(memory.byteLength);
  new Uint8Array(shared).set(new Uint8Array(memory));
  for (const buffer of [memory, shared]) {
    const before = new Uint8Array(buffer).slice();
    for (const keys of [new Uint32Array(buffer, 4, 5), new Int32Array(buffer, 4, 5)]) {
      expect(permutationOf([keys], Uint32Array.of(0, 3), { order: 'ascending' })).toEqual([
        3, 0, 1, 4, 2,
      ]);
    }
    expect(new Uint8Array(buffer)).toEqual(before);
  }
});

test('every column has an order of its own', () => {
  const major = Uint32Array.of(1, 1, 2, 1, 2, 2);
  const minor = Float32Array.of(5, 3, 7, 4, 9, 8);
  const merge = mergeRuns(
    [
      { keys: major, order: 'ascending' },
      { keys: minor, order: 'descending' },
    ],
    Uint32Array.of(0, 3),
  );
  let step = merge.next();
  while (!step.done) step = merge.next();
  expect([...step.value]).toEqual([0, 3, 1, 4, 5, 2]);
});
