/** argsort of columns that are described, beside a comparator that knows none of its code. */

import { ARRAY_CLASSES, fillSpecial, Random, runSeed } from '@keysweep/conformance/data';
import type { KeyArray, Order } from '@keysweep/core';
import {
  argsort,
  builtin,
  type Column,
  type ColumnOptions,
  createSorter,
  type SortReport,
} from 'keysweep';
import { argsortSync } from 'keysweep/sync';
import { describe, expect, it } from 'vitest';
import { fake } from './fakes.js';

const SEED = runSeed();
const random = new Random(SEED);
const chance = (of: number): boolean => random.below(of) === 0;
const oneOf = <T>(choices: readonly T[]): T => choices[random.below(choices.length)] as T;

/** A value of a column: a number, a text as an array of units, or undefined for none. */
type Value = number | bigint | readonly number[] | undefined;

/** A column and what it means, written down value by value. */
interface Case {
  readonly column: ColumnOptions;
  readonly values: readonly Value[];
}

/** Less than 0 where `a` comes first, by the words of the contract alone. */
function compare(a: Value, b: Value, column: ColumnOptions, order: Order): number {
  const { nulls = 'last', zeros = 'ordered' } = column;
  const own = column.order ?? order;
  const nans = column.nans ?? (own === 'ascending' ? 'last' : 'first');
  const place = (value: Value): number => {
    if (value === undefined) return nulls === 'first' ? -2 : 2;
    if (Number.isNaN(value)) return nans === 'first' ? -1 : 1;
    return 0;
  };
  if (place(a) !== place(b) || place(a) !== 0) return place(a) - place(b);
  const difference = compareValues(a as number, b as number, zeros === 'ordered');
  return own === 'ascending' ? difference : -difference;
}

function compareValues(a: Value, b: Value, areZerosOrdered: boolean): number {
  if (Array.isArray(a) && Array.isArray(b)) {
    const at = a.findIndex((unit, i) => unit !== b[i]);
    return at < 0 ? a.length - b.length : at >= b.length ? 1 : a[at] - b[at];
  }
  if ((a as number) < (b as number)) return -1;
  if ((a as number) > (b as number)) return 1;
  if (!areZerosOrdered) return 0;
  return Number(Object.is(b, -0)) - Number(Object.is(a, -0));
}

function expected(
  cases: readonly Case[],
  rows: Uint32Array,
  order: Order,
  segments: readonly number[] = [0],
): Uint32Array {
  const compareRows = (a: number, b: number): number => {
    for (const { column, values } of cases) {
      const difference = compare(values[a], values[b], column, order);
      if (difference !== 0) return difference;
    }
    return 0;
  };
  const sorted = segments.map((start, i) =>
    Array.from(rows.subarray(start, segments[i + 1] ?? rows.length)).sort(compareRows),
  );
  return Uint32Array.from(sorted.flat());
}

/** Half the time with nulls, from any bit on, and with bits set where there are no rows. */
function bitmap(rows: number): { options: Partial<ColumnOptions>; has: (row: number) => boolean } {
  if (chance(2)) return { options: {}, has: () => true };
  const validOffset = chance(2) ? 0 : random.below(70);
  const valid = random.fill(new Uint8Array(Math.ceil((rows + validOffset) / 8) + random.below(3)));
  if (chance(4)) valid.fill(255);
  if (chance(6)) valid.fill(0);
  const has = (row: number): boolean => {
    const bit = row + validOffset;
    return ((valid[bit >> 3] as number) >> (bit & 7)) % 2 === 1;
  };
  return { options: validOffset === 0 ? { valid } : { valid, validOffset }, has };
}

const directions = (): Partial<ColumnOptions> => ({
  ...(chance(2) ? { order: oneOf(['ascending', 'descending'] as const) } : {}),
  ...(chance(2) ? { nulls: oneOf(['first', 'last'] as const) } : {}),
});

function numbers(rows: number): Case {
  const { create } = oneOf(ARRAY_CLASSES);
  const keys = create(rows);
  if (chance(3)) fillSpecial(keys, random);
  else if (chance(2)) random.fill(new Uint8Array(keys.buffer, keys.byteOffset, keys.byteLength));
  else for (let i = 0; i < rows; i++) keys[i] = few(keys) as never;
  // Doubles that are whole numbers, but for a few.
  if (keys instanceof Float64Array && chance(2)) {
    const others = oneOf([
      [],
      [Number.NaN],
      [Number.NaN, -0],
      [Number.NaN, 0.5],
      [2 ** 31],
      [-(2 ** 31)],
    ]);
    for (let i = 0; i < rows; i++) {
      keys[i] = others.length > 0 && chance(30) ? oneOf(others) : random.below(99) - 50;
    }
  }
  const { options, has } = bitmap(rows);
  const column: ColumnOptions = {
    keys,
    ...options,
    ...directions(),
    ...(chance(3) ? { nans: oneOf(['first', 'last'] as const) } : {}),
    ...(chance(3) ? { zeros: oneOf(['equal', 'ordered'] as const) } : {}),
  };
  return {
    column,
    values: Array.from(keys as ArrayLike<Value>, (key, row) => (has(row) ? key : undefined)),
  };
}

