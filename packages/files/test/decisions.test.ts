/**
 * Small decisions that files rarely show: the room in a memory, and what an element of a schema is.
 */

import { describe, expect, it } from 'vitest';
import { memoryInBatch } from '../src/arrow/parts.js';
import { explained, FileError } from '../src/error.js';
import { bytesSource, openTable } from '../src/index.js';
import { checkMemory, MemoryBudget } from '../src/memory.js';
import { readPageHeader } from '../src/parquet/page-header.js';
import { readPages } from '../src/parquet/pages.js';
import { columnTypeOf, elementOf } from '../src/parquet/type.js';
import {
  bitmapBytes,
  type ColumnType,
  isShared,
  memoryOfStored,
  type Stored,
  widthOf,
} from '../src/stored/column.js';
import { allocateBytes } from '../src/stored/take.js';
import { endOfGroup } from '../src/write.js';

describe('a memory', () => {
  it('has room for the rest, to the byte', async () => {
    const memory = new MemoryBudget("'in'", 0, 100);
    expect([memory.hasRoom(100), memory.hasRoom(101)]).toEqual([true, false]);
    await memory.column(
      0,
      { expected: 60 },
      async () => [],
      () => 40,
    );
    expect([memory.hasRoom(60), memory.hasRoom(61)]).toEqual([true, false]);
    const account = memory.begin({ expected: 25 });
    expect([memory.hasRoom(35), memory.hasRoom(36)]).toEqual([true, false]);
    expect(() => memory.begin({ expected: 36 })).toThrow(/101/);
    account.end();
    // A column that is read again counts once.
    await memory.column(
      0,
      { expected: 90 },
      async () => [],
      () => 10,
    );
    expect([memory.hasRoom(90), memory.hasRoom(91)]).toEqual([true, false]);
  });
});

