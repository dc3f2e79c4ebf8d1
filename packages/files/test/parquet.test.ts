import {
  COMMON_KEY_TYPES,
  type CommonKeyType,
  isThorough,
  runSeed,
} from '@keysweep/conformance/data';
import { assertSameBits } from '@keysweep/conformance/verify';
import { parquetMetadata, type SchemaElement } from 'hyparquet';
import { parquetHeader } from 'hyparquet/src/column.js';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { describe, expect, it } from 'vitest';
import { bytesSource, openTable, type Progress } from '../src/index.js';
import { hasFloat16, randomColumn, tableIn } from './columns.js';
import { threadsOver } from './messages.js';

const seed = runSeed();
const PARQUET = { format: 'parquet' } as const;

/** How a Parquet schema names each type: by the newer annotation, or by the older one. */
const ANNOTATIONS: Record<CommonKeyType, [physical: string, converted?: string]> = {
  u8: ['INT32', 'UINT_8'],
  i8: ['INT32', 'INT_8'],
  u16: ['INT32', 'UINT_16'],
  i16: ['INT32', 'INT_16'],
  u32: ['INT32', 'UINT_32'],
  i32: ['INT32'],
  f32: ['FLOAT'],
  u64: ['INT64', 'UINT_64'],
  i64: ['INT64'],
  f64: ['DOUBLE'],
};

interface Written {
  data: ArrayLike<unknown>;
  element: object;
}

/** A file of several row groups. */
function parquetOf(columns: Record<string, Written>): Uint8Array {
  const names = Object.keys(columns);
  const buffer = parquetWriteBuffer({
    columnData: names.map((name) => ({ name, data: columns[name]?.data as never })),
    schema: [
      { name: 'root', num_children: names.length },
      ...names.map((name) => ({ name, ...columns[name]?.element })),
    ] as never,
    rowGroupSize: 1000,
  });
  return new Uint8Array(buffer);
}