const few = (keys: KeyArray): number | bigint =>
  typeof keys[0] === 'bigint' ? BigInt(random.below(3)) : random.below(3);

/** Texts that share prefixes, and end in zeros now and then. */
function units(rows: number, most: number): number[][] {
  const prefix = Array.from({ length: oneOf([0, 0, 1, 7, 8, 9, 40, 300]) }, () =>
    random.below(most),
  );
  const letters = oneOf([2, 3, 26, most]);
  return Array.from({ length: rows }, () => {
    const length = random.below(oneOf([1, 4, 9, 30]));
    const own = Array.from({ length }, () => (chance(5) ? 0 : random.below(letters)));
    return chance(9) ? own : [...prefix, ...own];
  });
}

function strings(rows: number): Case {
  // Up to all code units, so with surrogates that have no partner.
  const texts = units(rows, oneOf([128, 256, 65536]));
  const keys = texts.map((text) => String.fromCharCode(...text));
  const { options, has } = bitmap(rows);
  const column = { keys, ...options, ...directions() };
  return { column, values: texts.map((text, row) => (has(row) ? text : undefined)) };
}

function utf8(rows: number): Case {
  const texts = units(rows, 256);
  const before = random.below(20);
  const offsets = [before];
  for (const text of texts) offsets.push((offsets.at(-1) as number) + text.length);
  const bytes = new Uint8Array((offsets.at(-1) as number) + random.below(9));
  random.fill(bytes);
  bytes.set(texts.flat(), before);
  const kinds = [Int32Array.from(offsets), Uint32Array.from(offsets)];
  const keys = {
    offsets: chance(3) ? BigInt64Array.from(offsets, BigInt) : oneOf(kinds),
    bytes,
  };
  const { options, has } = bitmap(rows);
  const column = { keys, ...options, ...directions() };
  return { column, values: texts.map((text, row) => (has(row) ? text : undefined)) };
}

function binary(rows: number): Case {
  const width = oneOf([1, 3, 8, 10, 16, 33]);
  const bytes = new Uint8Array(width * rows);
  for (let i = 0; i < bytes.length; i++) bytes[i] = random.below(oneOf([2, 256]));
  const values = Array.from({ length: rows }, (_, row) => [
    ...bytes.subarray(row * width, row * width + width),
  ]);
  const { options, has } = bitmap(rows);
  const column = { keys: { width, bytes }, ...options, ...directions() };
  return { column, values: values.map((text, row) => (has(row) ? text : undefined)) };
}

const KINDS = { numbers, strings, utf8, binary };

describe(`argsort of described columns (KEYSWEEP_SEED=${SEED})`, () => {
  it.each(Object.entries(KINDS))('orders one column of %s', async (_, make) => {
    for (let i = 0; i < 60; i++) await check([make(oneOf([0, 1, 2, 13, 50, 300, 1500]))]);
  });

  it('orders several columns of any kind, most significant first', async () => {
    for (let i = 0; i < 120; i++) {
      const rows = oneOf([0, 1, 20, 300, 1500]);
      const count = 1 + random.below(5);
      await check(Array.from({ length: count }, () => oneOf(Object.values(KINDS))(rows)));
    }
  });

  it('orders all rows by a second column where equal texts are found back to front', async () => {
    const words = ['agrees in a word, then not', 'agrees in a word and more', 'b'];
    const texts = Array.from({ length: 60 }, (_, row) => words[row % words.length] as string);
    const numbers = random.fill(new Uint32Array(texts.length));
    const units = texts.map((text) => Array.from(text, (unit) => unit.charCodeAt(0)));
    await check([
      { column: { keys: texts }, values: units },
      { column: { keys: numbers }, values: [...numbers] },
    ]);
  });
});

/** Checks the order of a table: all rows, chosen ones, into an array, in segments. */
async function check(cases: readonly Case[]): Promise<void> {
  const { length } = (cases[0] as Case).values;
  const order = oneOf(['ascending', 'descending'] as const);
  const columns = cases.map(({ column }): Column => column);
  const keys = columns.length === 1 && chance(2) ? (columns[0] as Column) : columns;
  const all = Uint32Array.from({ length }, (_, row) => row);
  const sorted = expected(cases, all, order);
  expect(await argsort(keys, { order })).toEqual(sorted);
  expect(argsortSync(keys, { order })).toEqual(sorted);
  const indices =
    length === 0 ? all : all.map(() => random.below(length)).subarray(random.below(2));
  const out = chance(2) ? indices.slice() : new Uint32Array(length + 3);
  const rows = await argsort(keys, { order, indices, out });
  expect(rows).toEqual(expected(cases, indices, order));
  expect(rows.buffer).toBe(out.buffer);
  const starts = [0, random.below(length + 1), random.below(length + 1)].sort((a, b) => a - b);
  const segments = Uint32Array.from(starts);
  expect(await argsort(keys, { order, segments })).toEqual(expected(cases, all, order, starts));
}

