/** What files say at their end of what lies before it, and of what is wrong with a header. */

import {
  Bool,
  type DataType,
  DateDay,
  DateMillisecond,
  Decimal,
  DurationMillisecond,
  FixedSizeBinary,
  Float16,
  Float32,
  Float64,
  Int8,
  Int32,
  RecordBatchReader,
  TimeMicrosecond,
  TimeMillisecond,
  TimeNanosecond,
  TimeSecond,
  TimestampNanosecond,
  TimestampSecond,
  tableFromIPC,
  Uint16,
  Uint64,
} from 'apache-arrow';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import { describe, expect, it } from 'vitest';
import { ArrowWriter, encodeBatch } from '../src/arrow/write.js';
import { encodeRows } from '../src/encode.js';
import { MemoryBudget } from '../src/memory.js';
import { npyHeader, openNpy } from '../src/npy.js';
import { ParquetWriter } from '../src/parquet/write.js';
import { bytesSource } from '../src/source.js';
import type { StoredColumn } from '../src/stored/column.js';

const columnOf = (numbers: number[], texts: string[]): StoredColumn[] => {
  const none = { rows: numbers.length, valid: undefined, isNullable: false };
  const text = Buffer.from(texts.join(''));
  const ends = texts.map((_, i) => texts.slice(0, i + 1).join('').length);
  return [
    {
      ...{ ...none, name: 'n', type: { kind: 'integer', bits: 32, isSigned: true } },
      values: { kind: 'fixed', width: 4, bytes: new Uint8Array(Int32Array.from(numbers).buffer) },
    },
    {
      ...{ ...none, name: 't', type: { kind: 'text' } },
      values: {
        ...{ kind: 'variable', offsets: Uint32Array.from([0, ...ends]) },
        bytes: new Uint8Array(text),
      },
    },
  ];
};

describe('the footer of an Arrow file', () => {
  it('says where each batch is, so that they can be read in any order', async () => {
    const batches = [
      columnOf([1, 2, 3], ['a', '', 'longer than others']),
      columnOf([4], ['d']),
      columnOf([5, 6], ['e', 'f']),
    ];
    const pieces: Uint8Array[] = [];
    const sink = { write: async (piece: Uint8Array) => void pieces.push(piece.slice()) };
    const writer = new ArrowWriter(sink, batches[0] as StoredColumn[], undefined);
    await writer.begin(batches[0] as StoredColumn[]);
    for (const columns of batches) await writer.write(encodeBatch(writer.plan, columns));
    await writer.end();
    const bytes = Buffer.concat(pieces);
    const reader = RecordBatchReader.from(new Uint8Array(bytes));
    if (!reader.isFile() || !reader.isSync()) throw new Error('it is no file');
    const file = reader.open();
    expect(file.numRecordBatches).toBe(3);
    const read = [2, 0, 1].map((i) => {
      const batch = file.readRecordBatch(i);
      return [[...(batch?.getChild('n') ?? [])], [...(batch?.getChild('t') ?? [])]];
    });
    expect(read).toEqual([
      [
        [5, 6],
        ['e', 'f'],
      ],
      [
        [1, 2, 3],
        ['a', '', 'longer than others'],
      ],
      [[4], ['d']],
    ]);
  });
});

