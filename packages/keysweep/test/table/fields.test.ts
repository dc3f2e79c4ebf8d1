/** The loops of a table's fields, compiled and plain, and the tables that they are asked for. */

import { runSeed } from '@keysweep/conformance/data';
import {
  ClosedError,
  FIELD_ROWS,
  type FieldKernels,
  type Integers,
  type SortRequest,
} from '@keysweep/core';
import { cpu } from '@keysweep/cpu';
import { argsort, builtin, type ColumnOptions, createSorter } from 'keysweep';
import { argsortSync } from 'keysweep/sync';
import { describe, expect, it } from 'vitest';
import { testRandom } from '../../../../tools/test/random.js';
import { plainFields } from '../../src/table/plain-fields.js';
import { alikeBits, boundsOf, emptyRange, TOP, widenByLows } from '../../src/table/word-range.js';
import { fake, isSame } from '../fakes.js';

const SEED = runSeed();
const random = testRandom();

const CLASSES = [
  Int8Array,
  Uint8Array,
  Uint8ClampedArray,
  Int16Array,
  Uint16Array,
  Int32Array,
  Uint32Array,
];

/** Random numbers, now and then of few bits, in a view that begins anywhere. */
function numbers(length: number): Integers {
  const Class = CLASSES[random.below(CLASSES.length)] as (typeof CLASSES)[number];
  const before = random.below(5);
  const bytes = random.fill(new Uint8Array((length + before) * Class.BYTES_PER_ELEMENT));
  return new Class(bytes.buffer).subarray(before);
}

const compiled = async (): Promise<FieldKernels> => (await cpu().fieldKernels?.()) as FieldKernels;

describe.each<[string, () => Promise<FieldKernels>]>([
  ['compiled', compiled],
  ['plain', async () => plainFields(FIELD_ROWS)],
])(`loops of fields, %s (KEYSWEEP_SEED=${SEED})`, (_, make) => {
  it('find the least and the largest word of any number of rows', async () => {
    const kernels = await make();
    for (let i = 0; i < 200; i++) {
      const slice = numbers(1 + random.below(40));
      const flip = random.below(2) * TOP;
      const words = Array.from(slice, (number) => (number ^ flip) >>> 0);
      expect(kernels.range(slice, flip)).toEqual([Math.min(...words), Math.max(...words)]);
    }
    expect(kernels.range(new Int32Array(FIELD_ROWS).fill(-7), TOP)).toEqual([
      2 ** 31 - 7,
      2 ** 31 - 7,
    ]);
  });

  it('add columns, each by a factor of its own, modulo 2^32', async () => {
    const kernels = await make();
    for (let i = 0; i < 200; i++) {
      const length = i === 0 ? FIELD_ROWS : random.below(40);
      const columns = Array.from({ length: 1 + random.below(5) }, () => numbers(length));
      const factors = columns.map(() => (random.below(2) * 2 - 1) * (1 << random.below(32)));
      const base = random.below(2 ** 32) | 0;
      const sums = Uint32Array.from({ length }, (_, row) =>
        columns.reduce(
          (sum, column, c) => sum + Math.imul(column[row] as number, factors[c] as number),
          base,
        ),
      );
      expect(kernels.sum(columns, factors, base)).toEqual(sums);
    }
  });
});