/** Keys whose order is the same for every backend, and what it is. */
const KEYS = Float32Array.of(2, Number.NaN, -0, 0, -1);

describe('texts that agree but for one row', () => {
  /** More rows than are sorted by insertion. */
  const ROWS = 40;
  const PREFIX = 'the same beginning, longer than two words of keys, ';

  it.each([0, 1, ROWS >> 1, ROWS - 2, ROWS - 1])('which is row %i', async (odd) => {
    for (const at of [0, 8, 9, PREFIX.length - 1, PREFIX.length]) {
      for (const letter of ['\0', '!', '~']) {
        const texts = Array.from({ length: ROWS }, (_, row) => `${PREFIX}${(row * 7) % 3}`);
        texts[odd] = `${PREFIX.slice(0, at)}${letter}${PREFIX.slice(at)}`;
        const order = Uint32Array.from(texts.keys()).sort((a, b) =>
          (texts[a] as string) < (texts[b] as string) ? -1 : Number(texts[a] !== texts[b]),
        );
        expect(await argsort({ keys: texts })).toEqual(order);
        expect(argsortSync({ keys: texts })).toEqual(order);
      }
    }
  });
});

describe('what a column may say', () => {
  it.each<[string, Column | readonly Column[], readonly number[]]>([
    ['nothing', { keys: KEYS }, [4, 2, 3, 0, 1]],
    ['descending', { keys: KEYS, order: 'descending' }, [1, 0, 3, 2, 4]],
    ['NaNs first', { keys: KEYS, nans: 'first' }, [1, 4, 2, 3, 0]],
    ['NaNs last, descending', { keys: KEYS, nans: 'last', order: 'descending' }, [0, 3, 2, 4, 1]],
    ['zeros tie', [{ keys: KEYS, order: 'descending', zeros: 'equal' }], [1, 0, 2, 3, 4]],
    ['nulls', { keys: KEYS, valid: Uint8Array.of(0b11110) }, [4, 2, 3, 1, 0]],
    ['nulls first', { keys: KEYS, valid: Uint8Array.of(0b11110), nulls: 'first' }, [0, 4, 2, 3, 1]],
    [
      'NaNs and nulls of doubles, whole ones first',
      { keys: Float64Array.of(Number.NaN, 3, 7, Number.NaN, 0.5), valid: Uint8Array.of(0b11011) },
      [4, 1, 0, 3, 2],
    ],
    ['half floats', { keys: Uint16Array.of(0x3c00, 0xbc00, 0x7e00, 0), as: 'f16' }, [1, 3, 0, 2]],
    ['strings', { keys: ['b', '', 'a\0', 'a', 'B'] }, [1, 4, 3, 2, 0]],
    ['binary values', { keys: { width: 2, bytes: Uint8Array.of(1, 2, 1, 1, 0, 9) } }, [2, 1, 0]],
  ])('%s', async (_, columns, order) => {
    expect(await argsort(columns)).toEqual(Uint32Array.from(order));
    expect(argsortSync(columns)).toEqual(Uint32Array.from(order));
  });

  it.each<[unknown, object, new () => Error, RegExp]>([
    [
      { keys: [1, 2] },
      {},
      TypeError,
      /^keys\.keys must hold strings only, but element 0 is the num/,
    ],
    [{ keys: KEYS, size: 3 }, {}, TypeError, /^keys has 'size', but a column has only keys, order/],
    [[{ keys: KEYS }, { keys: ['a'] }], {}, RangeError, /keys\[0\] has 5 rows and keys\[1\] has 1/],
    [
      { keys: KEYS, order: 'up' },
      {},
      TypeError,
      /^keys\.order must be 'ascending' or 'descending'/,
    ],
    [{ keys: KEYS, nulls: true }, {}, TypeError, /^keys\.nulls must be 'first' or 'last'/],
    [{ keys: KEYS, nans: 'end' }, {}, TypeError, /^keys\.nans must be 'first' or 'last'/],
    [{ keys: KEYS, zeros: 1 }, {}, TypeError, /^keys\.zeros must be 'ordered' or 'equal'/],
    [{ keys: KEYS, as: 'f16' }, {}, TypeError, /as: 'f16' must be a Uint16Array of half floats/],
    [{ keys: KEYS, as: 'f32' }, {}, TypeError, /^as of keys\.keys must be 'f16', got the string/],
    [{ keys: KEYS, valid: [1] }, {}, TypeError, /^keys\.valid must be a Uint8Array of bits/],
    [
      { keys: KEYS, valid: Uint8Array.of(1), validOffset: 4 },
      {},
      RangeError,
      /5 rows from bit 4 on/,
    ],
    [{ keys: KEYS, validOffset: -1 }, {}, RangeError, /^keys\.validOffset must be a whole number/],
    [{ keys: { width: 3, bytes: new Uint8Array(4) } }, {}, RangeError, /multiple of width 3/],
    [{ keys: { width: 0, bytes: new Uint8Array(4) } }, {}, RangeError, /from 1 on, got 0/],
    [
      { keys: { bytes: new Uint8Array(4) } },
      {},
      TypeError,
      /^keys\.keys must be a typed array, strin/,
    ],
    [
      { keys: { offsets: [0, 1], bytes: new Uint8Array(4) } },
      {},
      TypeError,
      /offsets must be an Int32/,
    ],
    [
      { keys: { offsets: Int32Array.of(0, 5), bytes: new Uint8Array(4) } },
      {},
      RangeError,
      /offset 1 is 5/,
    ],
    [
      { keys: { offsets: Int32Array.of(2, 1), bytes: new Uint8Array(4) } },
      {},
      RangeError,
      /1 after 2/,
    ],
    [
      { keys: { offsets: new Int32Array(0), bytes: new Uint8Array(4) } },
      {},
      RangeError,
      /it has none/,
    ],
    [{ keys: ['a'] }, { precision: 16 }, TypeError, /^precision is for a column of numbers/],
    [{ keys: KEYS }, { keyBits: { begin: 0, end: 1 } }, TypeError, /^keyBits is for keys that are/],
    [{ keys: KEYS }, { approximate: true }, TypeError, /^approximate is for keys that are passed/],
    [
      { keys: KEYS },
      { out: new Uint32Array(KEYS.buffer) },
      TypeError,
      /^out must not overlap the keys/,
    ],
    [
      { keys: KEYS },
      { indices: Uint32Array.of(5) },
      RangeError,
      /^indices must be below the 5 rows/,
    ],
    [{ keys: KEYS }, { colour: 1 }, TypeError, /^options has no 'colour'/],
  ])('refuses %j with %j', async (columns, options, type, message) => {
    const error = await argsort(columns as Column, options).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(type);
    expect((error as Error).message).toMatch(message);
    if ('approximate' in options) return;
    expect(() => argsortSync(columns as Column, options)).toThrow(message);
  });
});