describe('the schema of an Arrow file', () => {
  const both = <T extends ArrayBufferView>(values: T): Uint8Array => new Uint8Array(values.buffer);
  const ints = Int32Array.of(-5, 7);
  const longs = BigInt64Array.of(-5n, 7n);
  const TYPES: readonly (readonly [StoredColumn['type'], DataType, Uint8Array])[] = [
    [{ kind: 'integer', bits: 8, isSigned: true }, new Int8(), both(Int8Array.of(-5, 7))],
    [{ kind: 'integer', bits: 16, isSigned: false }, new Uint16(), both(Uint16Array.of(65_000, 7))],
    [{ kind: 'integer', bits: 32, isSigned: true }, new Int32(), both(ints)],
    [{ kind: 'integer', bits: 64, isSigned: false }, new Uint64(), both(longs)],
    [{ kind: 'float', bits: 16 }, new Float16(), both(Uint16Array.of(0x3c00, 0xc000))],
    [{ kind: 'float', bits: 32 }, new Float32(), both(Float32Array.of(1, -2))],
    [{ kind: 'float', bits: 64 }, new Float64(), both(Float64Array.of(1, -2))],
    [{ kind: 'boolean' }, new Bool(), Uint8Array.of(1, 0)],
    [{ kind: 'date', unit: 'day' }, new DateDay(), both(ints)],
    [{ kind: 'date', unit: 'ms' }, new DateMillisecond(), both(longs)],
    [{ kind: 'time', unit: 's', isUtc: false }, new TimeSecond(), both(ints)],
    [{ kind: 'time', unit: 'ms', isUtc: false }, new TimeMillisecond(), both(ints)],
    [{ kind: 'time', unit: 'us', isUtc: false }, new TimeMicrosecond(), both(longs)],
    [{ kind: 'time', unit: 'ns', isUtc: true }, new TimeNanosecond(), both(longs)],
    [{ kind: 'timestamp', unit: 's', zone: undefined }, new TimestampSecond(), both(longs)],
    [{ kind: 'timestamp', unit: 'ns', zone: 'UTC' }, new TimestampNanosecond('UTC'), both(longs)],
    [{ kind: 'duration', unit: 'ms' }, new DurationMillisecond(), both(longs)],
    [{ kind: 'fixed binary', width: 4, isOrdered: true }, new FixedSizeBinary(4), both(ints)],
    ...([32, 64, 128] as const).map(
      (bits) =>
        [
          { kind: 'decimal', bits, precision: 9, scale: 2 },
          new Decimal(2, 9),
          both({ 32: ints, 64: longs, 128: BigInt64Array.of(-5n, -1n, 7n, 0n) }[bits]),
        ] as const,
    ),
  ];

  it('has each type by the name that Arrow has for it, and values as they are', async () => {
    const columns = TYPES.map(
      ([type, , bytes], i): StoredColumn => ({
        ...{ name: `${i}`, type, rows: 2, valid: undefined, isNullable: i % 2 === 0 },
        values: { kind: 'fixed', width: bytes.length / 2, bytes: bytes as Uint8Array<ArrayBuffer> },
      }),
    );
    const pieces: Uint8Array[] = [];
    const sink = { write: async (piece: Uint8Array) => void pieces.push(piece.slice()) };
    const writer = new ArrowWriter(sink, columns, undefined);
    await writer.begin(columns);
    await writer.write(encodeBatch(writer.plan, columns));
    await writer.end();
    const read = tableFromIPC(new Uint8Array(Buffer.concat(pieces)));
    expect(read.schema.fields.map(({ type }) => String(type))).toEqual(
      TYPES.map(([, type]) => String(type)),
    );
    expect(read.schema.fields.map(({ nullable }) => nullable)).toEqual(
      TYPES.map((_, i) => i % 2 === 0),
    );
    for (const [i, [type, , bytes]] of TYPES.entries()) {
      const data = read.getChildAt(i)?.data[0]?.values as Uint8Array;
      const found = [...new Uint8Array(data.buffer, data.byteOffset, data.byteLength)];
      if (type.kind === 'boolean') expect(found[0]).toBe(1);
      else if (type.kind === 'decimal') {
        // −5 and 7, of 16 bytes each.
        const words = new BigInt64Array(Uint8Array.from(found.slice(0, 32)).buffer);
        expect([...words]).toEqual([-5n, -1n, 7n, 0n]);
      } else expect(found.slice(0, bytes.length), type.kind).toEqual([...bytes]);
    }
  });
});