describe('an element of a Parquet schema', () => {
  const time = (unit: string, isUtc: boolean) => ({ kind: 'time', unit, isUtc });
  const timestamp = (unit: string, zone?: string) => ({ kind: 'timestamp', unit, zone });
  const logical = (type: string, unit: string, isAdjustedToUTC: boolean) => ({
    logical_type: { type, unit, isAdjustedToUTC },
  });

  const FLOAT16 = { logical_type: { type: 'FLOAT16' } };
  const DECIMAL = { converted_type: 'DECIMAL', precision: 9, scale: 2 };
  const decimal = (bits: number) => ({ kind: 'decimal', bits, precision: 9, scale: 2 });
  const integer = (bitWidth: number, isSigned: boolean) => ({
    logical_type: { type: 'INTEGER', bitWidth, isSigned },
  });

  it.each<[string, object, unknown]>([
    ['INT32', { converted_type: 'TIME_MILLIS' }, time('ms', true)],
    ['INT64', { converted_type: 'TIME_MILLIS' }, undefined],
    ['INT64', { converted_type: 'TIME_MICROS' }, time('us', true)],
    ['INT32', { converted_type: 'TIME_MICROS' }, undefined],
    ['INT32', logical('TIME', 'MILLIS', false), time('ms', false)],
    ['INT64', logical('TIME', 'NANOS', true), time('ns', true)],
    ['INT32', logical('TIME', 'NANOS', true), undefined],
    ['INT64', { converted_type: 'TIMESTAMP_MILLIS' }, timestamp('ms', 'UTC')],
    ['INT64', logical('TIMESTAMP', 'MICROS', false), timestamp('us')],
    ['INT32', { converted_type: 'TIMESTAMP_MILLIS' }, undefined],
    ['INT32', { converted_type: 'DATE' }, { kind: 'date', unit: 'day' }],
    ['INT32', { converted_type: 'UINT_8' }, { kind: 'integer', bits: 8, isSigned: false }],
    ['INT32', { converted_type: 'INT_32' }, { kind: 'integer', bits: 32, isSigned: true }],
    ['INT64', { converted_type: 'INT_32' }, undefined],
    ['INT32', { converted_type: 'UINT_64' }, undefined],
    ['INT64', {}, { kind: 'integer', bits: 64, isSigned: true }],
    ['BYTE_ARRAY', { converted_type: 'ENUM' }, { kind: 'text' }],
    ['BYTE_ARRAY', { logical_type: { type: 'VARIANT' } }, undefined],
    ['BYTE_ARRAY', {}, { kind: 'binary' }],
    ['FIXED_LEN_BYTE_ARRAY', { type_length: 0 }, undefined],
    ['FIXED_LEN_BYTE_ARRAY', {}, undefined],
    [
      'FIXED_LEN_BYTE_ARRAY',
      { type_length: 1 },
      { kind: 'fixed binary', width: 1, isOrdered: true },
    ],
    ['FIXED_LEN_BYTE_ARRAY', { type_length: 2, ...FLOAT16 }, { kind: 'float', bits: 16 }],
    ['FIXED_LEN_BYTE_ARRAY', { type_length: 3, ...FLOAT16 }, undefined],
    ['FIXED_LEN_BYTE_ARRAY', { type_length: 16, ...DECIMAL }, decimal(128)],
    ['FIXED_LEN_BYTE_ARRAY', { type_length: 17, ...DECIMAL }, undefined],
    ['INT32', DECIMAL, decimal(32)],
    ['INT64', { logical_type: { type: 'DECIMAL', precision: 9, scale: 2 } }, decimal(64)],
    ['BYTE_ARRAY', DECIMAL, undefined],
    ['BYTE_ARRAY', { logical_type: { type: 'STRING' } }, { kind: 'text' }],
    ['BYTE_ARRAY', { logical_type: { type: 'ENUM' } }, { kind: 'text' }],
    ['BYTE_ARRAY', { logical_type: { type: 'JSON' } }, { kind: 'text' }],
    ['BYTE_ARRAY', { converted_type: 'UTF8' }, { kind: 'text' }],
    ['BYTE_ARRAY', { converted_type: 'JSON' }, { kind: 'text' }],
    ['BYTE_ARRAY', { converted_type: 'BSON' }, { kind: 'binary' }],
    ['BOOLEAN', {}, { kind: 'boolean' }],
    ['FLOAT', {}, { kind: 'float', bits: 32 }],
    ['DOUBLE', {}, { kind: 'float', bits: 64 }],
    ['INT96', {}, { kind: 'fixed binary', width: 12, isOrdered: false }],
    ['INT32', { logical_type: { type: 'DATE' } }, { kind: 'date', unit: 'day' }],
    ['INT32', integer(8, true), { kind: 'integer', bits: 8, isSigned: true }],
    ['INT64', integer(64, false), { kind: 'integer', bits: 64, isSigned: false }],
    ['INT64', integer(32, false), undefined],
    ['INT32', integer(64, false), undefined],
    ['INT32', integer(24, false), undefined],
    ['INT64', logical('TIME', 'MILLIS', false), undefined],
    ['INT64', logical('TIMESTAMP', 'NANOS', true), timestamp('ns', 'UTC')],
    ['INT64', { converted_type: 'TIMESTAMP_MICROS' }, timestamp('us', 'UTC')],
    ['OTHER', {}, undefined],
    [
      'FIXED_LEN_BYTE_ARRAY',
      { type_length: 12, converted_type: 'INTERVAL' },
      { kind: 'fixed binary', width: 12, isOrdered: false },
    ],
  ])('of %s with %j', (type, more, expected) => {
    expect(columnTypeOf({ name: 'x', type, ...more } as never)).toEqual(expected);
  });

  /** Types that Parquet has, and how many bytes a value of each has in memory. */
  const TYPES: readonly [type: ColumnType, width: number | undefined][] = [
    [{ kind: 'boolean' }, 1],
    ...([8, 16, 32, 64] as const).flatMap((bits) =>
      [true, false].map((isSigned): [ColumnType, number] => [
        { kind: 'integer', bits, isSigned },
        bits / 8,
      ]),
    ),
    ...([16, 32, 64] as const).map((bits): [ColumnType, number] => [
      { kind: 'float', bits },
      bits / 8,
    ]),
    ...([32, 64, 128] as const).map((bits): [ColumnType, number] => [
      { kind: 'decimal', bits, precision: 9, scale: 2 },
      bits / 8,
    ]),
    [{ kind: 'date', unit: 'day' }, 4],
    [{ kind: 'time', unit: 'ms', isUtc: true }, 4],
    [{ kind: 'time', unit: 'us', isUtc: false }, 8],
    [{ kind: 'time', unit: 'ns', isUtc: true }, 8],
    [{ kind: 'timestamp', unit: 'ms', zone: 'UTC' }, 8],
    [{ kind: 'timestamp', unit: 'ns', zone: undefined }, 8],
    [{ kind: 'text' }, undefined],
    [{ kind: 'binary' }, undefined],
    [{ kind: 'fixed binary', width: 7, isOrdered: true }, 7],
  ];

  it.each(TYPES)('says %o, and so it is read again', (type, width) => {
    for (const isNullable of [true, false]) {
      const element = elementOf({ name: 'x', type, isNullable } as never);
      expect([element.name, element.repetition_type]).toEqual([
        ...['x', isNullable ? 'OPTIONAL' : 'REQUIRED'],
      ]);
      expect(columnTypeOf(element)).toEqual(type);
    }
    expect(widthOf(type)).toBe(width);
  });

  it('has the older name of text, which all readers know', () => {
    const text = elementOf({ name: 'x', type: { kind: 'text' } } as never);
    expect(text).toMatchObject({ converted_type: 'UTF8', logical_type: { type: 'STRING' } });
    const bytes = elementOf({ name: 'x', type: { kind: 'binary' } } as never);
    expect([bytes.converted_type, bytes.logical_type]).toEqual([undefined, undefined]);
  });

  it('is none for what Parquet does not have', () => {
    const say = (type: ColumnType) => () => elementOf({ name: 'x', type } as never);
    const cannot = "column 'x' cannot be written as Parquet";
    expect(say({ kind: 'decimal', bits: 64, precision: 9, scale: -1 })).toThrow(cannot);
    expect(say({ kind: 'date', unit: 'ms' })).toThrow(`${cannot}: it has dates in milliseconds`);
    expect(widthOf({ kind: 'date', unit: 'ms' })).toBe(8);
    expect(widthOf({ kind: 'time', unit: 's', isUtc: false })).toBe(4);
    expect(widthOf({ kind: 'duration', unit: 's' })).toBe(8);
  });
});