describe('a call with described columns', () => {
  const strings = Array.from({ length: 3000 }, () => `a prefix of all ${random.below(900)}`);

  it('reports once what served it, and ends by its signal', async () => {
    const reports: SortReport[] = [];
    const onReport = (report: SortReport): void => void reports.push(report);
    const sorter = await createSorter();
    await sorter.argsort({ keys: strings }, { onReport, backend: 'cpu' });
    expect(reports).toMatchObject([{ operation: 'argsort', backend: 'cpu', length: 3000 }]);
    await sorter.argsort([{ keys: new Uint8Array(9) }, new Int8Array(9)], { onReport });
    expect(reports[1]).toMatchObject({ length: 9, reason: 'all rows are equal' });
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(sorter.argsort({ keys: strings }, { signal })).rejects.toThrow('enough');
    await sorter.close();
    await expect(sorter.argsort({ keys: strings })).rejects.toThrow(/closed/);
  });

  it('asks no backend for a second step once it was aborted in the first', async () => {
    const controller = new AbortController();
    let served = 0;
    const serve = builtin();
    const sorter = await createSorter({
      backends: [
        fake('cpu', {
          async sort(request) {
            served++;
            const outcome = await serve.sort(request);
            controller.abort(new Error('enough'));
            return outcome;
          },
        }),
      ],
    });
    const { signal } = controller;
    // Their first words tie, so that there is a second step.
    await expect(sorter.argsort({ keys: strings }, { signal })).rejects.toThrow('enough');
    expect(served).toBe(1);
    await sorter.close();
  });

  it('waits for calls that write its memory, and so do they', async () => {
    const keys = random.fill(new Uint32Array(200_000));
    const before = Uint32Array.from(keys.keys()).sort(
      (a, b) => (keys[a] as number) - (keys[b] as number),
    );
    const sorter = await createSorter();
    const first = sorter.argsort({ keys });
    const sorting = sorter.sort(keys);
    const second = sorter.argsort([{ keys }]);
    expect(await first).toEqual(before);
    await sorting;
    expect(await second).toEqual(Uint32Array.from(keys.keys()));
    await sorter.close();
  });
});