describe('the footer of a Parquet file', () => {
  it('says where each group of rows is, how many there are, and of which types', async () => {
    const groups = [columnOf([1, 2, 3], ['a', '', 'a']), columnOf([4], ['d'])];
    const pieces: Uint8Array[] = [];
    const sink = { write: async (piece: Uint8Array) => void pieces.push(piece.slice()) };
    const writer = new ParquetWriter(sink, groups[0] as StoredColumn[], undefined);
    await writer.begin();
    for (const columns of groups) {
      await writer.write((await encodeRows(writer.plan, columns)) as never);
    }
    await writer.end();
    const { buffer, byteOffset, length } = Buffer.concat(pieces);
    const file = buffer.slice(byteOffset, byteOffset + length) as ArrayBuffer;
    const metadata = parquetMetadata(file);
    expect([metadata.num_rows, metadata.created_by]).toEqual([4n, 'keysweep']);
    expect(metadata.row_groups.map(({ num_rows }) => num_rows)).toEqual([3n, 1n]);
    for (const { total_byte_size, columns } of metadata.row_groups) {
      const sizes = columns.map(({ meta_data }) => meta_data?.total_uncompressed_size ?? 0n);
      expect(total_byte_size).toBe(sizes.reduce((sum, size) => sum + size));
    }
    for (const [rowStart, rowEnd, expected] of [
      [3, 4, [{ n: 4, t: 'd' }]],
      [
        1,
        3,
        [
          { n: 2, t: '' },
          { n: 3, t: 'a' },
        ],
      ],
    ] as const) {
      expect(await parquetReadObjects({ file, rowStart, rowEnd })).toEqual(expected);
    }
    expect(metadata.schema.map(({ name, type }) => [name, type])).toEqual([
      ['schema', undefined],
      ['n', 'INT32'],
      ['t', 'BYTE_ARRAY'],
    ]);
  });

  it('has the older names of integers, which all readers know', async () => {
    const pieces: Uint8Array[] = [];
    const sink = { write: async (piece: Uint8Array) => void pieces.push(piece.slice()) };
    const element = (name: string, bitWidth: number, isSigned: boolean) => ({
      ...{ name, type: bitWidth === 64 ? 'INT64' : 'INT32', repetition_type: 'REQUIRED' },
      logical_type: { type: 'INTEGER', bitWidth, isSigned },
    });
    const date = {
      name: 'd',
      type: 'INT32',
      repetition_type: 'REQUIRED',
      logical_type: { type: 'DATE' },
    };
    const elements = [
      element('a', 8, true),
      element('b', 16, false),
      element('c', 64, false),
      date,
    ];
    const layout = { format: 'parquet', elements, metadata: [{ key: 'k', value: 'v' }] };
    const writer = new ParquetWriter(sink, [], layout as never);
    await writer.begin();
    await writer.end();
    const { buffer, byteOffset, length } = Buffer.concat(pieces);
    const found = parquetMetadata(buffer.slice(byteOffset, byteOffset + length) as ArrayBuffer);
    const names = found.schema.slice(1).map((one) => [one.converted_type, one.logical_type?.type]);
    expect(names).toEqual([
      ...[
        ['INT_8', undefined],
        ['UINT_16', undefined],
        ['UINT_64', undefined],
      ],
      [undefined, 'DATE'],
    ]);
    expect(found.key_value_metadata).toEqual([{ key: 'k', value: 'v' }]);
  });
});

