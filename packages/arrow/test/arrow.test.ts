/** Tables of Apache Arrow, beside a comparator of what their vectors say. */

import { createRequire } from 'node:module';
import { argsortTable, type SortColumn, take } from '@keysweep/arrow';
import { draw, isThorough, runSeed } from '@keysweep/conformance/data';
import {
  type Data,
  DataType,
  Dictionary,
  Field,
  FixedSizeBinary,
  Int8,
  Int32,
  List,
  makeData,
  Null,
  RecordBatch,
  Schema,
  Struct,
  Table,
  tableFromArrays,
  tableFromIPC,
  tableToIPC,
  Utf8,
  Vector,
  vectorFromArray,
} from 'apache-arrow';
import type { SortReport } from 'keysweep';
import { describe, expect, it } from 'vitest';
import { testRandom } from '../../../tools/test/random.js';
import { chunks, NESTED, ORDERED } from './columns.js';

const SEED = runSeed();
const random = testRandom();
const ROUNDS = isThorough ? 60 : 4;
const chance = (of: number): boolean => random.below(of) === 0;
const oneOf = <T>(choices: readonly T[]): T => choices[random.below(choices.length)] as T;

/** A table of named columns, whose batches end where chunks of any of them do. */
function tableOf(columns: Readonly<Record<string, readonly Data[]>>): Table {
  const vectors = Object.entries(columns).map(([name, data]) => [name, new Vector(data)]);
  return new Table(Object.fromEntries(vectors));
}

/** A value as `Object.is` and `<` can compare it. */
function plain(value: unknown, type: DataType): unknown {
  if (DataType.isDecimal(type) && value instanceof Uint32Array) {
    const words = Array.from(value, (word, i) => BigInt(word) << BigInt(32 * i));
    return BigInt.asIntN(
      32 * words.length,
      words.reduce((sum, word) => sum + word, 0n),
    );
  }
  if (DataType.isInterval(type) && value instanceof Int32Array) {
    return 12 * (value[0] as number) + (value[1] as number);
  }
  return value;
}

/** Less than 0 where `a` comes first, of values that are there. */
function compareValues(a: unknown, b: unknown, areZerosOrdered: boolean): number {
  const encoder = new TextEncoder();
  const bytes = [a, b].map((value) => (typeof value === 'string' ? encoder.encode(value) : value));
  if (bytes[0] instanceof Uint8Array) return Buffer.compare(bytes[0], bytes[1] as Uint8Array);
  const [left, right] = [a as number, b as number];
  if (left < right) return -1;
  if (left > right) return 1;
  return areZerosOrdered ? Number(Object.is(right, -0)) - Number(Object.is(left, -0)) : 0;
}

function compare(a: unknown, b: unknown, column: SortColumn): number {
  const { order = 'ascending', nulls = 'last', zeros = 'ordered' } = column;
  const nans = column.nans ?? (order === 'ascending' ? 'last' : 'first');
  const place = (value: unknown): number => {
    if (value === null || value === undefined) return nulls === 'first' ? -2 : 2;
    return Number.isNaN(value) ? (nans === 'first' ? -1 : 1) : 0;
  };
  if (place(a) !== place(b) || place(a) !== 0) return place(a) - place(b);
  const difference = compareValues(a, b, zeros === 'ordered');
  return order === 'ascending' ? difference : -difference;
}

function expected(table: Table, columns: readonly SortColumn[]): Uint32Array {
  const values = columns.map(({ column }) => {
    const vector = table.getChild(column) as Vector;
    const inner = DataType.isDictionary(vector.type) ? vector.type.dictionary : vector.type;
    return Array.from({ length: table.numRows }, (_, row) => plain(vector.get(row), inner));
  });
  return Uint32Array.from({ length: table.numRows }, (_, row) => row).sort((a, b) => {
    for (const [i, column] of columns.entries()) {
      const difference = compare(values[i]?.[a], values[i]?.[b], column);
      if (difference !== 0) return difference;
    }
    return a - b;
  });
}

const sides = ['first', 'last'] as const;

const sortBy = (column: string): SortColumn => ({
  column,
  ...(chance(2) ? { order: oneOf(['ascending', 'descending'] as const) } : {}),
  ...(chance(2) ? { nulls: oneOf(sides) } : {}),
  ...(chance(3) ? { nans: oneOf(sides) } : {}),
  ...(chance(3) ? { zeros: oneOf(['equal', 'ordered'] as const) } : {}),
});

const rowCount = (): number => oneOf([0, 1, 5, 33, 130, 300]);