describe('what a batch of Arrow takes', () => {
  const batch = (lengths: readonly number[], more: object = {}) =>
    ({
      ...{ rows: 10, compression: 'none', variadic: [2] },
      buffers: lengths.map((length) => new Uint8Array(length)),
      ...more,
    }) as never;
  const places = { buffer: 0, view: 0 } as never;
  const text = (form: string, buffers: number) =>
    ({ text: form, buffers, stored: { kind: 'text' } }) as never;
  const numbers = { buffers: 2, stored: { kind: 'integer', bits: 32, isSigned: true } } as never;

  it('is the rows, a bit of each, and the text', () => {
    // The buffers of another column follow.
    expect(memoryInBatch(batch([2, 40, 999]), numbers, places)).toEqual({ column: 42, reading: 0 });
    const usual = memoryInBatch(batch([2, 44, 100, 999]), text('usual', 3), places);
    expect(usual).toEqual({ column: 4 * 10 + 2 + 100, reading: 0 });
    const large = memoryInBatch(batch([2, 88, 100, 999]), text('large', 3), places);
    expect(large).toEqual({ column: 4 * 10 + 2 + 100, reading: 4 * 11 });
    // As many buffers as the batch says.
    const views = memoryInBatch(batch([2, 160, 50, 7, 999]), text('views', 2), places);
    expect(views).toEqual({ column: 4 * 10 + 2 + 57, reading: 4 * 11 + 57 });
    const booleans = { buffers: 2, stored: { kind: 'boolean' } } as never;
    expect(memoryInBatch(batch([2, 2]), booleans, places).reading).toBe(10);
  });

  it('is what compressed buffers say of themselves, if that is more, twice', () => {
    const buffers = [1000, 10, -1].map((says, i) => {
      const buffer = new Uint8Array([20, 30, 40][i] as number);
      new DataView(buffer.buffer).setBigInt64(0, BigInt(says), true);
      return buffer;
    });
    const compressed = batch([], { buffers, compression: 'ZSTD' });
    const { column, reading } = memoryInBatch(compressed, text('usual', 3), places);
    expect([column, reading]).toEqual([4 * 10 + 2 + 40, 2 * (1000 + 30 + 40)]);
  });
});