describe('the header of a NumPy file', () => {
  const open = async (header: string, values = 0, version = 1): Promise<string | number> => {
    const line = `${header}\n`;
    const size = version === 1 ? 2 : 4;
    const bytes = new Uint8Array(8 + size + line.length + values);
    bytes.set(Buffer.from('\u0093NUMPY', 'latin1'));
    bytes[6] = version;
    new DataView(bytes.buffer).setUint16(8, line.length, true);
    bytes.set(Buffer.from(line), 8 + size);
    const memory = new MemoryBudget("'f'", 0, 1e6, false);
    try {
      const table = await openNpy(bytesSource("'f'", bytes), memory);
      return table.columns[0]?.rows as number;
    } catch (error) {
      return (error as Error).message;
    }
  };
  const header = (descr: string, shape: string, order = 'False') =>
    `{'descr': '${descr}', 'fortran_order': ${order}, 'shape': (${shape}), }`;

  it('says what the file has, in each version', async () => {
    for (const version of [1, 2, 3]) expect(await open(header('<f4', '3,'), 12, version)).toBe(3);
    expect(await open(header('|u1', '5'), 5)).toBe(5);
    expect(await open(header('=i8', ' 2 , ', 'True'), 16)).toBe(2);
    expect(await open(header('<u2', '0,'))).toBe(0);
    // Any spaces, in any order.
    expect(await open("{'descr':'<f4','fortran_order':False,'shape':(3,)}", 12)).toBe(3);
    expect(await open("{ 'shape'  :  ( 3 , ),'fortran_order' :True,  'descr'  :  '<f4'}", 12)).toBe(
      3,
    );
  });

  it.each([
    [header('<f4', '-3,'), 0, 'its header says -3, values'],
    [header('<f4', '1.5,'), 6, 'its header says 1.5, values'],
    [header('<f4', 'x'), 0, 'its header says x values'],
    [header('<f4', '3,'), 11, 'its header says 3 values of f32, but 11 bytes follow it'],
    [header('<f4', '3,'), 13, 'but 13 bytes follow it'],
    [header('<f4', ''), 4, 'it has 0 dimensions (); only arrays of one can be read'],
    [header('<f4', '2, 2'), 16, 'it has 2 dimensions (2, 2)'],
    [header('>f4', '1,'), 4, "its numbers are big-endian ('>f4')"],
    [header('<c8', '1,'), 8, "it holds values of type '<c8'; only integers and floats"],
    [header('<f3', '1,'), 3, "it holds values of type '<f3'"],
    [header('f4', '1,'), 4, "it holds values of type 'f4'"],
    ["{'fortran_order': False, 'shape': (1,), }", 4, 'it holds records; only plain numbers'],
    ["{'descr': '<f4', 'shape': (1,), }", 4, 'its header has no shape, or no order'],
    ["{'descr': '<f4', 'fortran_order': False, }", 4, 'its header has no shape, or no order'],
    [header('<f4', '1,', 'Maybe'), 4, 'its header has no shape, or no order'],
  ])('%s with %i bytes is refused', async (line, values, message) => {
    expect(await open(line, values)).toContain(message);
  });

  it('ends within the file, and begins as it should', async () => {
    const memory = () => new MemoryBudget("'f'", 0, 1e6, false);
    const whole = npyHeader('f32', 0);
    expect(whole.length % 64).toBe(0);
    const say = async (bytes: Uint8Array<ArrayBuffer>): Promise<string> =>
      openNpy(bytesSource("'f'", bytes), memory()).then(
        () => 'nothing',
        (error: Error) => error.message,
      );
    expect(await say(new Uint8Array(whole))).toBe('nothing');
    expect(await say(new Uint8Array(whole.subarray(0, whole.length - 1)))).toBe(
      'its header is longer than the file',
    );
    const begins = 'it does not begin as a .npy file of version 1, 2 or 3 does';
    for (const [at, value] of [
      [0, 1],
      [5, 90],
      [6, 0],
      [6, 4],
    ] as const) {
      const bytes = new Uint8Array(whole);
      bytes[at] = value;
      expect(await say(bytes)).toBe(begins);
    }
    for (const size of [0, 5, 9])
      expect(await say(new Uint8Array(whole.subarray(0, size)))).toBe(begins);
    for (const [type, name] of [
      ['u8', '|u1'],
      ['i16', '<i2'],
      ['f64', '<f8'],
    ] as const) {
      expect(Buffer.from(npyHeader(type, 7)).toString('latin1')).toContain(
        `{'descr': '${name}', 'fortran_order': False, 'shape': (7,), }`,
      );
    }
  });
});