/** A row's value as data that can be compared deeply. */
function deep(value: unknown): unknown {
  if (value instanceof Vector) return Array.from(value, deep);
  if (ArrayBuffer.isView(value)) return Array.from(value as never);
  if (typeof value !== 'object' || value === null) return value;
  const entries = [...(value as Iterable<[unknown, unknown]>)];
  return entries.map(([key, value]) => [key, deep(value)]);
}

const valuesOf = (table: Table): unknown[][] =>
  table.schema.fields.map((_, i) => {
    const vector = table.getChildAt(i) as Vector;
    return Array.from({ length: table.numRows }, (_, row) => deep(vector.get(row)));
  });

/** Checks that `take` gives the rows, and that they can be written and read. */
function checkTake(table: Table, rows: Uint32Array, isWritten = true): void {
  const before = valuesOf(table);
  const taken = take(table, rows);
  const wanted = before.map((values) => Array.from(rows, (row) => values[row]));
  expect(taken.schema).toBe(table.schema);
  expect(taken.numRows).toBe(rows.length);
  expect(valuesOf(taken)).toEqual(wanted);
  expect(valuesOf(table)).toEqual(before);
  const nulls = (table: Table) => table.schema.fields.map((_, i) => table.getChildAt(i)?.nullCount);
  const counted = wanted.map((values) => values.filter((value) => value === null).length);
  // Nulls of a dictionary and of a union's children are none of the column.
  taken.schema.fields.forEach(({ type }, i) => {
    if (DataType.isDictionary(type) || DataType.isUnion(type)) return;
    expect(nulls(taken)[i]).toBe(counted[i]);
  });
  if (isWritten) expect(valuesOf(tableFromIPC(tableToIPC(taken)))).toEqual(wanted);
}

const rowsOf = (table: Table): Uint32Array => {
  if (table.numRows === 0) return new Uint32Array();
  return Uint32Array.from({ length: random.below(200) }, () => random.below(table.numRows));
};

describe(`tables of Apache Arrow (KEYSWEEP_SEED=${SEED})`, () => {
  it.each(Object.entries(ORDERED))('orders and takes rows by a column of %s', async (_, make) => {
    for (let i = 0; i < ROUNDS; i++) {
      const table = tableOf({ key: chunks(make, rowCount(), random) });
      const columns = [sortBy('key')];
      const order = await argsortTable(table, columns);
      expect(order, JSON.stringify(columns)).toEqual(expected(table, columns));
      checkTake(table, order);
      checkTake(table, rowsOf(table));
    }
  });

  it.each(Object.entries(NESTED))('carries a column of %s', async (_, make) => {
    for (let i = 0; i < ROUNDS; i++) {
      const rows = rowCount();
      const table = tableOf({
        key: chunks(ORDERED.Int32 as never, rows, random),
        carried: chunks(make, rows, random),
      });
      const order = await argsortTable(table, [sortBy('key')]);
      checkTake(table, order);
      checkTake(table.slice(rows >> 2, rows >> 1), rowsOf(table.slice(rows >> 2, rows >> 1)));
    }
  });

  it('orders by several columns, of slices and of what was written and read', async () => {
    for (let i = 0; i < 5 * ROUNDS; i++) {
      const rows = rowCount();
      const names = draw(Object.keys(ORDERED), 1 + random.below(4), random);
      const data = names.map((name) => chunks(ORDERED[name] as never, rows, random));
      const made = tableOf(Object.fromEntries(data.map((chunks, i) => [`c${i}`, chunks])));
      const begin = random.below(rows + 1);
      const table = oneOf([
        () => made,
        () => made.slice(begin, begin + random.below(rows + 1)),
        () => take(made, rowsOf(made)),
        () => tableFromIPC(tableToIPC(take(made, rowsOf(made)))),
      ])();
      const columns = names.map((_, i) => sortBy(`c${i}`));
      expect(await argsortTable(table, columns), names.join()).toEqual(expected(table, columns));
    }
  });
});

const TABLE = tableFromArrays({ name: ['b', 'a', 'b'], size: Int32Array.of(5, 7, 6) });
const SIZE = { column: 'size' };

