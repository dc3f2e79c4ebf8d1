/**
 * The encodings of Parquet's pages, by hand: what a writer may write, and what none does; and
 * pages.
 */

import { parquetWriteBuffer } from 'hyparquet-writer';
import { describe, expect, it } from 'vitest';
import { testRandom } from '../../../tools/test/random.js';
import { MemoryBudget } from '../src/memory.js';
import { cursorOf, readDictionaryPlaces, readRuns } from '../src/parquet/encodings.js';
import { readPages } from '../src/parquet/pages.js';
import { tableIn } from './columns.js';

const random = testRandom();

function runsIn(bytes: readonly number[], width: number, count: number): number[] {
  const values = new Array<number>(count).fill(-1);
  readRuns(cursorOf(Uint8Array.from(bytes)), width, count, (first, some) => {
    for (const [i, value] of some.entries()) values[first + i] = value;
  });
  return values;
}

describe('runs', () => {
  it('repeat a value, or are packed, bits from the lowest on', () => {
    expect(runsIn([5 << 1, 3], 2, 5)).toEqual([3, 3, 3, 3, 3]);
    expect(runsIn([(1 << 1) | 1, 0b1011_0010], 1, 8)).toEqual([0, 1, 0, 0, 1, 1, 0, 1]);
    expect(runsIn([2 << 1, 0x39, 0x05, (1 << 1) | 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], 10, 4)).toEqual(
      [0x539, 0x539, 0, 0],
    );
  });

  it('have the length that their page says, and end in it', () => {
    expect(() => runsIn([6 << 1, 3], 2, 5)).toThrow('runs of other lengths than its 5 values');
    expect(() => runsIn([5 << 1], 2, 5)).toThrow('ends in the middle');
    expect(() => runsIn([(1 << 1) | 1], 1, 8)).toThrow('ends in the middle');
  });
});

describe('places in a dictionary', () => {
  const places = (place: number, width: number): Uint8Array => {
    const dictionary = Uint8Array.from({ length: 2 * width }, (_, i) => i);
    const out = new Uint8Array(width);
    readDictionaryPlaces(cursorOf(Uint8Array.of(2, 1 << 1, place)), dictionary, width, 1, out);
    return out;
  };

  it.each([2, 4, 8, 12, 16])('give entries of %i bytes, and none after the last', (width) => {
    expect(places(1, width)).toEqual(Uint8Array.from({ length: width }, (_, i) => width + i));
    expect(() => places(2, width)).toThrow('names entry 2 of a dictionary of 2');
  });
});

it('differences carry from one half of an integer of 64 bits to the other', async () => {
  const steps = [2n ** 32n - 1n, 2n ** 32n, 2n ** 32n - 1n, -1n, 0n, -(2n ** 32n), 1n];
  const values = BigInt64Array.from([...steps, 2n ** 63n - 1n, -(2n ** 63n), -1n, 2n ** 40n]);
  const bytes = parquetWriteBuffer({
    columnData: [
      { name: 'x', data: Array.from(values), type: 'INT64', encoding: 'DELTA_BINARY_PACKED' },
    ],
  });
  const table = await tableIn(new Uint8Array(bytes), { format: 'parquet' });
  expect(await table.read('x')).toEqual(values);
});

