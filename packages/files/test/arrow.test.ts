import { COMMON_KEY_TYPES, isThorough, runSeed } from '@keysweep/conformance/data';
import { assertSameBits } from '@keysweep/conformance/verify';
import type { TypedArray } from '@keysweep/core';
import {
  Bool,
  CompressionType,
  compressionRegistry,
  DateDay,
  DateMillisecond,
  Decimal,
  Dictionary,
  Field,
  FixedSizeList,
  Float16,
  Float32,
  Float64,
  Int8,
  Int16,
  Int32,
  Int64,
  LargeUtf8,
  List,
  makeData,
  Null,
  RecordBatch,
  RecordBatchFileWriter,
  Table,
  TimestampMicrosecond,
  Type,
  tableFromArrays,
  tableToIPC,
  Uint8,
  Uint16,
  Uint32,
  Uint64,
  Utf8,
  Utf8View,
  Vector,
  vectorFromArray,
} from 'apache-arrow';
import { describe, expect, it } from 'vitest';
import { bytesSource, openTable, type Progress } from '../src/index.js';
import { hasFloat16, randomColumn, tableIn } from './columns.js';

const seed = runSeed();
const ARROW = { format: 'arrow' } as const;

const TYPES = {
  u8: new Uint8(),
  i8: new Int8(),
  u16: new Uint16(),
  i16: new Int16(),
  u32: new Uint32(),
  i32: new Int32(),
  f32: new Float32(),
  u64: new Uint64(),
  i64: new Int64(),
  f64: new Float64(),
};

/** Columns of every key type, named after it, in batches that end at the rows `ends`. */
function batchesOf(columns: Record<string, TypedArray>, ends: readonly number[]): RecordBatch[] {
  return ends.map((end, i) => {
    const children = COMMON_KEY_TYPES.map((keyType) => {
      const data = columns[keyType]?.slice(ends[i - 1] ?? 0, end);
      return [keyType, makeData({ type: TYPES[keyType], data } as never)] as const;
    });
    return new RecordBatch(Object.fromEntries(children) as never);
  });
}