describe('argsortTable', () => {
  it('passes on the options of argsort', async () => {
    const reports: SortReport[] = [];
    const out = new Uint32Array(3);
    const indices = Uint32Array.of(2, 0, 2);
    const onReport = (report: SortReport) => reports.push(report);
    const options = { order: 'descending', indices, out, onReport } as const;
    expect(await argsortTable(TABLE, [{ column: 'size' }], options)).toEqual(
      Uint32Array.of(2, 2, 0),
    );
    expect(out).toEqual(Uint32Array.of(2, 2, 0));
    expect(reports).toMatchObject([{ operation: 'argsort', length: 3 }]);
    // The order of the call is that of every column, dictionaries too.
    expect(await argsortTable(TABLE, [{ column: 'name' }], { order: 'descending' })).toEqual(
      Uint32Array.of(0, 2, 1),
    );
    const signal = AbortSignal.abort(new Error('no more'));
    await expect(argsortTable(TABLE, [{ column: 'name' }], { signal })).rejects.toThrow('no more');
  });

  it('changes nothing of the table', async () => {
    const before = tableToIPC(TABLE);
    take(TABLE, await argsortTable(TABLE, [{ column: 'name' }]));
    expect(tableToIPC(TABLE)).toEqual(before);
  });

  it.each<[string, unknown, unknown]>([
    ['table must be a Table of apache-arrow, got an object (Array)', [TABLE], [{ column: 'size' }]],
    ['columns must be a list of columns { column, … }, got an object', TABLE, { column: 'size' }],
    ['columns must be a list of columns { column, … }, got an empty list', TABLE, []],
    ["columns[0] must be { column, … }, got the string 'size'", TABLE, ['size']],
    ['columns[0].column must be the name of a column, got undefined', TABLE, [{ name: 'size' }]],
    [
      "columns[0] has 'desc', but a column has only column, order, nul",
      TABLE,
      [{ ...SIZE, desc: 1 }],
    ],
    [
      "columns[1].order must be 'ascending' or 'descending'",
      TABLE,
      [SIZE, { ...SIZE, order: 'up' }],
    ],
    ["columns[0].nulls must be 'first' or 'last', got 1", TABLE, [{ ...SIZE, nulls: 1 }]],
  ])('refuses arguments with a TypeError: %s', async (message, table, columns) => {
    const rejected = argsortTable(table as Table, columns as SortColumn[]);
    await expect(rejected).rejects.toThrow(message);
    await expect(rejected).rejects.toBeInstanceOf(TypeError);
  });

  it('refuses the name of no column with a RangeError', async () => {
    const rejected = argsortTable(TABLE, [{ column: 'day' }]);
    await expect(rejected).rejects.toThrow(
      new RangeError("columns[0].column is 'day', but the table has name, size"),
    );
  });

  it.each(Object.entries(NESTED))('refuses to order by a column of %s', async (_, make) => {
    const table = tableOf({ nested: [make(3, random).data[0] as Data] });
    await expect(argsortTable(table, [{ column: 'nested' }])).rejects.toThrow(
      /^columns\[0\] is 'nested', whose values of type .* have no order/,
    );
  });

  it('refuses options that are none', async () => {
    const options = null as never;
    await expect(argsortTable(TABLE, [{ column: 'size' }], options)).rejects.toThrow(
      'options must be an object, got null',
    );
  });

  it('refuses a code that its dictionary does not have', async () => {
    const type = new Dictionary(new Utf8(), new Int8());
    const dictionary = vectorFromArray(['a'], new Utf8());
    const table = tableOf({ key: [makeData({ type, data: Int8Array.of(0, 3), dictionary })] });
    await expect(argsortTable(table, [{ column: 'key' }])).rejects.toThrow(
      'code 3 of row 1 is not in the dictionary',
    );
  });
});

