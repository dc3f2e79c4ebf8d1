/** Whole rows: out of one file, in another order, into another file. */

import { isThorough, runSeed } from '@keysweep/conformance/data';
import {
  Table as ArrowTable,
  Binary,
  BinaryView,
  Bool,
  type Data,
  DateDay,
  DateMillisecond,
  Dictionary,
  DurationMillisecond,
  Field,
  FixedSizeBinary,
  Float32,
  Float64,
  Int8,
  Int32,
  Int64,
  LargeUtf8,
  List,
  makeData,
  makeVector,
  RecordBatchReader,
  TimeMicrosecond,
  TimestampMicrosecond,
  TimestampSecond,
  tableFromIPC,
  tableToIPC,
  Uint16,
  Utf8,
  Utf8View,
  vectorFromArray,
} from 'apache-arrow';
import { parquetMetadata } from 'hyparquet';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { describe, expect, it } from 'vitest';
import { testRandom } from '../../../tools/test/random.js';
import { writeTable } from '../src/index.js';
import { withoutDictionary } from '../src/stored/take.js';
import { dataPage, parquetFile } from './bombs.js';
import { tableIn, written } from './columns.js';
import { bytesFrom, draw, everyType, plain, rowsOf, WORDS } from './every-type.js';

const SEED = runSeed();
const ROWS = isThorough ? 300_000 : 700;
const random = testRandom();

/** A random order of the rows, with repeats and without some of them. */
const ORDER = Uint32Array.from({ length: ROWS - 3 }, () => random.below(ROWS));

const drawn = <T>(from: readonly T[], hasNulls: boolean): (T | null)[] =>
  draw(random, ROWS, from, hasNulls);
const parquetOf = (hasNulls: boolean): Uint8Array =>
  everyType(random, { rows: ROWS, groupRows: 400, hasNulls });