describe(`Arrow (seed ${seed})`, () => {
  it.each(['file', 'stream'] as const)(
    'reads every type of column, in batches (%s format)',
    async (kind) => {
      const rows = isThorough ? 250_000 : 2500;
      const columns = Object.fromEntries(
        COMMON_KEY_TYPES.map((keyType, i) => [keyType, randomColumn(keyType, rows, seed + i)]),
      );
      const written = new Table(batchesOf(columns, [7, 1001, rows]));
      const table = await tableIn(tableToIPC(written, kind), ARROW);
      expect(table.columns.map(({ name, keyType, rows }) => [name, keyType, rows])).toEqual(
        COMMON_KEY_TYPES.map((keyType) => [keyType, keyType, rows]),
      );
      for (const keyType of COMMON_KEY_TYPES) {
        assertSameBits(keyType, await table.read(keyType), columns[keyType] as TypedArray);
      }
    },
  );

  it('reads dates and times as the integers that the file stores', async () => {
    const dates = [new Date('2024-02-29'), new Date('1969-12-31'), new Date('2000-01-01')];
    const written = new Table({
      day: vectorFromArray(dates, new DateDay()),
      date: vectorFromArray(dates, new DateMillisecond()),
      stamp: vectorFromArray(dates, new TimestampMicrosecond()),
    });
    const table = await tableIn(tableToIPC(written, 'file'), ARROW);
    const times = dates.map((date) => BigInt(date.getTime()));
    const days = Int32Array.from(times, (time) => Number(time / 86_400_000n));
    expect(await table.read('day')).toEqual(days);
    expect(await table.read('date')).toEqual(BigInt64Array.from(times));
    expect(await table.read('stamp')).toEqual(BigInt64Array.from(times, (time) => time * 1000n));
  });

  it('reads text that lies at any byte, with offsets of either width', async () => {
    const texts = ['a', '', 'longer', 'é', 'z'.repeat(300)];
    const written = new Table({
      usual: vectorFromArray(texts, new Utf8()),
      large: vectorFromArray(texts, new LargeUtf8()),
    });
    const bytes = tableToIPC(written, 'file');
    const buffer = new Uint8Array(bytes.length + 8);
    for (let at = 0; at < 8; at++) {
      buffer.set(bytes, at);
      const own = buffer.subarray(at, at + bytes.length);
      const table = await openTable(bytesSource('bytes', own), ARROW);
      for (const place of [0, 1]) {
        const { values } = await table.readColumn(place);
        if (values.kind !== 'variable') throw new Error(`they are ${values.kind}`);
        const found = texts.map((_, i) =>
          Buffer.from(values.bytes.subarray(values.offsets[i], values.offsets[i + 1])).toString(),
        );
        expect([at, place, found]).toEqual([at, place, texts]);
      }
    }
  });

  it('names types as Arrow does, and refuses to carry those that it has no form for', async () => {
    const lists = [
      [1, 2],
      [3, 4],
    ];
    const item = new Field('item', new Int32());
    const columns = {
      ...{ i8: vectorFromArray([1, 2], new Int8()), u8: vectorFromArray([1, 2], new Uint8()) },
      ...{ i16: vectorFromArray([1, 2], new Int16()), u32: vectorFromArray([1, 2], new Uint32()) },
      ...{ bool: vectorFromArray([true, false]), none: vectorFromArray([null, null], new Null()) },
      fixed: vectorFromArray(lists, new FixedSizeList(2, item)),
      list: vectorFromArray(lists, new List(item)),
    };
    const table = await tableIn(tableToIPC(new Table(columns), 'file'), ARROW);
    const expected = Object.values(columns).map(({ type }) => {
      const isInteger = (type.typeId as Type) === Type.Int;
      return isInteger ? String(type) : Type[type.typeId as Type];
    });
    expect(table.columns.map(({ type }) => type)).toEqual(expected);
    for (const bits of [128, 256]) {
      const type = new Decimal(2, 18, bits);
      const data = makeData({ type, length: 2, data: new Uint32Array(bits / 16).fill(1) });
      const written = new Table({ price: new Vector([data]) });
      const decimals = await tableIn(tableToIPC(written, 'file'), ARROW);
      const reading = decimals.readColumn(0);
      if (bits === 128) expect((await reading).type).toMatchObject({ kind: 'decimal', bits });
      else
        await expect(reading).rejects.toThrow(/^column 'price' of .* is Decimal, which cannot be/);
    }
  });

  it('reads a column of f16', async ({ skip }) => {
    skip(!hasFloat16, 'this runtime has no Float16Array');
    const written = new Table({ half: vectorFromArray([1, -1, 0.5], new Float16()) });
    const table = await tableIn(tableToIPC(written, 'file'), ARROW);
    expect(Array.from((await table.read('half')) as ArrayLike<number>)).toEqual([1, -1, 0.5]);
  });

  it('reads buffers compressed with ZSTD, and names any other compression', async () => {
    const keys = new Int32Array(1000).fill(0x07070707);
    // The smallest of compressors: a frame of one block that says "this byte, so many times".
    compressionRegistry.set(CompressionType.ZSTD, {
      encode(bytes) {
        const frame = Buffer.alloc(13);
        frame.writeUInt32LE(0xfd2fb528);
        frame.writeUInt8(0xa0, 4);
        frame.writeUInt32LE(bytes.length, 5);
        frame.writeUIntLE((bytes.length << 3) | 0b011, 9, 3);
        frame.writeUInt8(bytes[0] as number, 12);
        return frame;
      },
    });
    compressionRegistry.set(CompressionType.LZ4_FRAME, {
      encode: () => Uint8Array.of(4, 34, 77, 24, 0x40, 0, 0),
    });
    const write = (compressionType: CompressionType): Uint8Array =>
      new RecordBatchFileWriter({ compressionType })
        .writeAll(tableFromArrays({ x: keys }))
        .toUint8Array(true);
    const [zstd, lz4] = [write(CompressionType.ZSTD), write(CompressionType.LZ4_FRAME)];
    expect(zstd.length).toBeLessThan(2000);
    expect(await (await tableIn(zstd, ARROW)).read('x')).toEqual(keys);
    await expect((await tableIn(lz4, ARROW)).read('x')).rejects.toThrow(
      "cannot read 'in' as Arrow: it is compressed with LZ4, only ZSTD or no " +
        'compression can be read',
    );
  });

  it('reads 10,000 columns, whose places are found once for all', async () => {
    const values = Array.from({ length: 10_000 }, (_, i) => [`name ${i}`, Int32Array.of(i)]);
    const written = tableToIPC(tableFromArrays(Object.fromEntries(values)), 'file');
    const table = await openTable(bytesSource("'wide'", written.slice()), ARROW);
    let sum = 0;
    for (const place of table.columns.keys()) {
      const { values } = await table.readColumn(place);
      if (values.kind === 'fixed')
        sum += new Int32Array(values.bytes.buffer, values.bytes.byteOffset, 1)[0] ?? 0;
    }
    expect(sum).toBe((9_999 * 10_000) / 2);
  });

  it('reads no row if none is wanted, and none that is not there', async () => {
    const columns = {
      numbers: vectorFromArray([1, 2, 3], new Int32()),
      texts: vectorFromArray(['a', 'bb', 'c'], new Utf8()),
      entries: vectorFromArray(['a', 'bb', 'a'], new Dictionary(new Utf8(), new Int32())),
    };
    const table = await tableIn(tableToIPC(new Table(columns), 'file'), ARROW);
    for (const place of table.columns.keys()) {
      expect((await table.readRows(place, new Uint32Array())).rows).toBe(0);
      expect((await table.readRows(place, Uint32Array.of(2))).rows).toBe(1);
      await expect(table.readRows(place, Uint32Array.of(2, 3))).rejects.toThrow('has 3 rows');
    }
  });

  it('tells how many bytes are read', async () => {
    const bytes = tableToIPC(tableFromArrays({ x: Int32Array.of(3, 1, 2) }), 'file').slice();
    const { name, size, read } = bytesSource("'in'", bytes);
    const told: Progress[] = [];
    const source = {
      name,
      size,
      read: (from: number, to: number, onRead?: (completed: number) => void) => {
        onRead?.(to - from);
        return read(from, to);
      },
    };
    await openTable(source, ARROW, (progress) => told.push(progress));
    expect(told).toEqual([{ completed: bytes.length, total: bytes.length, unit: 'bytes' }]);
  });

  it('rejects nulls, columns that are not numeric and columns that do not exist', async () => {
    const written = new Table({
      gaps: vectorFromArray([1, 2, null, 4], new Int32()),
      text: vectorFromArray(['a', 'b', 'c', 'd'], new Utf8()),
      flag: vectorFromArray([true, false, true, true], new Bool()),
      name: vectorFromArray(['a', 'b', 'c', 'd']),
    });
    const table = await tableIn(tableToIPC(written, 'stream'), ARROW);
    const numeric = table.columns.filter(({ keyType }) => keyType !== undefined);
    expect(numeric.map(({ name }) => name)).toEqual(['gaps']);
    await expect(table.read('gaps')).rejects.toThrow(
      "column 'gaps' of 'in' has nulls (the first in row 2), ",
    );
    await expect(table.read('text')).rejects.toThrow(
      "column 'text' of 'in' is not numeric but Utf8; the numeric columns are: gaps",
    );
    await expect(table.read('flag')).rejects.toThrow(' is not numeric but Bool; ');
    await expect(table.read('name')).rejects.toThrow(' is not numeric but Dictionary');
    await expect(table.read('absent')).rejects.toThrow(
      "'in' has no column 'absent'; its columns are: gaps, text, flag, name",
    );
  });

  it.each(['file', 'stream'] as const)(
    'rejects a buffer that is said to be half as long (%s format)',
    async (kind) => {
      const whole = tableToIPC(
        tableFromArrays({ x: new Int32Array(1000).fill(0x07070707) }),
        kind,
      ).slice();
      const length = Buffer.from(new BigInt64Array([4000n]).buffer);
      const bytes = Buffer.from(whole.buffer);
      const at = bytes.lastIndexOf(length, bytes.indexOf(Buffer.alloc(16, 7)));
      expect(at).toBeGreaterThan(0);
      new DataView(whole.buffer).setBigInt64(at, 2000n, true);
      await expect(tableIn(whole, ARROW).then((table) => table.read('x'))).rejects.toThrow(
        /^cannot read 'in' as Arrow: a batch's? .*/,
      );
    },
  );

  it.each([
    [1001, 4000],
    [984, 4000],
  ])('rejects %i rows whose values have %i bytes', async (rows, size) => {
    const whole = tableToIPC(tableFromArrays({ x: new Int32Array(1000) }), 'stream').slice();
    const [given, told] = [1000n, BigInt(rows)].map((n) => Buffer.from(BigInt64Array.of(n).buffer));
    const bytes = Buffer.from(whole.buffer);
    // The batch says how many rows it has, and so does its column.
    for (let at = bytes.indexOf(given as Buffer); at !== -1; at = bytes.indexOf(given as Buffer)) {
      bytes.set(told as Buffer, at);
    }
    await expect(tableIn(whole, ARROW).then((table) => table.readColumn(0))).rejects.toThrow(
      `cannot read 'in' as Arrow: a batch of ${rows} rows has ${size} bytes of 4-byte values`,
    );
  });

  it('rejects a bitmap of too few rows, and bytes that follow the end', async () => {
    const values = Array.from({ length: 1000 }, (_, i) => (i % 7 === 0 ? null : i));
    const table = new Table({ x: vectorFromArray(values, new Int32()) });
    const given = Buffer.from(BigInt64Array.of(1000n).buffer);
    for (let rows = 1001; rows < 1050; rows++) {
      const bytes = Buffer.from(tableToIPC(table, 'stream'));
      for (let at = bytes.indexOf(given); at !== -1; at = bytes.indexOf(given)) {
        bytes.writeBigInt64LE(BigInt(rows), at);
      }
      const why = rows > 1024 ? 'a batch says of too few rows' : `a batch of ${rows} rows has`;
      await expect(tableIn(bytes, ARROW).then((table) => table.readColumn(0))).rejects.toThrow(why);
    }
    const whole = tableToIPC(table, 'stream');
    for (const more of [whole, new Uint8Array(8), Uint8Array.of(1)]) {
      await expect(tableIn(Buffer.concat([whole, more]), ARROW)).rejects.toThrow(
        "cannot read 'in' as Arrow: bytes follow the end of its data",
      );
    }
  });

  it('rejects buffers that overlap', async () => {
    const column = (byte: number): Int32Array => new Int32Array(1000).fill(byte * 0x01010101);
    const whole = tableToIPC(tableFromArrays({ x: column(7), y: column(9) }), 'stream').slice();
    const length = Buffer.from(new BigInt64Array([4000n]).buffer);
    const bytes = Buffer.from(whole.buffer);
    // Where a buffer begins stands before its length: that of x shall lie where that of y does.
    const ofY = bytes.lastIndexOf(length, bytes.indexOf(Buffer.alloc(16, 7))) - 8;
    const ofX = bytes.lastIndexOf(length, ofY) - 8;
    const view = new DataView(whole.buffer);
    const place = view.getBigInt64(ofY, true);
    expect([view.getBigInt64(ofX, true), place >= 4000n]).toEqual([0n, true]);
    view.setBigInt64(ofX, place, true);
    await expect(tableIn(whole, ARROW).then((table) => table.read('x'))).rejects.toThrow(
      "cannot read 'in' as Arrow: a batch's buffers do not lie end to end and fill it",
    );
  });

  it('rejects a view of bytes that are not there, before it takes memory for them', async () => {
    const texts = vectorFromArray(['x'.repeat(40), 'short', 'y'.repeat(40)], new Utf8View());
    const bytes = tableToIPC(new Table({ texts }), 'file');
    const at = Buffer.from(bytes).indexOf('yyyy') - 4;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    expect(view.getInt32(at, true)).toBe(40);
    view.setInt32(at, 2 ** 30, true);
    const table = await tableIn(bytes, ARROW);
    await expect(table.readColumn(0)).rejects.toThrow(
      "cannot read 'in' as Arrow: row 2 of a batch has text outside its buffers",
    );
  });

  it('rejects a footer that has a batch elsewhere than the file', async () => {
    const columns = Object.fromEntries(
      COMMON_KEY_TYPES.map((keyType) => [keyType, randomColumn(keyType, 200, seed)] as const),
    );
    const whole = tableToIPC(new Table(batchesOf(columns, [100, 200])), 'file').slice();
    const view = new DataView(whole.buffer);
    const lengthAt = whole.length - 10;
    const footerAt = lengthAt - view.getUint32(lengthAt, true);
    const isMessage = (at: number): boolean => {
      const place = Number(view.getBigInt64(at, true));
      return place > 0 && place < footerAt - 4 && view.getUint32(place, true) === 0xffffffff;
    };
    const places = Array.from({ length: (lengthAt - footerAt) >> 2 }, (_, i) => footerAt + 4 * i);
    const [first, second, ...more] = places.slice(0, -2).filter(isMessage);
    expect(more).toEqual([]);
    view.setBigInt64(second as number, view.getBigInt64(first as number, true), true);
    await expect(tableIn(whole, ARROW)).rejects.toThrow(
      'its footer has 2 batches, and not where its 2 begin',
    );
  });

  it('rejects a file that is something else, or cut short', async () => {
    const whole = tableToIPC(tableFromArrays({ x: new Int32Array(1000) }), 'file');
    for (const bytes of [Buffer.from('no table at all, but text'), whole.subarray(0, 1000)]) {
      await expect(tableIn(bytes, ARROW).then((table) => table.read('x'))).rejects.toThrow(/'in'/);
    }
  });
});