describe('take', () => {
  it('keeps the schema, its metadata, and columns of one name', () => {
    const fields = ['x', 'x'].map((name) => new Field(name, new Int32(), false));
    const schema = new Schema(fields, new Map([['origin', 'here']]));
    const children = [Int32Array.of(1, 2), Int32Array.of(3, 4)].map((data) =>
      makeData({ type: new Int32(), data }),
    );
    const data = makeData({ type: new Struct(fields), length: 2, nullCount: 0, children });
    const taken = take(new Table(schema, new RecordBatch(schema, data)), Uint32Array.of(1, 1, 0));
    expect(taken.schema).toBe(schema);
    expect(valuesOf(taken)).toEqual([
      [2, 2, 1],
      [4, 4, 3],
    ]);
  });

  it.each([0, 1, 2, 3, 4])('takes values that begin at byte %i of their memory', (begin) => {
    const width = 4;
    const bytes = new Uint8Array(begin + 5 * width).map((_, i) => i);
    const data = makeData({
      type: new FixedSizeBinary(width),
      length: 5,
      nullCount: 0,
      data: bytes.subarray(begin),
    });
    const taken = take(tableOf({ id: [data] }), Uint32Array.of(4, 0, 4));
    const expected = [4, 0, 4].map((row) =>
      bytes.slice(begin + row * width, begin + (row + 1) * width),
    );
    expect([...(taken.getChild('id') as Vector)]).toEqual(expected);
  });

  it('takes no row of a table without batches', async () => {
    const empty = new Table(TABLE.schema);
    expect(await argsortTable(empty, [{ column: 'name' }])).toEqual(new Uint32Array());
    expect(take(empty, new Uint32Array()).numRows).toBe(0);
  });

  it('serves tables of another copy of the library, by its classes', async () => {
    const other: typeof import('apache-arrow') = createRequire(import.meta.url)('apache-arrow');
    const name = other.vectorFromArray(['b', null, 'a', 'b']);
    const item = new other.Field('item', new other.Utf8());
    const tags = other.vectorFromArray([['x'], [], null, ['y', 'z']], new other.List(item));
    const table = new other.Table({ name, tags });
    expect(table.constructor).not.toBe(Table);
    const order = await argsortTable(table as never, [{ column: 'name', nulls: 'first' }]);
    expect(order).toEqual(Uint32Array.of(1, 2, 0, 3));
    const taken = take(table as never, order) as never as typeof table;
    expect(taken.constructor).toBe(other.Table);
    const read = tableFromIPC(other.tableToIPC(taken));
    expect(valuesOf(read)).toEqual([
      [null, 'a', 'b', 'b'],
      [[], null, ['x'], ['y', 'z']],
    ]);
  });

  it('takes no more of a child than its struct has', () => {
    const fields = [new Field('a', new Int32(), true)];
    const batch = (numbers: number[]) => {
      const children = [makeData({ type: new Int32(), data: Int32Array.from(numbers) })];
      return makeData({ type: new Struct(fields), length: 2, nullCount: 0, children });
    };
    const table = tableOf({ key: [batch([1, 2, 3]), batch([4, 5])] });
    const taken = take(table, Uint32Array.of(3, 2, 1, 0));
    expect(valuesOf(taken)).toEqual([[5, 4, 2, 1].map((a) => [['a', a]])]);
  });

  it('says where offsets cannot count the rows taken, or the rows of all batches', () => {
    const type = new List(new Field('item', new Null(), true));
    const child = makeData({ type: new Null(), length: 2 ** 30 });
    const batch = makeData({ type, valueOffsets: Int32Array.of(0, 2 ** 30), child });
    expect(() => take(tableOf({ key: [batch] }), Uint32Array.of(0, 0))).toThrow(
      /^the rows of a column of type .* are over 2147483647 long/,
    );
    expect(() => take(tableOf({ key: [batch, batch] }), Uint32Array.of(0))).toThrow(
      /over 2147483647 long in all its batches/,
    );
  });

  it('shares dictionaries, even if they grow from batch to batch', () => {
    const type = new Dictionary(new Utf8(), new Int8());
    const first = vectorFromArray(['b', 'a'], new Utf8());
    const grown = first.concat(vectorFromArray(['c'], new Utf8()));
    const batch = (codes: number[], dictionary: Vector) =>
      makeData({ type, data: Int8Array.from(codes), dictionary: dictionary as never });
    const table = tableOf({ key: [batch([0, 1], first), batch([2, 0], grown)] });
    const taken = take(table, Uint32Array.of(3, 2, 1, 0));
    expect(valuesOf(taken)).toEqual([['b', 'c', 'a', 'b']]);
    expect(taken.getChild('key')?.data[0]?.dictionary).toBe(grown);
  });

  it('says where codes cannot count the dictionaries of all batches', () => {
    const type = new Dictionary(new Int32(), new Int8());
    const batch = (start: number) => {
      const values = Int32Array.from({ length: 100 }, (_, i) => start + i);
      const dictionary = new Vector([makeData({ type: new Int32(), data: values })]);
      return makeData({ type, data: Int8Array.of(0, 99), dictionary });
    };
    const table = tableOf({ key: [batch(0), batch(500)] });
    expect(() => take(table, Uint32Array.of(0))).toThrow('its codes cannot count all 200 values');
  });

  it.each<[string, unknown, unknown]>([
    ['table must be a Table of apache-arrow, got an object (Object)', {}, new Uint32Array()],
    ['permutation must be a Uint32Array of rows, got an object (Array)', TABLE, [1]],
    [
      "permutation must hold rows below the table's 3, but element 1 is 3",
      TABLE,
      Uint32Array.of(2, 3),
    ],
  ])('refuses arguments: %s', (message, table, rows) => {
    expect(() => take(table as Table, rows as Uint32Array)).toThrow(message);
  });
});
