import { readFileSync, writeFileSync } from 'node:fs';
import { COMMON_KEY_TYPES } from '@keysweep/conformance/data';
import type { TypedArray } from '@keysweep/core';
import { oraclePermutation } from '@keysweep/core/oracle';
import {
  Bool,
  CompressionType,
  compressionRegistry,
  DateDay,
  DateMillisecond,
  Float16,
  Float32,
  Float64,
  Int8,
  Int16,
  Int32,
  Int64,
  makeData,
  RecordBatch,
  RecordBatchFileWriter,
  RecordBatchStreamWriter,
  Table,
  TimestampMicrosecond,
  tableFromArrays,
  tableFromIPC,
  tableToIPC,
  Uint8,
  Uint16,
  Uint32,
  Uint64,
  Utf8,
  vectorFromArray,
} from 'apache-arrow';
import { describe, expect, it } from 'vitest';
import { keysweep, scratch } from './command.js';
import { dataset } from './dataset.js';
import { bufferOf, randomKeys, SEED } from './keys.js';

const path = scratch();
const sorted = (keys: TypedArray): Buffer => bufferOf(keys.slice().sort());
const hasFloat16 = 'Float16Array' in globalThis;

describe(`Arrow (seed ${SEED})`, () => {
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

  it.each(['file', 'stream'] as const)('sorts every type of column (%s format)', async (format) => {
    const columns = Object.fromEntries(
      COMMON_KEY_TYPES.map((keyType, i) => [keyType, randomKeys(keyType, 2500, SEED + i)]),
    );
    // Three batches, so that a column is in pieces.
    const batches = [0, 1000, 2000].map((start) => {
      const children = Object.fromEntries(
        COMMON_KEY_TYPES.map((keyType) => {
          const data = columns[keyType]?.slice(start, start + 1000) as TypedArray;
          return [keyType, makeData({ type: TYPES[keyType], data } as never) as never];
        }),
      );
      return new RecordBatch(children);
    });
    const Writer = format === 'file' ? RecordBatchFileWriter : RecordBatchStreamWriter;
    writeFileSync(path('in.arrow'), Writer.writeAll(batches).toUint8Array(true));
    for (const keyType of COMMON_KEY_TYPES) {
      const { stdout, stderr } = await keysweep(['sort', '-c', keyType, path('in.arrow')]);
      expect({ keyType, stderr }).toEqual({ keyType, stderr: '' });
      expect(stdout.equals(sorted(columns[keyType] as TypedArray))).toBe(true);
    }
    const { stdout } = await keysweep([
      'sort',
      '--argsort',
      '-d',
      '-c',
      'i8',
      '-c',
      'u16',
      path('in.arrow'),
    ]);
    const keys = [columns.i8, columns.u16] as TypedArray[];
    expect(stdout.equals(bufferOf(oraclePermutation(keys, { order: 'descending' })))).toBe(true);
  });

  it('sorts dates and times as the integers that they are stored as', async () => {
    const dates = [new Date('2024-02-29'), new Date('1969-12-31'), new Date('2000-01-01')];
    const table = new Table({
      day: vectorFromArray(dates, new DateDay()),
      date: vectorFromArray(dates, new DateMillisecond()),
      stamp: vectorFromArray(dates, new TimestampMicrosecond()),
    });
    writeFileSync(path('in.arrow'), tableToIPC(table, 'file'));
    const millis = dates.map((date) => BigInt(date.getTime()));
    const columns = {
      day: Int32Array.from(millis, (time) => Number(time / 86_400_000n)),
      date: BigInt64Array.from(millis),
      stamp: BigInt64Array.from(millis, (time) => time * 1000n),
    };
    for (const [name, keys] of Object.entries(columns)) {
      const { stdout, stderr } = await keysweep(['sort', '-c', name, path('in.arrow')]);
      expect({ name, stderr, stdout }).toEqual({ name, stderr: '', stdout: sorted(keys) });
    }
  });

  it('sorts a column of f16', async ({ skip }) => {
    skip(!hasFloat16, 'this runtime has no Float16Array');
    const table = new Table({ half: vectorFromArray([1, -1, 0.5], new Float16()) });
    writeFileSync(path('in.arrow'), tableToIPC(table, 'file'));
    const { stdout } = await keysweep(['sort', '-c', 'half', path('in.arrow')]);
    expect(stdout).toEqual(bufferOf(new Uint16Array([0xbc00, 0x3800, 0x3c00])));
  });

  it('reads columns compressed with ZSTD, and names the compression that it cannot read', async () => {
    const keys = new Int32Array(1000).fill(0x07070707);
    const table = tableFromArrays({ x: keys });
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
    const write = (compressionType: CompressionType): void => {
      const writer = new RecordBatchFileWriter({ compressionType });
      writeFileSync(path('in.arrow'), writer.writeAll(table).toUint8Array(true));
    };
    const args = ['sort', '-c', 'x', path('in.arrow')];
    write(CompressionType.ZSTD);
    expect(readFileSync(path('in.arrow')).length).toBeLessThan(2000);
    expect((await keysweep(args)).stdout.equals(bufferOf(keys))).toBe(true);
    write(CompressionType.LZ4_FRAME);
    expect(await keysweep(args)).toMatchObject({
      code: 1,
      stderr: `keysweep: cannot read '${path('in.arrow')}' as Arrow: it is compressed with LZ4, only ZSTD or no compression can be read\n`,
    });
  });

  it('sorts real flights', async () => {
    const file = dataset('flights-200k.arrow');
    const keys = tableFromIPC(readFileSync(file)).getChild('time')?.toArray() as Float32Array;
    const { stdout } = await keysweep(['sort', '-t', 'f32', '-c', 'time', file]);
    expect(keys.length).toBeGreaterThan(100_000);
    expect(stdout.equals(sorted(keys))).toBe(true);
  });

  it('fails on nulls, on columns of other things and on columns that are not there', async () => {
    const table = new Table({
      gaps: vectorFromArray([1, 2, null, 4], new Int32()),
      text: vectorFromArray(['a', 'b', 'c', 'd'], new Utf8()),
      flag: vectorFromArray([true, false, true, true], new Bool()),
      name: vectorFromArray(['a', 'b', 'c', 'd']),
    });
    writeFileSync(path('in.arrow'), tableToIPC(table, 'stream'));
    const says = async (...flags: string[]) => {
      const { code, stderr } = await keysweep(['sort', ...flags, path('in.arrow')]);
      expect(code).toBe(1);
      return stderr;
    };
    expect(await says('-c', 'gaps')).toMatch(
      /^keysweep: column 'gaps' of '.*' has nulls \(the first in row 2\), .*\n$/,
    );
    expect(await says('-c', 'text')).toMatch(
      /^keysweep: column 'text' of '.*' is not numeric but Utf8; the numeric columns are: gaps\n$/,
    );
    expect(await says('-c', 'flag')).toMatch(/ is not numeric but Bool; /);
    expect(await says('-c', 'name')).toMatch(/ is not numeric but Dictionary/);
    expect(await says('-c', 'absent')).toMatch(
      /^keysweep: '.*' has no column 'absent'; its columns are: gaps, text, flag, name\n$/,
    );
  });

  it('fails on a type that contradicts the schema', async () => {
    const table = tableFromArrays({ x: new Float64Array([1, 2]) });
    writeFileSync(path('in.arrow'), tableToIPC(table, 'file'));
    expect(await keysweep(['sort', '-t', 'i64', '-c', 'x', path('in.arrow')])).toMatchObject({
      code: 1,
      stderr: `keysweep: --type says i64, but column 'x' of '${path('in.arrow')}' is f64\n`,
    });
  });

  it('fails on a file that is something else, or torn', async () => {
    writeFileSync(path('in.arrow'), 'no table at all, but text');
    const args = ['sort', '-c', 'time', path('in.arrow')];
    const line = /^keysweep: .*in\.arrow.+\n$/;
    expect(await keysweep(args)).toMatchObject({ code: 1, stderr: expect.stringMatching(line) });
    const whole = readFileSync(dataset('flights-200k.arrow'));
    writeFileSync(path('in.arrow'), whole.subarray(0, 1e6));
    expect(await keysweep(args)).toMatchObject({ code: 1, stderr: expect.stringMatching(line) });
  });
});
