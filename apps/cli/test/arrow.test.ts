import { readFileSync, writeFileSync } from 'node:fs';
import { COMMON_KEY_TYPES, sample } from '@keysweep/conformance/data';
import type { TypedArray } from '@keysweep/core';
import { oraclePermutation } from '@keysweep/core/oracle';
import { Int32, makeVector, Table, tableFromIPC, tableToIPC, vectorFromArray } from 'apache-arrow';
import { describe, expect, it } from 'vitest';
import { inProcess, keysweep, scratch, sortedBy } from './command.js';
import { dataset } from './dataset.js';
import { bufferOf, randomKeys, SEED } from './keys.js';

const path = scratch();

describe(`an Arrow file (seed ${SEED})`, () => {
  const columns = Object.fromEntries(
    COMMON_KEY_TYPES.map((keyType, i) => [keyType, randomKeys(keyType, 2500, SEED + i)]),
  ) as Record<(typeof COMMON_KEY_TYPES)[number], TypedArray>;
  const table = new Table(
    Object.fromEntries(
      COMMON_KEY_TYPES.map((keyType) => [keyType, makeVector(columns[keyType] as Int32Array)]),
    ),
  );

  it.each(sample(['file', 'stream'] as const, 1, SEED))(
    'is sorted by any of its columns (%s format)',
    async (format) => {
      writeFileSync(path('in.arrow'), tableToIPC(table, format));
      for (const keyType of COMMON_KEY_TYPES) {
        const sorted = await sortedBy(
          ['--values-only', '-c', keyType, path('in.arrow')],
          path('out'),
        );
        expect(sorted.equals(bufferOf(columns[keyType].slice().sort())), keyType).toBe(true);
      }
      const args = ['--argsort', '-d', '-c', 'i8', '-c', 'u16', path('in.arrow')];
      const order = oraclePermutation([columns.i8, columns.u16], { order: 'descending' });
      expect((await sortedBy(args, path('out'))).equals(bufferOf(order))).toBe(true);
    },
  );

  it.each(sample(COMMON_KEY_TYPES, 1, SEED))(
    'is sorted by a column of %s, as a program',
    async (keyType) => {
      writeFileSync(path('in.arrow'), tableToIPC(table, 'file'));
      const { stdout, stderr } = await keysweep([
        'sort',
        '--values-only',
        '-c',
        keyType,
        path('in.arrow'),
      ]);
      expect(stderr).toBe('');
      expect(stdout.equals(bufferOf(columns[keyType].slice().sort()))).toBe(true);
    },
  );

  it('of real flights is sorted', async () => {
    const file = dataset('flights-200k.arrow');
    const keys = tableFromIPC(readFileSync(file)).getChild('time')?.toArray() as Float32Array;
    const sorted = await sortedBy(['--values-only', '-t', 'f32', '-c', 'time', file], path('out'));
    expect(keys.length).toBeGreaterThan(100_000);
    expect(sorted.equals(bufferOf(keys.slice().sort()))).toBe(true);
  });

  it.each([
    ['nulls', ['-c', 'gaps'], "column 'gaps' of FILE has nulls (the first in row 2), "],
    ['a column of text', ['-c', 'text'], "column 'text' of FILE is not numeric but Dictionary"],
    [
      'a column that does not exist',
      ['-c', 'absent'],
      "FILE has no column 'absent'; its columns are: gaps, text\n",
    ],
    [
      'a type that contradicts its schema',
      ['-t', 'i64', '-c', 'gaps'],
      "--type says i64, but column 'gaps' of FILE is i32\n",
    ],
  ])('is a failure with %s', async (_, flags, message) => {
    const written = new Table({
      gaps: vectorFromArray([1, 2, null, 4], new Int32()),
      text: vectorFromArray(['a', 'b', 'c', 'd']),
    });
    writeFileSync(path('in.arrow'), tableToIPC(written, 'stream'));
    const { code, stderr } = await inProcess([
      'sort',
      '--values-only',
      ...flags,
      path('in.arrow'),
      '-o',
      path('out'),
    ]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^[^\n]+\n$/);
    expect(stderr).toContain(`keysweep: ${message.replace('FILE', `'${path('in.arrow')}'`)}`);
  });

  it('is a failure when it is something else, or torn', async () => {
    writeFileSync(path('in.arrow'), 'no table at all, but text');
    const args = ['sort', '--values-only', '-c', 'time', path('in.arrow'), '-o', path('out')];
    const line = expect.stringMatching(/^keysweep: .*in\.arrow.+\n$/);
    expect(await inProcess(args)).toEqual({ code: 1, stderr: line });
    const whole = readFileSync(dataset('flights-200k.arrow'));
    writeFileSync(path('in.arrow'), whole.subarray(0, 1e6));
    expect(await inProcess(args)).toEqual({ code: 1, stderr: line });
  });
});