describe(`rows of a Parquet file (seed ${SEED})`, () => {
  it.each([true, false])('are carried to Parquet, with nulls: %s', async (hasNulls) => {
    const bytes = parquetOf(hasNulls);
    const before = await rowsOf(bytes);
    const after = await written(await tableIn(bytes, { format: 'parquet' }), 'parquet', ORDER);
    expect(await rowsOf(after)).toEqual([...ORDER].map((row) => before[row]));
    const [was, is] = [bytes, after].map((file) => parquetMetadata(new Uint8Array(file).buffer));
    expect(is?.key_value_metadata).toEqual(was?.key_value_metadata);
    const types = (metadata: typeof was) =>
      metadata?.schema
        .slice(1)
        .map(({ logical_type, ...element }) => [
          element.name,
          element.type,
          element.type_length,
          element.repetition_type,
          logical_type?.type === 'INTEGER' ? undefined : logical_type,
        ]);
    expect(types(is)).toEqual(types(was));
  });

  it.each([true, false])(
    'are read one by one as with all others, with nulls: %s',
    async (hasNulls) => {
      const table = await tableIn(parquetOf(hasNulls), { format: 'parquet' });
      const all = await rowsOf(await written(table, 'parquet', ORDER));
      for (const few of [ORDER, ORDER.subarray(0, 5), ORDER.subarray(0, 0)]) {
        const columns = await Promise.all(table.columns.map((_, i) => table.readRows(i, few)));
        const order = few.map((_, i) => i);
        const pieces: Uint8Array<ArrayBuffer>[] = [];
        const sink = {
          write: async (bytes: Uint8Array) => {
            pieces.push(bytes.slice());
          },
        };
        await writeTable(sink, 'parquet', { columns, order, layout: table.layout }, () => {});
        const bytes = new Uint8Array(await new Blob(pieces).arrayBuffer());
        expect(await rowsOf(bytes)).toEqual(all.slice(0, few.length));
      }
      await expect(table.readRows(0, Uint32Array.of(0, ROWS))).rejects.toThrow(`has ${ROWS} rows`);
    },
  );

  it.each([
    [
      'numbers',
      { type: 'INT32' },
      [
        [1, 0, 0, 0],
        [2, 0, 0, 0],
        [3, 0, 0, 0],
      ],
    ],
    [
      'texts',
      { type: 'BYTE_ARRAY' },
      [
        [1, 0, 0, 0, 65],
        [0, 0, 0, 0],
        [1, 0, 0, 0, 66],
      ],
    ],
  ] as const)(
    'are read without the pages that have none of them: %s',
    async (kind, element, rows) => {
      const [first = [], second = [], third = []] = rows;
      const damaged = dataPage(1, 'PLAIN', second.slice(1));
      const file = parquetFile(element, 3, [
        dataPage(1, 'PLAIN', first),
        damaged,
        dataPage(1, 'PLAIN', third),
      ]);
      const table = await tableIn(file, { format: 'parquet' });
      const { values } = await table.readRows(0, Uint32Array.of(2, 0));
      const wanted = [third, first].flatMap((bytes) => (kind === 'texts' ? bytes.slice(4) : bytes));
      expect(values.kind === 'dictionary' ? [] : [...values.bytes]).toEqual(wanted);
      await expect(table.readRows(0, Uint32Array.of(1))).rejects.toThrow('cannot read');
    },
  );

  it.each([
    ['first', [null, 2, null, 4, 5, 6]],
    ['second', [1, 2, 3, 4, null, 6]],
  ])('are read one by one, with nulls only in the %s group', async (_, data) => {
    for (const [element, values] of [
      [{ type: 'INT32' }, data],
      [{ type: 'BYTE_ARRAY' }, data.map((value) => value && bytesFrom(`${value}`))],
    ] as const) {
      const bytes = parquetWriteBuffer({
        columnData: [{ name: 'x', data: values as never }],
        schema: [
          { name: 'root', num_children: 1 },
          { name: 'x', repetition_type: 'OPTIONAL', ...element },
        ],
        rowGroupSize: 3,
      });
      const table = await tableIn(new Uint8Array(bytes), { format: 'parquet' });
      for (const chosen of [[5, 4, 0], [2, 3], [0], [4], [1, 5, 1]]) {
        const { valid, rows } = await table.readRows(0, Uint32Array.from(chosen));
        const found = Array.from({ length: rows }, (_, i) => ((valid?.[0] ?? 255) >> i) & 1);
        expect(found).toEqual(chosen.map((row) => Number(data[row] !== null)));
      }
    }
  });

  it.each([
    ['from a dictionary', 'RLE_DICTIONARY'],
    ['plain', 'PLAIN'],
  ] as const)('that are few of a long page with nulls are found, %s', async (_, encoding) => {
    const data = Array.from({ length: 20_000 }, (_, i) => (i % 2 === 0 ? null : (i * 7) % 1000));
    const columnData = [{ name: 'x', data, type: 'INT32' as const, encoding }];
    const bytes = new Uint8Array(parquetWriteBuffer({ columnData }));
    const table = await tableIn(bytes, { format: 'parquet' });
    // Values are fewer than rows: those of the last rows stand in the middle of the page.
    for (const chosen of [[19_999], [1], [10_001, 9_999, 10_000], [19_998, 19_997, 3]]) {
      const stored = withoutDictionary(await table.readRows(0, Uint32Array.from(chosen)));
      const { bytes: found } = stored.values as { bytes: Uint8Array };
      const numbers = new Int32Array(found.slice().buffer);
      const isNull = (i: number): boolean => ((stored.valid?.[0] ?? 255) >> i) % 2 === 0;
      const read = chosen.map((_, i) => (isNull(i) ? null : numbers[i]));
      expect(read).toEqual(chosen.map((row) => data[row]));
    }
  });

  it('are carried to Arrow, with decimals, times and text', async () => {
    const bytes = parquetOf(true);
    const before = (await rowsOf(bytes)) as [string, unknown][][];
    const after = await written(await tableIn(bytes, { format: 'parquet' }), 'arrow', ORDER);
    const table = tableFromIPC(after);
    expect(table.numRows).toBe(ORDER.length);
    expect(table.schema.fields.map(({ name, type }) => `${name} ${type}`)).toEqual([
      'flag Bool',
      'tiny Int8',
      'word Uint16',
      'count Int32',
      'big Int64',
      'real Float32',
      'double Float64',
      'day Date32<DAY>',
      'time Timestamp<NANOSECOND>',
      expect.stringMatching(/^price Decimal/),
      'text Utf8',
      'bytes Binary',
      'distinct Utf8',
      'fixed FixedSizeBinary[3]',
    ]);
    for (const name of ['flag', 'tiny', 'word', 'count', 'big', 'double', 'distinct', 'text']) {
      const expected = [...ORDER].map((row) => before[row]?.find(([own]) => own === name)?.[1]);
      const values = [...(table.getChild(name) as Iterable<unknown>)].map(plain);
      expect(values, name).toEqual(expected);
    }
    // Back again, through both writers.
    const again = await tableIn(after, { format: 'arrow' });
    const back = await written(again, 'parquet', Uint32Array.from(ORDER.keys()));
    const restored = (await rowsOf(back)) as [string, unknown][][];
    // These were read as bytes before, for they had no text's mark, and by another type.
    const named = (rows: (typeof restored)[0]) => rows.filter(([name]) => name !== 'price');
    expect(restored.map(named)).toEqual([...ORDER].map((row) => named(before[row] ?? [])));
  });

  it('are refused if a column is nested, by its name', async () => {
    const bytes = parquetWriteBuffer({
      columnData: [{ name: 'list', data: [[1], [2, 3]] }],
      schema: [
        { name: 'root', num_children: 1 },
        { name: 'list', num_children: 1, repetition_type: 'OPTIONAL', converted_type: 'LIST' },
        { name: 'list', num_children: 1, repetition_type: 'REPEATED' },
        { name: 'element', type: 'INT32', repetition_type: 'OPTIONAL' },
      ],
    });
    const table = await tableIn(new Uint8Array(bytes), { format: 'parquet' });
    await expect(written(table, 'parquet', new Uint32Array(1))).rejects.toThrow(
      "column 'list' of 'in' is nested, which cannot be carried",
    );
  });
});