describe(`doubles (KEYSWEEP_SEED=${SEED})`, () => {
  // By other numbers some keys divide without a rest, and some do not.
  const divisors = [1, 864e5, 3 * 2 ** 40];
  const others = [0, 0.5, 2 ** 31, -(2 ** 31) - 1, Number.NaN, Number.POSITIVE_INFINITY, -0];
  it.each(divisors.flatMap((divisor) => others.map((other) => [divisor, other] as const)))(
    'are multiples of %d by 32 bits but for that by %d',
    async (divisor, other) => {
      const kernels = await compiled();
      for (let i = 0; i < 10; i++) {
        const length = i === 0 ? FIELD_ROWS : 1 + random.below(40);
        const factors = Float64Array.from({ length }, () => random.below(2 ** 32) | 0);
        [factors[0], factors[length - 1]] = [-(2 ** 31), 2 ** 31 - 1];
        factors[random.below(length)] = other;
        const doubles = factors.map((factor) => factor * divisor);
        const flip = random.below(2 ** 32) | 0;
        const words = Uint32Array.from(factors, (factor) => factor ^ flip);
        const found = (isZero: boolean) => kernels.multiples?.(doubles, divisor, flip, isZero);
        expect(found(false)).toEqual(Object.is(other, 0) ? words : undefined);
        expect(found(true)).toEqual(other === 0 ? words : undefined);
      }
    },
  );

  it('are ordered by days, by what is no day in the end, and by other rows of nulls', async () => {
    const DAY = 864e5;
    const rows = 20_000;
    const days = Float64Array.from({ length: rows }, () => (random.below(3650) - 900) * DAY);
    const minor = Uint8Array.from({ length: rows }, () => random.below(256));
    const valid = random.fill(new Uint8Array(rows / 8));
    const isNull = (row: number): boolean => ((valid[row >> 3] as number) >> (row & 7)) % 2 === 0;
    for (const last of [7 * DAY, 7, 2 ** 53 + 2, Number.NaN, -0]) {
      days[rows - 5] = last;
      // What a null holds does not count.
      const holed = days.map((day, row) => (isNull(row) ? random.below(9) / 2 : day));
      const rankOf = (day: number): number => (Number.isNaN(day) ? Number.POSITIVE_INFINITY : day);
      const compare = (a: number, b: number): number => {
        const [x, y] = [rankOf(days[a] as number), rankOf(days[b] as number)];
        if (x !== y) return x < y ? 1 : -1;
        return Number(Object.is(x, -0)) - Number(Object.is(y, -0)) || minorOf(a) - minorOf(b);
      };
      const minorOf = (row: number): number => minor[row] as number;
      const all = Array.from({ length: rows }, (_, row) => row);
      const column = { keys: days, order: 'descending' } as const;
      const byDay = Uint32Array.from(all.slice().sort((a, b) => compare(a, b) || a - b));
      expect(await argsort([column, minor])).toEqual(byDay);
      expect(argsortSync([column, minor])).toEqual(byDay);
      const withNulls = all.sort((a, b) => {
        const nulls = Number(isNull(a)) - Number(isNull(b));
        return nulls || (isNull(a) ? minorOf(a) - minorOf(b) : compare(a, b)) || a - b;
      });
      expect(await argsort([{ ...column, keys: holed, valid }, minor])).toEqual(
        Uint32Array.from(withNulls),
      );
    }
  });
});

describe('ranges of words', () => {
  it('are the ranges of their parts together', () => {
    const range = emptyRange();
    widenByLows(range, [7, 9]);
    widenByLows(range, [2 ** 32 - 3, 2 ** 32 - 2]);
    widenByLows(range, [5, 8]);
    expect(boundsOf(range)).toEqual({ least: 5n, most: 2n ** 32n - 2n, bits: 32 });
  });
});

/** A column of integers, or of doubles that are whole numbers, now and then with nulls. */
function column(rows: number): ColumnOptions {
  const integers = numbers(rows);
  const doubles = () => Float64Array.from(integers, (key) => (random.below(9) > 0 ? key | 0 : -0));
  const keys = random.below(3) === 0 ? doubles() : integers;
  // Slices behind the first one have a number that is not whole, or none.
  if (keys instanceof Float64Array && random.below(2) === 0) {
    keys[rows - 1 - random.below(9)] = random.below(2) === 0 ? 0.5 : Number.NaN;
  }
  const valid = random.fill(new Uint8Array(Math.ceil(rows / 8)));
  return {
    keys,
    order: random.below(2) === 0 ? 'ascending' : 'descending',
    ...(random.below(3) === 0 ? { valid } : {}),
    ...(random.below(2) === 0 ? { zeros: 'equal' } : {}),
  };
}