describe('a page of Parquet', () => {
  /** Its header, by hand: 10 values without nulls or levels, in `size` bytes. */
  const header = (size: number, flags: readonly number[]): number[] => [
    ...[0x15, 6, 0x15, 2 * size, 0x15, 2 * size, 0x5c],
    ...[0x15, 20, 0x15, 0, 0x15, 20, 0x15, 0, 0x15, 0, 0x15, 0, ...flags, 0, 0],
  ];

  it('of the newer kind is compressed unless it says that it is not', () => {
    for (const [flags, isCompressed] of [
      [[], true],
      [[0x11], true],
      [[0x12], false],
    ] as const) {
      const bytes = Uint8Array.from(header(10, flags));
      const { header: read, end } = readPageHeader(bytes, 0);
      expect(read).toMatchObject({ type: 'DATA_PAGE_V2', size: 10, newer: { isCompressed } });
      expect(end).toBe(bytes.length);
    }
  });

  it('is no longer than the data of its column', () => {
    const account = new MemoryBudget("'f'", 0, 1e6).begin({ expected: 0 });
    const read = (size: number): void => {
      const bytes = Uint8Array.from([...header(size, []), ...Array(10).fill(0)]);
      readPages(bytes, { chunk: { rows: 10 }, account } as never, {} as never);
    };
    expect(() => read(11)).toThrow("a page's length does not fit into its column's data");
    expect(() => read(10)).toThrow(/^(?!a page's length)/);
  });
});

describe('an error', () => {
  it('of the language itself says nothing of a file, and every other its reason', async () => {
    const of = async (thrown: unknown): Promise<Error> =>
      explained("cannot read 'x'", () => Promise.reject(thrown)).catch((error: Error) => error);
    for (const cause of [new TypeError('a is not b'), new RangeError('out of bounds')]) {
      const message = "cannot read 'x': it is damaged, or of another format";
      expect(await of(cause)).toMatchObject({ message, cause });
    }
    expect((await of(new Error('why'))).message).toBe("cannot read 'x': why");
    expect((await of('text')).message).toBe("cannot read 'x': text");
    const own = new FileError('said');
    expect(await of(own)).toBe(own);
    expect(() => allocateBytes(2 ** 60)).toThrow(FileError);
    expect(() => allocateBytes(2 ** 60)).toThrow(
      expect.objectContaining({ cause: expect.any(RangeError) }),
    );
  });

  it('of files that are too short says how short they are', async () => {
    for (const size of [0, 8, 11]) {
      const bytes = new Uint8Array(Buffer.from('PAR1\0\0\0\0PAR1').subarray(0, size));
      const opening = openTable(bytesSource("'f'", bytes), { format: 'parquet' });
      await expect(opening).rejects.toThrow(`it has ${size} bytes, too few for this format`);
    }
  });

  it('of a limit says what it should be', () => {
    for (const memory of [undefined, 1, 2 ** 53 - 1, Number.POSITIVE_INFINITY]) {
      expect(() => checkMemory(memory)).not.toThrow();
    }
    for (const memory of [0, 0.5, 1.5, -1, Number.NaN, 2 ** 53]) {
      expect(() => checkMemory(memory)).toThrow(RangeError);
    }
    for (const memory of ['1', null, 1n]) expect(() => checkMemory(memory)).toThrow(TypeError);
  });
});

describe('a group of rows that are written', () => {
  const MOST = 2 ** 26;
  /** The lengths of all groups, by the bytes of text of each row in two columns. */
  const groupsOf = (order: Uint32Array, ...columns: readonly (readonly number[])[]) => {
    const texts = columns.map((lengths) => ({
      longest: Math.max(...lengths),
      lengthAt: (row: number) => lengths[row] as number,
    }));
    const groups: number[] = [];
    for (let from = 0; from < order.length; from += groups.at(-1) as number) {
      groups.push(endOfGroup(order, from, texts) - from);
      if (groups.at(-1) === 0) break;
    }
    return groups;
  };
  const rows = (...of: number[]) => Uint32Array.from(of);

  it('has some 2^17 rows, or 64 MiB of text, or one row that has more', () => {
    const many = new Uint32Array(2 ** 18 + 5);
    expect(groupsOf(many)).toEqual([2 ** 17, 2 ** 17, 5]);
    expect(groupsOf(many, [9])).toEqual([2 ** 17, 2 ** 17, 5]);
    const all = rows(0, 1, 2, 3);
    expect(groupsOf(all, [MOST / 2, MOST / 2, 1, 0])).toEqual([2, 2]);
    expect(groupsOf(all, [1, MOST + 1, 1, 1])).toEqual([1, 1, 2]);
    expect(groupsOf(all, [MOST + 1, MOST + 1, MOST + 1, MOST + 1])).toEqual([1, 1, 1, 1]);
    expect(groupsOf(all, [1, MOST, 1, 1])).toEqual([1, 1, 2]);
    expect(groupsOf(rows(1, 1, 0, 1), [1, MOST])).toEqual([1, 1, 1, 1]);
    expect(groupsOf(all, [5, 5, 5, MOST], [5, MOST, 5, 5])).toEqual([1, 1, 1, 1]);
    expect(groupsOf(rows(), [MOST])).toEqual([]);
  });
});

describe('rows in memory', () => {
  const here = (size: number) => new Uint8Array(size);
  const apart = (size: number) => new Uint8Array(new SharedArrayBuffer(size)) as never;
  const fixed = (bytes: Uint8Array) => ({ kind: 'fixed', width: 1, bytes }) as const;
  const variable = (offsets: Uint32Array, bytes: Uint8Array) =>
    ({ kind: 'variable', offsets, bytes }) as const;
  const stored = (values: object, valid?: Uint8Array) => ({ rows: 1, values, valid }) as Stored;

  it('are shared if all that they have is', () => {
    const own = new Uint32Array(2);
    const others = new Uint32Array(new SharedArrayBuffer(8));
    const dictionary = (places: Uint8Array, entries: Stored) =>
      stored({ kind: 'dictionary', places: fixed(places), entries });
    const yes = [
      stored(fixed(apart(1))),
      stored(fixed(apart(1)), apart(1)),
      stored(variable(others, apart(1))),
      dictionary(apart(1), stored(fixed(apart(1)))),
    ];
    const no = [
      stored(fixed(here(1))),
      stored(fixed(apart(1)), here(1)),
      stored(variable(own, apart(1))),
      stored(variable(others, here(1))),
      dictionary(here(1), stored(fixed(apart(1)))),
      dictionary(apart(1), stored(fixed(here(1)))),
      dictionary(apart(1), stored(variable(others, here(1)))),
    ];
    expect(yes.map(isShared)).toEqual(yes.map(() => true));
    expect(no.map(isShared)).toEqual(no.map(() => false));
  });

  it('take the bytes of values, places, entries and bits', () => {
    expect(memoryOfStored(stored(fixed(here(5))))).toBe(5);
    expect(memoryOfStored(stored(fixed(here(5)), here(2)))).toBe(7);
    const text = stored(variable(new Uint32Array(3), here(10)), here(1));
    expect(memoryOfStored(text)).toBe(12 + 10 + 1);
    const values = { kind: 'dictionary', places: fixed(here(6)), entries: text };
    expect(memoryOfStored(stored(values, here(4)))).toBe(6 + 23 + 4);
    expect([0, 1, 8, 9].map(bitmapBytes)).toEqual([0, 1, 1, 2]);
  });
});