describe(`pages of integers, seed ${random.seed}`, () => {
  const varint = (value: number): number[] =>
    value < 128 ? [value] : [(value & 127) | 128, ...varint(value >> 7)];
  /** Fields of a struct, each an integer, from number 1 on; a struct has a number before it. */
  const ints = (...values: number[]): number[] =>
    values.flatMap((value) => [0x15, ...varint(2 * value)]);
  const page = (type: number, size: number, field: number, own: number[], body: number[]) => [
    ...[...ints(type, size, body.length), 16 * (field - 3) + 12, ...own, 0, 0],
    ...body,
  ];
  const [PLAIN, RLE_DICTIONARY] = [0, 8];

  const ROWS = 21;
  const numbers = Array.from({ length: ROWS }, () => random.below(2 ** 31));
  const bytesOf = (values: readonly number[]): number[] => [
    ...new Uint8Array(Int32Array.from(values).buffer),
  ];
  /** Levels of rows, in groups of eight. */
  const levelsOf = (nulls: readonly number[]): number[] => {
    const groups = Math.ceil(nulls.length / 8);
    const bits = Array.from({ length: groups }, (_, group) =>
      nulls
        .slice(8 * group, 8 * group + 8)
        .reduce((sum, isNull, i) => sum + ((1 - isNull) << i), 0),
    );
    return [...varint(2 * groups + 1), ...bits];
  };
  const older = (
    count: number,
    levels: number[] | undefined,
    values: number[],
    encoding = PLAIN,
  ) => {
    const length = levels === undefined ? [] : bytesOf([levels.length]);
    const body = [...length, ...(levels ?? []), ...values];
    return page(0, body.length, 5, ints(count, encoding, 3, 3), body);
  };
  interface Newer {
    readonly nulls?: number;
    readonly rows?: number;
    readonly levelBytes?: number;
    readonly repetitions?: number;
  }
  const newer = (count: number, levels: number[], values: number[], own: Newer = {}) => {
    const { nulls = 0, rows = count, levelBytes = levels.length, repetitions = 0 } = own;
    const body = [...levels, ...values];
    const fields = ints(count, nulls, rows, PLAIN, levelBytes, repetitions);
    return page(3, body.length, 8, fields, body);
  };

  function read(
    bytes: number[],
    { rows = ROWS, isOptional = true, ...more }: Record<string, unknown> = {},
  ) {
    const account = new MemoryBudget("'f'", 0, 1e6).begin({ expected: 0 });
    const chunk = {
      rows,
      codec: 'UNCOMPRESSED',
      size: bytes.length,
      encodings: [],
      ...(more.chunk as object),
    };
    const out = {
      values: new Uint8Array(4 * (rows as number)),
      nulls: new Uint8Array(rows as number),
    };
    const context = {
      type: 'INT32',
      width: 4,
      isOptional,
      account,
      isWanted: () => true,
      ...more,
      chunk,
    };
    readPages(Uint8Array.from(bytes), context as never, out as never);
    return { values: [...new Int32Array(out.values.buffer)], nulls: [...out.nulls] };
  }
  const none = Array<number>(ROWS).fill(0);

  it('have levels before their values, in both kinds', () => {
    for (const share of [0, 1, 2, 4, 5]) {
      // None of them, some, and all.
      const nulls = numbers.map(() => Number(random.below(5) < share));
      const present = numbers.filter((_, i) => nulls[i] === 0);
      const expected = { values: numbers.map((n, i) => (nulls[i] === 1 ? 0 : n)), nulls };
      const count = nulls.reduce((sum, isNull) => sum + isNull, 0);
      const levels = levelsOf(nulls);
      expect(read(older(ROWS, levels, bytesOf(present)))).toEqual(expected);
      expect(read(newer(ROWS, levels, bytesOf(present), { nulls: count }))).toEqual(expected);
      const wrong = { nulls: count === 0 ? 1 : count - 1 };
      expect(() => read(newer(ROWS, levels, bytesOf(present), wrong))).toThrow(
        `a page has ${count} nulls where its header says ${wrong.nulls}`,
      );
    }
    // One run for all rows.
    const all = [...varint(2 * ROWS), 1];
    expect(read(older(ROWS, all, bytesOf(numbers)))).toEqual({ values: numbers, nulls: none });
    expect(read(newer(ROWS, all, bytesOf(numbers)))).toEqual({ values: numbers, nulls: none });
    // Nothing follows the levels of nulls.
    const nulls = none.map(() => 1);
    const run = [...varint(2 * ROWS), 0];
    expect(read(older(ROWS, run, []))).toEqual({ values: none, nulls });
    expect(read(newer(ROWS, run, [], { nulls: ROWS }))).toEqual({ values: none, nulls });
    const required = { isOptional: false };
    expect(read(older(ROWS, undefined, bytesOf(numbers)), required)).toEqual({
      values: numbers,
      nulls: none,
    });
    expect(read(newer(ROWS, [], bytesOf(numbers)), required)).toEqual({
      values: numbers,
      nulls: none,
    });
  });

  it('have levels of 0 and 1, which fit into them', () => {
    const values = bytesOf(numbers);
    const all = [...varint(2 * ROWS), 1];
    const twice = [...varint(2 * ROWS), 2];
    expect(() => read(older(ROWS, twice, values))).toThrow('a page has a level of 2');
    expect(() => read(older(ROWS, [...all, 0], values))).toThrow('bytes follow the levels');
    const cut = older(ROWS, all, []);
    cut[cut.length - all.length - 4] = all.length + 1;
    expect(() => read(cut)).toThrow('a page has longer levels than bytes');
    const long = { levelBytes: all.length + values.length + 1 };
    expect(() => read(newer(ROWS, all, values, long))).toThrow('levels that do not fit');
    expect(() => read(newer(ROWS, all, values), { isOptional: false })).toThrow('it cannot need');
    expect(() => read(newer(ROWS, all, values, { repetitions: 1 }))).toThrow('repeated values');
    expect(() => read(newer(ROWS, all, values, { rows: ROWS - 1 }))).toThrow('other numbers of');
    expect(() => read(newer(ROWS, all, values, { nulls: ROWS + 1 }))).toThrow('other numbers of');
  });

  it('are as many as there are rows, of which some are not wanted', () => {
    const pages = [numbers.slice(0, 9), numbers.slice(9)].flatMap((some) =>
      newer(some.length, [...varint(2 * some.length), 1], bytesOf(some)),
    );
    expect(read(pages).values).toEqual(numbers);
    expect(() => read(pages, { rows: ROWS + 1 })).toThrow(
      `have ${ROWS} values for ${ROWS + 1} rows`,
    );
    expect(() => read(pages, { rows: ROWS - 1 })).toThrow('other values than the 11 that are left');
    const asked: unknown[] = [];
    const isWanted = (from: number, count: number): boolean => {
      asked.push([from, count]);
      return from >= 9;
    };
    expect(read(pages, { isWanted }).values.slice(9)).toEqual(numbers.slice(9));
    expect(asked).toEqual(
      expect.arrayContaining([
        [0, 9],
        [9, 12],
      ]),
    );
    // Pages of an index are passed over, others are not known.
    expect(read([...page(1, 0, 6, [], []), ...pages]).values).toEqual(numbers);
    expect(() => read([...page(4, 0, 6, [], []), ...pages])).toThrow('a page has an unknown type');
    expect(() => read(page(0, 0, 8, ints(0, 0, 0, 0, 0, 0), []))).toThrow('another type of page');
    expect(() => read(page(3, 0, 5, ints(0, 0, 3, 3), []))).toThrow('another type of page');
  });

  it('may be differences, or split into bytes; what else they may be is told', () => {
    const required = { isOptional: false };
    const bytes = Uint8Array.from(bytesOf(numbers));
    const split = [0, 1, 2, 3].flatMap((byte) =>
      numbers.map((_, i) => bytes[4 * i + byte] as number),
    );
    expect(read(older(ROWS, undefined, split, 9), required).values).toEqual(numbers);
    // A block of 128 in 4 parts: 21 times the same, each one more than the one before.
    const steps = [128, 1, 4, ROWS, 10, 2, 0, 0, 0, 0];
    const rising = older(ROWS, undefined, steps, 5);
    expect(read(rising, required).values).toEqual(numbers.map((_, i) => 5 + i));
    expect(() => read(rising, { ...required, type: 'FLOAT' })).toThrow('no integers');
    expect(() => read(older(ROWS, undefined, [0], 3), required)).toThrow(
      'runs of values that are no',
    );
    for (const [encoding, name] of [
      [4, 'BIT_PACKED'],
      [6, 'DELTA_LENGTH_BYTE_ARRAY'],
      [7, 'DELTA_BYTE_ARRAY'],
    ] as const) {
      expect(() => read(older(ROWS, undefined, [0], encoding), required)).toThrow(
        `the encoding ${name} cannot be read`,
      );
    }
  });

  it('may be places in a dictionary, which comes first and once', () => {
    const entries = [50, 60, 70];
    const dictionary = (count = 3, encoding = PLAIN): number[] =>
      page(2, 12, 7, ints(count, encoding), bytesOf(entries));
    // Two bits each, in groups of eight.
    const places = [1, 0, 2, 2, 1, 0, 0, 1];
    const packed = [0b10_10_00_01, 0b01_00_00_01];
    const rows = { rows: 8, isOptional: false };
    const data = older(8, undefined, [2, 3, ...packed], RLE_DICTIONARY);
    expect(read([...dictionary(), ...data], rows).values).toEqual(places.map((at) => entries[at]));
    expect(() => read(data, rows)).toThrow('needs a dictionary, but there is none');
    expect(() => read([...dictionary(), ...dictionary(), ...data], rows)).toThrow(
      'out of its place',
    );
    const late = [...older(8, undefined, bytesOf([...places])), ...dictionary()];
    expect(() => read(late, rows)).toThrow('out of its place');
    expect(() => read([...dictionary(4), ...data], rows)).toThrow('dictionary of 4 has 12 bytes');
    expect(() => read([...dictionary(3, 5), ...data], rows)).toThrow('has the encoding');
    const named = (...encodings: string[]): unknown => ({ ...rows, chunk: { rows: 8, encodings } });
    for (const name of ['PLAIN_DICTIONARY', 'RLE_DICTIONARY']) {
      const found = read([...dictionary(), ...data], named(name) as never);
      expect(found.values[0]).toBe(60);
    }
    expect(() => read([...dictionary(), ...data], named('PLAIN') as never)).toThrow(
      'does not name',
    );
  });
});