describe('a table of several slices', () => {
  it('has the same order by compiled loops and by plain ones', async () => {
    const plain = await createSorter({ backends: [builtin()] });
    const byKernels = await createSorter({ backends: [cpu()] });
    for (let i = 0; i < 8; i++) {
      const rows = FIELD_ROWS + 1 + random.below(FIELD_ROWS);
      const columns = Array.from({ length: 1 + random.below(4) }, () => column(rows));
      const order = await plain.argsort(columns);
      expect(isSame(await byKernels.argsort(columns), order)).toBe(true);
      expect(isSame(argsortSync(columns), order)).toBe(true);
    }
    await byKernels.close();
    await plain.close();
  });

  it('is in order if the extremes of columns are in the last row', async () => {
    const rows = 2 ** 16 + 1;
    const [a, b, c] = [new Int8Array(rows), new Uint16Array(rows), new Int32Array(rows)];
    for (let i = 0; i < rows; i++) [a[i], b[i], c[i]] = [i & 1, (7 * i) & 63, (5 * i) & 255];
    [a[rows - 1], b[rows - 1], c[rows - 1]] = [-128, 65535, -(2 ** 31)];
    const order = await argsort([{ keys: a }, { keys: b, order: 'descending' }, c]);
    const all = Uint32Array.from({ length: rows }, (_, row) => row);
    const at = (keys: ArrayLike<number>, row: number): number => keys[row] as number;
    const compare = (i: number, j: number): number =>
      at(a, i) - at(a, j) || at(b, j) - at(b, i) || at(c, i) - at(c, j);
    expect(order).toEqual(all.sort(compare));
  });

  it('needs one sort for days and numbers, because days share their lowest bits', async () => {
    const rows = 2 * FIELD_ROWS;
    const days = Array.from({ length: rows }, () => 864e5 * (15_000 + random.below(1000)));
    const size = Uint32Array.from({ length: rows }, () => random.below(2 ** 20));
    const all = Uint32Array.from({ length: rows }, (_, row) => row);
    const compare = (i: number, j: number): number =>
      (days[j] as number) - (days[i] as number) || (size[i] as number) - (size[j] as number);
    const expected = all.sort(compare);
    for (const keys of [Float64Array.from(days), BigInt64Array.from(days, BigInt)]) {
      const sorts: number[] = [];
      const backend = cpu();
      const sort = backend.sort.bind(backend);
      Object.assign(backend, {
        sort(request: SortRequest) {
          sorts.push(request.shape.length);
          return sort(request);
        },
      });
      const sorter = await createSorter({ backends: [backend] });
      const options = { backend: 'cpu' } as const;
      const order = await sorter.argsort([{ keys, order: 'descending' }, size], options);
      expect(order).toEqual(expected);
      expect(sorts).toEqual([rows]);
      await sorter.close();
    }
  });

  it('is in order whatever bits its wide columns have in common', async () => {
    for (let i = 0; i < 40; i++) {
      const rows = 1 + random.below(3 * 40);
      const step = 2n ** BigInt(random.below(64));
      const base = (BigInt(random.below(2 ** 32)) << 32n) | BigInt(random.below(2 ** 32));
      const keys = BigInt64Array.from(
        { length: rows },
        () => base + step * BigInt(random.below(5)),
      );
      const minor = random.fill(new Uint8Array(rows));
      const order = random.below(2) === 0 ? 'ascending' : 'descending';
      const sign = order === 'ascending' ? 1 : -1;
      const compare = (a: number, b: number): number => {
        const [x, y] = [keys[a] as bigint, keys[b] as bigint];
        return x === y ? (minor[a] as number) - (minor[b] as number) : x < y ? -sign : sign;
      };
      const all = Uint32Array.from({ length: rows }, (_, row) => row);
      const table = [{ keys, order } as const, minor];
      expect(await argsort(table)).toEqual(all.sort(compare));
    }
  });

  it('asks for compiled loops from a whole slice on, and does without them', async () => {
    let calls = 0;
    const fieldKernels = async () => {
      calls++;
      return undefined;
    };
    const sorter = await createSorter({ backends: [fake('cpu', { fieldKernels })] });
    const rows = (length: number) => Uint32Array.from({ length }, (_, row) => row);
    // One column of numbers has no fields.
    const reversed = (length: number) => [
      { keys: rows(length).map((row) => length - row) },
      new Uint8Array(length),
    ];
    expect(await sorter.argsort(reversed(FIELD_ROWS - 1))).toEqual(rows(FIELD_ROWS - 1).reverse());
    expect(calls).toBe(0);
    expect(await sorter.argsort(reversed(FIELD_ROWS))).toEqual(rows(FIELD_ROWS).reverse());
    expect(calls).toBe(1);
    await sorter.close();
  });
});

it('kernels of a backend that was closed are not to be had', async () => {
  const backend = cpu();
  await backend.close();
  await expect(backend.fieldKernels?.()).rejects.toThrow(ClosedError);
});

it('words of 64 bits have as many of their lowest bits in common as no two differ in', () => {
  for (let bit = 0; bit < 64; bit++) {
    const [differingLow, differingHigh] = bit < 32 ? [1 << bit, 0] : [0, 1 << (bit - 32)];
    const above = bit < 32 ? { differingLow, differingHigh: 5 } : { differingLow, differingHigh };
    expect(alikeBits({ ...emptyRange(), ...above })).toBe(bit);
    expect(alikeBits({ ...emptyRange(), differingLow, differingHigh })).toBe(bit);
  }
  expect(alikeBits(emptyRange())).toBe(0);
});