/** A table with every type that is carried; the second batch begins in the middle. */
function arrowTable(): ArrowTable {
  const zone = new TimestampMicrosecond('Europe/Berlin');
  return new ArrowTable({
    flag: vectorFromArray(drawn([true, false], true), new Bool()),
    tiny: vectorFromArray(drawn([-128, 127, 0], true), new Int8()),
    word: vectorFromArray(drawn([0, 65535], false), new Uint16()),
    big: vectorFromArray(drawn([-1n, 2n ** 62n], true), new Int64()),
    real: vectorFromArray(drawn([0.5, -0, Number.NaN], true), new Float32()),
    double: vectorFromArray(drawn([1 / 3, -0], false), new Float64()),
    day: vectorFromArray(drawn([new Date(0), new Date(864e5 * 11_000)], true), new DateDay()),
    moment: vectorFromArray(drawn([new Date(0), new Date(864e5)], true), new DateMillisecond()),
    stamp: vectorFromArray(drawn([0, 1e12], true), zone),
    clock: vectorFromArray(drawn([1n, 86_399_999_999n], true), new TimeMicrosecond()),
    span: vectorFromArray(drawn([1n, 5n], true), new DurationMillisecond()),
    text: vectorFromArray(drawn(WORDS, true), new Utf8()),
    large: vectorFromArray(drawn(WORDS, true), new LargeUtf8()),
    bytes: vectorFromArray(drawn([Uint8Array.of(0, 255), Uint8Array.of()], true), new Binary()),
    fixed: vectorFromArray(
      drawn([Uint8Array.of(1, 2, 3), Uint8Array.of(0, 0, 9)], true),
      new FixedSizeBinary(3),
    ),
    textView: vectorFromArray(drawn(WORDS, true), new Utf8View()),
    byteView: vectorFromArray(drawn(WORDS.map(bytesFrom), true), new BinaryView()),
    word8: vectorFromArray(drawn(WORDS, true), new Dictionary(new Utf8(), new Int8())),
    word32: vectorFromArray(drawn(WORDS, false), new Dictionary(new Utf8(), new Int32())),
  });
}

const arrowRows = (table: ArrowTable): unknown[] =>
  table.toArray().map((row) => [...(row as Iterable<[string, unknown]>)].map(([, v]) => plain(v)));

