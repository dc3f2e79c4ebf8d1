import { readFileSync, writeFileSync } from 'node:fs';
import { COMMON_KEY_TYPES, isThorough, sample } from '@keysweep/conformance/data';
import { oraclePermutation } from '@keysweep/core/oracle';
import { keyArrayClass } from '@keysweep/files';
import { asyncBufferFromFile, parquetRead } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { describe, expect, it } from 'vitest';
import { drawTests } from '../../../tools/test/draw-tests.js';
import { inProcess, keysweep, scratch, sortedBy } from './command.js';
import { dataset } from './dataset.js';
import { bufferOf, randomKeys, SEED } from './keys.js';

drawTests(1 / 2);

const path = scratch();

/** The Parquet type of each key type. */
const ELEMENTS = {
  u8: { type: 'INT32', converted_type: 'UINT_8' },
  i8: { type: 'INT32', converted_type: 'INT_8' },
  u16: { type: 'INT32', converted_type: 'UINT_16' },
  i16: { type: 'INT32', converted_type: 'INT_16' },
  u32: { type: 'INT32', converted_type: 'UINT_32' },
  i32: { type: 'INT32' },
  f32: { type: 'FLOAT' },
  u64: { type: 'INT64', converted_type: 'UINT_64' },
  i64: { type: 'INT64' },
  f64: { type: 'DOUBLE' },
} as const;

/** Writes the file in.parquet. */
function writeColumns(
  columns: Record<string, [data: ArrayLike<unknown>, element: object]>,
): string {
  const entries = Object.entries(columns);
  const bytes = parquetWriteBuffer({
    columnData: entries.map(([name, [data]]) => ({ name, data: data as never })),
    schema: [
      { name: 'root', num_children: entries.length },
      ...entries.map(([name, [, element]]) => ({ name, ...element })),
    ] as never,
    rowGroupSize: 1000,
  });
  writeFileSync(path('in.parquet'), Buffer.from(bytes));
  return path('in.parquet');
}

describe(`a Parquet file (seed ${SEED})`, () => {
  it.each(COMMON_KEY_TYPES)('is sorted by a column of %s', async (keyType) => {
    const keys = randomKeys(keyType, 2500, SEED);
    const file = writeColumns({ key: [[...keys], ELEMENTS[keyType]] });
    const sorted = bufferOf(keys.slice().sort());
    const args = ['--values-only', '--column', 'key', '-t', keyType, file];
    expect((await sortedBy(args, path('out'))).equals(sorted)).toBe(true);
    const other = keyType === 'u8' ? 'i8' : 'u8';
    expect(
      await inProcess(['sort', '--values-only', '-c', 'key', '-t', other, file, '-o', path('out')]),
    ).toEqual({
      code: 1,
      stderr: `keysweep: --type says ${other}, but column 'key' of '${file}' is ${keyType}\n`,
    });
  });

  it.each(sample(COMMON_KEY_TYPES, 1, SEED))(
    'is sorted by columns of %s and i8, as a program',
    async (keyType) => {
      const keys = [randomKeys('i8', 2500, SEED), randomKeys(keyType, 2500, SEED + 1)] as const;
      const file = writeColumns({
        minor: [[...keys[1]], ELEMENTS[keyType]],
        major: [keys[0], ELEMENTS.i8],
      });
      const { code, stdout, stderr } = await keysweep([
        'sort',
        '--argsort',
        '-c',
        'major',
        '-c',
        'minor',
        file,
      ]);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout.equals(bufferOf(oraclePermutation([...keys])))).toBe(true);
    },
  );

  it.each([
    ['nulls', 'gaps', "column 'gaps' of FILE has nulls (the first in row 3), "],
    ['a column of text', 'text', "column 'text' of FILE is not numeric but BYTE_ARRAY"],
    [
      'a column that does not exist',
      'absent',
      "FILE has no column 'absent'; its columns are: gaps, ",
    ],
  ])('is a failure with %s', async (_, column, message) => {
    const file = writeColumns({
      gaps: [[1, 2, 3, null], { type: 'INT32', repetition_type: 'OPTIONAL' }],
      text: [['a', 'b', 'c', 'd'], { type: 'BYTE_ARRAY', converted_type: 'UTF8' }],
    });
    const { code, stderr } = await inProcess([
      'sort',
      '--values-only',
      '-c',
      column,
      file,
      '-o',
      path('out'),
    ]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^[^\n]+\n$/);
    expect(stderr).toContain(`keysweep: ${message.replace('FILE', `'${file}'`)}`);
  });

  it('is a failure when it is something else, or torn', async () => {
    writeFileSync(path('in.parquet'), 'no table at all');
    const args = ['sort', '--values-only', '-c', 'delay', path('in.parquet'), '-o', path('out')];
    const line = /^keysweep: cannot read '.*in\.parquet' as Parquet: .+\n$/;
    expect(await inProcess(args)).toEqual({ code: 1, stderr: expect.stringMatching(line) });
    const whole = readFileSync(dataset('flights-3m.parquet'));
    // The end, with the schema, is there; a part of the data is not.
    writeFileSync(path('in.parquet'), Buffer.concat([whole.subarray(0, 4), whole.subarray(5e6)]));
    expect(await inProcess(args)).toEqual({ code: 1, stderr: expect.stringMatching(line) });
  });

  it('of three million flights, which another program wrote, is sorted', async () => {
    const file = dataset('flights-3m.parquet');
    const keys = new BigInt64Array(3_000_000);
    await parquetRead({
      file: await asyncBufferFromFile(file),
      columns: ['delay'],
      compressors,
      onChunk: ({ columnData, rowStart }) => keys.set(columnData as BigInt64Array, rowStart),
    });
    const sorted = await sortedBy(['--values-only', '-c', 'delay', file], path('out'));
    expect(sorted.equals(bufferOf(keys.sort()))).toBe(true);
  });

  const thorough = isThorough ? it : () => {};
  thorough(
    'of three million flights has a stable order by two columns',
    async () => {
      const file = dataset('flights-3m.parquet');
      const rows = 3_000_000;
      const Int32 = keyArrayClass('i32');
      const columns = { distance: new Int32(rows), delay: new Int32(rows) };
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
      const at = (array: ArrayLike<unknown>, i: number): number => array[i] as number;
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
    },
    240_000,
  );
});
