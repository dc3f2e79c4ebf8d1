import { readFileSync, writeFileSync } from 'node:fs';
import { COMMON_KEY_TYPES } from '@keysweep/conformance/data';
import type { KeyType, TypedArray } from '@keysweep/core';
import { asyncBufferFromFile, parquetRead } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { describe, expect, it } from 'vitest';
import { keysweep, scratch } from './command.js';
import { dataset } from './dataset.js';
import { bufferOf, randomKeys, SEED } from './keys.js';

const path = scratch();
const sorted = (keys: TypedArray): Buffer => bufferOf(keys.slice().sort());
const hasFloat16 = 'Float16Array' in globalThis;

describe(`Parquet (seed ${SEED})`, () => {
  /** How a Parquet schema says the type: by the newer annotation, or by the older one. */
  const ANNOTATIONS: Record<Exclude<KeyType, 'f16'>, [physical: string, converted?: string]> = {
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

  function writeParquet(columns: Record<string, Written>): string {
    const names = Object.keys(columns);
    const bytes = parquetWriteBuffer({
      columnData: names.map((name) => ({ name, data: columns[name]?.data as never })),
      schema: [
        { name: 'root', num_children: names.length },
        ...names.map((name) => ({ name, ...columns[name]?.element })),
      ] as never,
      rowGroupSize: 1000,
    });
    writeFileSync(path('in.parquet'), Buffer.from(bytes));
    return path('in.parquet');
  }

  it.each(COMMON_KEY_TYPES)('sorts a column of %s', async (keyType) => {
    const keys = randomKeys(keyType, 2500, SEED);
    const [type, converted_type] = ANNOTATIONS[keyType];
    const bits = Number(keyType.slice(1));
    const isSigned = keyType.startsWith('i');
    const newer =
      converted_type === undefined
        ? { type }
        : { type, logical_type: { type: 'INTEGER', bitWidth: bits, isSigned } };
    // Of a Uint32Array the writer can't write the upper half; of plain numbers it can.
    const data = keyType === 'u32' ? [...keys] : keys;
    const file = writeParquet({
      required: { data, element: { type, converted_type, repetition_type: 'REQUIRED' } },
      optional: { data: [...keys], element: { ...newer, repetition_type: 'OPTIONAL' } },
    });
    for (const column of ['required', 'optional']) {
      const { code, stdout, stderr } = await keysweep(['sort', '--column', column, file]);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout.equals(sorted(keys))).toBe(true);
    }
    const contradiction = await keysweep(['sort', '-c', 'required', '-t', 'f16', file]);
    if (hasFloat16) {
      expect(contradiction).toMatchObject({
        code: 1,
        stderr: `keysweep: --type says f16, but column 'required' of '${file}' is ${keyType}\n`,
      });
    }
    expect(await keysweep(['sort', '-c', 'required', '-t', keyType, file])).toMatchObject({
      code: 0,
    });
  });

  it('sorts dates, times and decimals as the integers that they are stored as', async () => {
    const days = new Int32Array([20_000, -5, 3]);
    const micros = new BigInt64Array([1_700_000_000_000_001n, -1n, 1_700_000_000_000_000n]);
    const cents = new Int32Array([1999, -1, 250]);
    const dates = Array.from(days, (day) => new Date(day * 86_400_000));
    const times = [new Date(30), new Date(-10), new Date(20)];
    const file = writeParquet({
      day: { data: dates, element: { type: 'INT32', converted_type: 'DATE' } },
      stamp: { data: times, element: { type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' } },
      micros: {
        data: micros,
        element: { type: 'INT64', converted_type: 'TIME_MICROS', repetition_type: 'REQUIRED' },
      },
      price: {
        data: Array.from(cents, (cent) => cent / 100),
        element: { type: 'INT32', converted_type: 'DECIMAL', scale: 2, precision: 9 },
      },
    });
    const columns = { day: days, stamp: new BigInt64Array([30n, -10n, 20n]), micros, price: cents };
    for (const [name, keys] of Object.entries(columns)) {
      const { stdout, stderr } = await keysweep(['sort', '-c', name, file]);
      expect({ name, stderr, stdout }).toEqual({ name, stderr: '', stdout: sorted(keys) });
    }
  });

  it('sorts a column of f16', async ({ skip }) => {
    skip(!hasFloat16, 'this runtime has no Float16Array');
    const file = writeParquet({
      half: {
        data: [1, -1, 0.5],
        element: {
          type: 'FIXED_LEN_BYTE_ARRAY',
          type_length: 2,
          logical_type: { type: 'FLOAT16' },
        },
      },
    });
    const { stdout } = await keysweep(['sort', '-c', 'half', file]);
    expect(stdout).toEqual(bufferOf(new Uint16Array([0xbc00, 0x3800, 0x3c00])));
  });

  it('fails on nulls, on columns of other things and on columns that are not there', async () => {
    const numbers = Array.from({ length: 2000 }, (_, i) => (i === 1234 ? null : i));
    const other = (value: unknown) => numbers.map(() => value);
    const file = writeParquet({
      gaps: { data: numbers, element: { type: 'INT32', repetition_type: 'OPTIONAL' } },
      text: { data: other('a'), element: { type: 'BYTE_ARRAY', converted_type: 'UTF8' } },
      flag: { data: other(true), element: { type: 'BOOLEAN' } },
    });
    const says = async (column: string) => {
      const { code, stderr } = await keysweep(['sort', '-c', column, file, '-o', path('out')]);
      expect(code).toBe(1);
      return stderr;
    };
    expect(await says('gaps')).toMatch(
      /^keysweep: column 'gaps' of '.*' has nulls \(the first in row 1234\), .*\n$/,
    );
    expect(await says('text')).toMatch(
      /^keysweep: column 'text' of '.*' is not numeric but BYTE_ARRAY \(\w+\); the numeric columns are: gaps\n$/,
    );
    expect(await says('flag')).toMatch(
      /^keysweep: column 'flag' of '.*' is not numeric but BOOLEAN; .*\n$/,
    );
    expect(await says('absent')).toMatch(
      /^keysweep: '.*' has no column 'absent'; its columns are: gaps, text, flag\n$/,
    );
  });

  it('fails on a file that is something else, or torn', async () => {
    writeFileSync(path('in.parquet'), 'no table at all');
    const args = ['sort', '-c', 'delay', path('in.parquet')];
    const line = /^keysweep: cannot read '.*in\.parquet' as Parquet: .+\n$/;
    expect(await keysweep(args)).toMatchObject({ code: 1, stderr: expect.stringMatching(line) });
    const whole = readFileSync(dataset('flights-3m.parquet'));
    // The end, with the schema, is there; a part of the data is not.
    writeFileSync(path('in.parquet'), Buffer.concat([whole.subarray(0, 4), whole.subarray(5e6)]));
    expect(await keysweep(args)).toMatchObject({ code: 1, stderr: expect.stringMatching(line) });
  });

  it('finds the stable order of three million flights by two columns', async () => {
    const file = dataset('flights-3m.parquet');
    const rows = 3_000_000;
    const columns = { distance: new Int32Array(rows), delay: new Int32Array(rows) };
    await parquetRead({
      file: await asyncBufferFromFile(file),
      columns: Object.keys(columns),
      compressors,
      onChunk: ({ columnName, columnData, rowStart }) => {
        const column = columns[columnName as keyof typeof columns];
        for (let i = 0; i < columnData.length; i++) column[rowStart + i] = Number(columnData[i]);
      },
    });
    const { distance, delay } = columns;
    const args = ['sort', '--argsort', '-c', 'distance', '-c', 'delay', file];
    const { code, stdout, stderr } = await keysweep(args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const order = new Uint32Array(new Uint8Array(stdout).buffer);
    expect(order.length).toBe(rows);
    // Strictly ascending by distance, delay and row: sorted, stable, and no row twice.
    const at = (array: Int32Array | Uint32Array, i: number): number => array[i] as number;
    const descents = order.findIndex((row, i) => {
      if (i === 0) return false;
      const before = at(order, i - 1);
      const difference =
        at(distance, before) - at(distance, row) ||
        at(delay, before) - at(delay, row) ||
        before - row;
      return difference >= 0;
    });
    expect(descents).toBe(-1);
  }, 120_000);
});