describe(`rows of an Arrow file (seed ${SEED})`, () => {
  it.each(['file', 'stream'] as const)('are carried to Arrow (%s format)', async (kind) => {
    // apache-arrow slices views wrongly: they have a test of their own.
    const all = arrowTable();
    const names = all.schema.fields.map(({ name }) => name);
    const table = all.select(names.filter((name) => !name.endsWith('View')));
    const split = table.slice(0, 100).concat(table.slice(100));
    const before = arrowRows(split);
    const given = await tableIn(tableToIPC(split, kind), { format: 'arrow' });
    const bytes = await written(given, 'arrow', ORDER);
    const after = tableFromIPC(bytes);
    expect(arrowRows(after)).toEqual([...ORDER].map((row) => before[row]));
    expect(String(after.schema)).toBe(String(table.schema));
    // As a file, too: the footer's places are right.
    const reader = RecordBatchReader.from(bytes);
    expect(reader.isSync() && reader.open().isFile()).toBe(true);
    // Ours reads it again, with all its checks.
    const again = await tableIn(bytes, { format: 'arrow' });
    const same = await written(again, 'arrow', Uint32Array.from(ORDER.keys()));
    expect(arrowRows(tableFromIPC(same))).toEqual(arrowRows(after));
  });

  it('have a dictionary of several columns once', async () => {
    const words = Array.from({ length: 90 }, (_, i) => ['the first entry', 'another one'][i % 2]);
    const type = new Dictionary(new Utf8(), new Int32());
    const a = vectorFromArray(words, type);
    const { dictionary, values, length } = a.data[0] as Data<typeof type>;
    const b = makeVector(makeData({ type, data: values.slice(), dictionary, length } as never));
    const given = await tableIn(tableToIPC(new ArrowTable({ a, b }), 'file'), { format: 'arrow' });
    const bytes = Buffer.from(await written(given, 'arrow', Uint32Array.of(1, 0, 3)));
    expect(bytes.toString('latin1').split('the first entry')).toHaveLength(2);
    const [one, two] = ['the first entry', 'another one'];
    expect(arrowRows(tableFromIPC(bytes))).toEqual([two, one, two].map((word) => [word, word]));
  });

  it('are carried to Arrow as views, too', async () => {
    const table = arrowTable().select(['textView', 'byteView', 'tiny']);
    const before = arrowRows(table);
    const given = await tableIn(tableToIPC(table, 'file'), { format: 'arrow' });
    const after = tableFromIPC(await written(given, 'arrow', ORDER));
    expect(arrowRows(after)).toEqual([...ORDER].map((row) => before[row]));
    expect(String(after.schema)).toBe(String(table.schema));
  });

  it.each([
    ['moment', 'dates in milliseconds'],
    ['stamp', 'the time zone Europe/Berlin'],
    ['span', 'durations'],
  ])('are refused as Parquet for column %s', async (name, why) => {
    const table = arrowTable().select([name, 'tiny']);
    const given = await tableIn(tableToIPC(table, 'file'), { format: 'arrow' });
    await expect(written(given, 'parquet', ORDER)).rejects.toThrow(
      new RegExp(`^column '${name}' cannot be written as Parquet: it has ${why}`),
    );
  });

  it('are refused as Parquet for times in seconds, and everywhere for lists', async () => {
    const seconds = new ArrowTable({ at: vectorFromArray([1000, 2000], new TimestampSecond()) });
    const one = await tableIn(tableToIPC(seconds), { format: 'arrow' });
    await expect(written(one, 'parquet', new Uint32Array(1))).rejects.toThrow(
      "column 'at' cannot be written as Parquet: it has times in seconds",
    );
    const type = new List(new Field('item', new Int32()));
    const lists = new ArrowTable({ lists: vectorFromArray([[1], [2]], type) });
    const other = await tableIn(tableToIPC(lists), { format: 'arrow' });
    await expect(written(other, 'arrow', new Uint32Array(1))).rejects.toThrow(
      "column 'lists' of 'in' is List, which cannot be carried",
    );
  });

  it('are carried to Parquet, dictionaries as their values', async () => {
    const { moment, stamp, span, ...names } = Object.fromEntries(
      arrowTable().schema.fields.map(({ name }) => [name, name]),
    );
    expect([moment, stamp, span]).not.toContain(undefined);
    const table = arrowTable().select(Object.keys(names));
    const given = await tableIn(tableToIPC(table, 'file'), { format: 'arrow' });
    const rows = (await rowsOf(await written(given, 'parquet', ORDER))) as [string, unknown][][];
    for (const name of [
      'tiny',
      'word',
      'big',
      'double',
      'text',
      'large',
      'textView',
      'word8',
      'word32',
    ]) {
      const values = [...(table.getChild(name) as Iterable<unknown>)].map(plain);
      const expected = [...ORDER].map((row) => values[row]);
      expect(
        rows.map((row) => row.find(([own]) => own === name)?.[1]),
        name,
      ).toEqual(expected);
    }
  });
});