describe(`Parquet (seed ${seed})`, () => {
  it.each(COMMON_KEY_TYPES)('reads a column of %s, by either annotation', async (keyType) => {
    const values = randomColumn(keyType, isThorough ? 25_000 : 2500, seed);
    const [type, converted_type] = ANNOTATIONS[keyType];
    const bitWidth = Number(keyType.slice(1));
    const isSigned = keyType.startsWith('i');
    const newer =
      converted_type === undefined
        ? { type }
        : { type, logical_type: { type: 'INTEGER', bitWidth, isSigned } };
    // Of a Uint32Array the writer cannot write the upper half; of plain numbers it can.
    const data = keyType === 'u32' ? [...values] : values;
    const table = await tableIn(
      parquetOf({
        required: { data, element: { type, converted_type, repetition_type: 'REQUIRED' } },
        optional: { data: [...values], element: { ...newer, repetition_type: 'OPTIONAL' } },
      }),
      PARQUET,
    );
    expect(table.columns.map((column) => column.keyType)).toEqual([keyType, keyType]);
    assertSameBits('required', await table.read('required'), values);
    assertSameBits('optional', await table.read('optional'), values);
  });

  it('reads dates, times and decimals as the integers that the file stores', async () => {
    const days = new Int32Array([20_000, -5, 3]);
    const micros = new BigInt64Array([1_700_000_000_000_001n, -1n, 1_700_000_000_000_000n]);
    const cents = new Int32Array([1999, -1, 250]);
    const table = await tableIn(
      parquetOf({
        day: {
          data: Array.from(days, (day) => new Date(day * 86_400_000)),
          element: { type: 'INT32', converted_type: 'DATE' },
        },
        stamp: {
          data: [new Date(30), new Date(-10), new Date(20)],
          element: { type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' },
        },
        micros: {
          data: micros,
          element: { type: 'INT64', converted_type: 'TIME_MICROS', repetition_type: 'REQUIRED' },
        },
        price: {
          data: Array.from(cents, (cent) => cent / 100),
          element: { type: 'INT32', converted_type: 'DECIMAL', scale: 2, precision: 9 },
        },
      }),
      PARQUET,
    );
    expect(await table.read('day')).toEqual(days);
    expect(await table.read('stamp')).toEqual(new BigInt64Array([30n, -10n, 20n]));
    expect(await table.read('micros')).toEqual(micros);
    expect(await table.read('price')).toEqual(cents);
  });

  it('reads a column of f16', async ({ skip }) => {
    skip(!hasFloat16, 'this runtime has no Float16Array');
    const element = {
      type: 'FIXED_LEN_BYTE_ARRAY',
      type_length: 2,
      logical_type: { type: 'FLOAT16' },
    };
    const table = await tableIn(parquetOf({ half: { data: [1, -1, 0.5], element } }), PARQUET);
    expect(Array.from((await table.read('half')) as ArrayLike<number>)).toEqual([1, -1, 0.5]);
  });

  it('has some rows of a column read by a thread, and no others', async () => {
    const data = Int32Array.from({ length: 270_000 }, (_, i) => 3 * i);
    const element = { type: 'INT32', repetition_type: 'REQUIRED' };
    const bytes = new Uint8Array(parquetOf({ a: { data, element } }));
    const threads = threadsOver(bytes);
    const table = await openTable(bytesSource("'in'", bytes), { ...PARQUET, threads });
    const wanted = Uint32Array.of(200_000, 7, 269_999, 7);
    const { rows, values } = await table.readRows(0, wanted);
    if (values.kind !== 'fixed') throw new Error(`they are ${values.kind}`);
    const { buffer, byteOffset } = values.bytes;
    expect(rows).toBe(4);
    expect([...new Int32Array(buffer, byteOffset, 4)]).toEqual([...wanted].map((row) => 3 * row));
    expect(threads.done).toEqual(['read']);
  });

  it('has narrow integers of several groups widened or narrowed by threads, too', async () => {
    const data = Int32Array.from({ length: 150_000 }, (_, i) => i % 60_000);
    const element = { type: 'INT32', converted_type: 'UINT_16', repetition_type: 'REQUIRED' };
    const schema = [
      { name: 'root', num_children: 1 },
      { name: 'a', ...element },
    ] as SchemaElement[];
    const columnData = [{ name: 'a', data }];
    const rowGroupSize = data.length / 2;
    const bytes = new Uint8Array(parquetWriteBuffer({ columnData, schema, rowGroupSize }));
    const threads = threadsOver(bytes);
    const table = await openTable(bytesSource("'in'", bytes), { ...PARQUET, threads });
    expect(
      Buffer.compare(
        Buffer.from(new Uint8Array(((await table.read('a')) as Uint16Array).slice().buffer)),
        Buffer.from(Uint16Array.from(data).buffer),
      ),
    ).toBe(0);
    expect(threads.done).toContain('read');
  });

  it('takes a compressed page of a few megabytes, because its values are as many', async () => {
    const data = BigInt64Array.from({ length: 200_000 }, (_, i) => BigInt(i % 1000) << 30n);
    const written = parquetWriteBuffer({
      columnData: [{ name: 'a', data, type: 'INT64', encoding: 'PLAIN' }],
      ...{ rowGroupSize: data.length, pageSize: 2 ** 30, codec: 'SNAPPY' },
    });
    const table = await tableIn(new Uint8Array(written), PARQUET);
    const read = (await table.read('a')) as BigInt64Array;
    expect(Buffer.compare(Buffer.from(read.slice().buffer), Buffer.from(data.buffer))).toBe(0);
  });

  it('reads only what a column needs, and tells how many rows are read', async () => {
    const data = Int32Array.from({ length: 2500 }, (_, i) => i);
    const element = { type: 'INT32', repetition_type: 'REQUIRED' };
    const bytes = parquetOf({ a: { data, element }, b: { data, element } });
    const { name, size, read } = bytesSource("'in'", new Uint8Array(bytes));
    let bytesRead = 0;
    const told: Progress[] = [];
    const source = {
      name,
      size,
      read: (from: number, to: number) => {
        bytesRead += to - from;
        return read(from, to);
      },
    };
    const table = await openTable(source, PARQUET, (progress) => told.push(progress));
    bytesRead = 0;
    await table.read('b');
    expect(bytesRead).toBeLessThan(0.6 * size);
    expect(told.at(-1)).toEqual({ completed: 2500, total: 2500, unit: 'rows' });
    expect(told.length).toBeGreaterThan(1);
  });

  it('rejects nulls, columns that are not numeric and columns that do not exist', async () => {
    const numbers = Array.from({ length: 2000 }, (_, i) => (i === 1234 ? null : i));
    const other = (value: unknown): unknown[] => numbers.map(() => value);
    const table = await tableIn(
      parquetOf({
        gaps: { data: numbers, element: { type: 'INT32', repetition_type: 'OPTIONAL' } },
        text: { data: other('a'), element: { type: 'BYTE_ARRAY', converted_type: 'UTF8' } },
        flag: { data: other(true), element: { type: 'BOOLEAN' } },
      }),
      PARQUET,
    );
    await expect(table.read('gaps')).rejects.toThrow(
      "column 'gaps' of 'in' has nulls (the first in row 1234), ",
    );
    await expect(table.read('text')).rejects.toThrow(
      /^column 'text' of 'in' is not numeric but BYTE_ARRAY \(\w+\); the numeric columns .*: gaps$/,
    );
    await expect(table.read('flag')).rejects.toThrow(' is not numeric but BOOLEAN; ');
    await expect(table.read('absent')).rejects.toThrow(
      "'in' has no column 'absent'; its columns are: gaps, text, flag",
    );
  });

  it('says in one line what a file lacks that has control characters in its names', async () => {
    const data = Float32Array.of(1, 2);
    const odd = 'a\nb\u001b[31m\u009b\u2028\u202e';
    const table = await tableIn(
      parquetOf({ [odd]: { data, element: { type: 'FLOAT' } } }),
      PARQUET,
    );
    await expect(table.read('absent')).rejects.toThrow(
      String.raw`a\u000ab\u001b[31m\u009b\u2028\u202e`,
    );
  });

  it('rejects a footer that says one row too many', async () => {
    const data = Int32Array.from({ length: 1000 }, (_, i) => i);
    const whole = parquetOf({ x: { data, element: { type: 'INT32' } } });
    // 1000 as the footer writes it: doubled, in groups of 7 bits. The first is that of the file.
    const at = Buffer.from(whole).indexOf(Buffer.from([0xd0, 0x0f]), whole.length - 400);
    expect(at).toBeGreaterThan(0);
    whole[at] = 0xd2;
    await expect(tableIn(whole, PARQUET).then((table) => table.read('x'))).rejects.toThrow(
      "cannot read 'in' as Parquet: its footer says 1001 rows, but its row groups have 1000",
    );
  });

  it('rejects a row group that has another column where its schema has one', async () => {
    const data = Int32Array.of(1, 2, 3);
    const whole = parquetOf({ column: { data, element: { type: 'INT32' } } });
    const bytes = Buffer.from(whole.buffer, whole.byteOffset, whole.byteLength);
    // The schema comes first.
    bytes.write('COLUMN', bytes.lastIndexOf('column'));
    expect(bytes.includes('column')).toBe(true);
    await expect(tableIn(whole, PARQUET).then((table) => table.read('column'))).rejects.toThrow(
      "a column 'column' of INT32, where a row group has 'COLUMN' of INT32",
    );
  });

  it('rejects pages with fewer rows than everything else says', async () => {
    const data = Int32Array.from({ length: 1000 }, (_, i) => i);
    const whole = parquetOf({ x: { data, element: { type: 'INT32' } } });
    const bytes = Buffer.from(whole.buffer, whole.byteOffset, whole.byteLength);
    // Of the file, of its row group, of the column in it.
    const thousand = Buffer.from([0xd0, 0x0f]);
    const found: number[] = [];
    for (let at = bytes.indexOf(thousand, bytes.length - 400); at > 0; ) {
      found.push(at);
      at = bytes.indexOf(thousand, at + 1);
    }
    expect(found).toHaveLength(3);
    for (const at of found) whole[at] = 0xd2;
    await expect(tableIn(whole, PARQUET).then((table) => table.read('x'))).rejects.toThrow(
      "cannot read 'in' as Parquet: its pages have 1000 values for 1001 rows",
    );
  });

  // Places in a dictionary of four values. They begin with their number of bits.
  it.each([
    ['bytes behind its levels', 'definition_levels_byte_length', 5, /bytes follow the levels/],
    ['another encoding than its footer says', 'encoding', 'PLAIN', /PLAIN, which its footer does/],
  ])('rejects a page with %s', async (_, field, wrong, message) => {
    const data = BigInt64Array.from({ length: 800 }, (_, i) => BigInt(i & 3));
    const element = { type: 'INT64', repetition_type: 'OPTIONAL' };
    const columnData = [{ name: 'x', data, encoding: 'RLE_DICTIONARY' }];
    const schema = [
      { name: 'root', num_children: 1 },
      { name: 'x', ...element },
    ];
    const options = { columnData, schema, codec: 'UNCOMPRESSED' } as never;
    const whole = new Uint8Array(parquetWriteBuffer(options));
    expect(await tableIn(whole, PARQUET).then((table) => table.read('x'))).toBeDefined();
    const [group] = parquetMetadata(whole.buffer).row_groups;
    const start = Number(group?.columns[0]?.meta_data?.data_page_offset);
    const headerOf = () => {
      const reader = { view: new DataView(whole.buffer), offset: start };
      const header = parquetHeader(reader).data_page_header_v2 as
        | Record<string, unknown>
        | undefined;
      return { said: header?.[field], end: reader.offset };
    };
    const { end } = headerOf();
    // The byte of the header that says it, doubled as all its numbers are.
    const at = Array.from({ length: end - start }, (_, i) => start + i).find((at) => {
      const before = whole[at] as number;
      whole[at] = wrong === 'PLAIN' ? 0 : 2 * (wrong as number);
      try {
        if (headerOf().said === wrong && headerOf().end === end) return true;
      } catch {
        // With this byte changed it is no header at all.
      }
      whole[at] = before;
      return false;
    });
    expect(at).toBeDefined();
    await expect(tableIn(whole, PARQUET).then((table) => table.read('x'))).rejects.toThrow(message);
  });

  it('rejects a file that is something else, or has lost its data', async () => {
    const line = /^cannot read 'in' as Parquet: ./;
    await expect(tableIn(Buffer.from('no table at all'), PARQUET)).rejects.toThrow(line);
    const data = Int32Array.from({ length: 5000 }, (_, i) => i ** 2);
    const whole = parquetOf({ x: { data, element: { type: 'INT32' } } });
    // The end, with the schema, is there; a part of the data is not.
    const torn = Buffer.concat([whole.subarray(0, 4), whole.subarray(whole.length >> 1)]);
    await expect(tableIn(torn, PARQUET).then((table) => table.read('x'))).rejects.toThrow(line);
  });
});
