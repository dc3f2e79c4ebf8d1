/** What is said in numbers: units, tables of text, reports, and the memory that work takes. */

import { MemoryError } from '@keysweep/files';
import type { SortReport } from 'keysweep';
import { describe, expect, it } from 'vitest';
import { Failure } from '../dist/failure.js';
import {
  assertFits,
  memoryOfNumbers,
  memoryOfTable,
  memoryOfText,
  tooMuch,
  withinMemory,
} from '../dist/job/memory.js';
import {
  formatBytes,
  formatCount,
  formatMilliseconds,
  formatTime,
  layOut,
} from '../dist/text/format.js';
import {
  formatClusterReport,
  formatFileReport,
  formatReport,
  jsonOf,
} from '../dist/text/report.js';

describe('a number as text', () => {
  it.each([
    [0, '0'],
    [999, '999'],
    [1000, '1,000'],
    [999_999, '999,999'],
    [1_234_567, '1,234,567'],
    [4_294_967_295, '4,294,967,295'],
  ])('the count %i is %s', (count, text) => expect(formatCount(count)).toBe(text));

  it.each([
    [0, '0 B'],
    [999, '999 B'],
    [1000, '1.0 kB'],
    [1049, '1.0 kB'],
    [1051, '1.1 kB'],
    [99_949, '99.9 kB'],
    [99_950, '100 kB'],
    [999_499, '999 kB'],
    [999_500, '1.0 MB'],
    [45_200_000, '45.2 MB'],
    [2e9, '2.0 GB'],
    [3e12, '3.0 TB'],
    [5e15, '5000 TB'],
  ])('%i bytes are %s', (bytes, text) => expect(formatBytes(bytes)).toBe(text));

  it.each([
    [0.1234, '0.12 ms'],
    [9.994, '9.99 ms'],
    [10, '10.0 ms'],
    [99.94, '99.9 ms'],
    [100, '100 ms'],
    [9999, '9999 ms'],
    [10_000, '10.0 s'],
    [12_345, '12.3 s'],
  ])('%f milliseconds are %s', (time, text) => expect(formatMilliseconds(time)).toBe(text));

  it.each([
    [0.00312, '3.1 µs'],
    [0.0996, '100 µs'],
    [0.5, '500 µs'],
    [0.999, '999 µs'],
    [0.9995, '1 ms'],
    [96, '96 ms'],
    [123.4, '123 ms'],
    [999.4, '999 ms'],
    [999.5, '1 s'],
    [1234, '1.2 s'],
    [123_456, '123 s'],
  ])('an estimate of %f milliseconds is %s', (time, text) => expect(formatTime(time)).toBe(text));
});

it('a table of text has columns of one width, two blanks apart, and none at an end', () => {
  const cells = [
    ['a', '1', 'x'],
    ['bcd', '10'],
    ['', '100', ''],
  ];
  expect(layOut(cells)).toEqual(['a    1    x', 'bcd  10', '     100']);
  expect(layOut(cells, 'right')).toEqual(['a      1  x', 'bcd   10', '     100']);
  expect(layOut([])).toEqual([]);
});

describe('a report', () => {
  const sort: SortReport = {
    ...({ operation: 'sort', backend: 'cpu', keyType: 'u32' } as const),
    ...{ reason: 'quick', keyTypes: ['u32'], length: 1234 },
    milliseconds: { sort: 5, queue: 0.5, total: 7.25 },
    ...{ passes: { run: 3, skipped: 1 }, threads: 2, fallbacks: [] },
  };
  const phases = { reading: 1, ordering: 20, writing: 300 };

  it('says what was sorted, and what all of the command took', () => {
    expect(formatReport(sort, phases)).toBe(
      [
        "sorted 1,234 u32 keys in 7.25 ms with 'cpu'",
        '  in all   reading 1.00 ms, ordering 20.0 ms, writing 300 ms',
        '  why      quick',
        '  time     queue 0.50 ms, sort 5.00 ms',
        '  passes   3 run, 1 skipped',
        '  threads  2',
        '',
      ].join('\n'),
    );
  });

  it('says which GPU has sorted, and which backends have failed', () => {
    const fallbacks = [{ backend: 'webgpu', error: new Error('lost') }] as const;
    const given = {
      ...{ ...sort, operation: 'argsort', threads: 0, fallbacks },
      ...{ gpuMilliseconds: { sort: 2 }, keyTypes: ['u32', 'f64'] },
      milliseconds: { start: 1, pack: 2, upload: 3, sort: 4, readback: 5, total: 15 },
    } as const;
    expect(formatReport(given as never, phases).split('\n')).toEqual([
      "found the order of 1,234 u32 + f64 keys in 15.0 ms with 'cpu'",
      '  in all      reading 1.00 ms, ordering 20.0 ms, writing 300 ms',
      '  why         quick',
      '  time        start 1.00 ms, pack 2.00 ms, upload 3.00 ms, sort 4.00 ms, readback 5.00 ms',
      '  on the GPU  sort 2.00 ms',
      '  passes      3 run, 1 skipped',
      '  threads     none: a GPU did the work',
      '  failed      webgpu: lost',
      '',
    ]);
    const pairs: SortReport = { ...sort, operation: 'sortPairs' };
    expect(formatReport(pairs, phases)).toMatch(/^sorted pairs of 1,234 u32 keys in /);
  });

  const files = {
    ...{ bytes: 2e9, memory: 1e6, bytesRead: 4e9, bytesWritten: 3e9, outputBytes: 1e9 },
    milliseconds: { total: 20_000, spool: 0, sample: 100, partition: 2000, sort: 3000 },
    ...{ parts: 1500, partsResumed: 0, imbalance: 1.234, passes: 1, threads: 1, processes: [] },
  };

  it('of files says what was read and written', () => {
    expect(formatFileReport(files as never).split('\n')).toEqual([
      'sorted 2.0 GB in 20.0 s with 1.0 MB of memory',
      '  time    sample 100 ms, partition 2000 ms, sort 3000 ms',
      '  files   4.0 GB read, 3.0 GB written, in 1 pass',
      '  parts   1,500, the largest 1.23 times the mean',
      '  output  1.0 GB',
      '',
    ]);
    const milliseconds = { ...files.milliseconds, spool: 1 };
    const processes = [
      { pid: 7, gpu: 0, threads: 1, parts: 3, endedBy: undefined },
      { pid: 12, gpu: undefined, threads: 4, parts: 1000, endedBy: 'SIGKILL' },
    ];
    const more = { ...files, milliseconds, partsResumed: 2000, passes: 2, threads: 3, processes };
    expect(
      formatFileReport(more as never)
        .split('\n')
        .slice(1, -1),
    ).toEqual([
      '  time        spool 1.00 ms, sample 100 ms, partition 2000 ms, sort 3000 ms',
      '  files       4.0 GB read, 3.0 GB written, in 2 passes, divided by 3 threads',
      '  parts       1,500, 2,000 of them before, the largest 1.23 times the mean',
      '  output      1.0 GB',
      '  process 7   3 parts on GPU 0',
      '  process 12  1,000 parts by 4 threads; ended by SIGKILL',
    ]);
  });

  it('of a cluster says who has done how many jobs', () => {
    const report = {
      ...{ bytes: 2e9, bytesRead: 4e9, bytesWritten: 3e9, parts: 1500, pieces: 6000 },
      milliseconds: { total: 20_000, sample: 0, partition: 2000, sort: 3000, write: 1 },
      ...{ imbalance: 1.5, retries: 1000, workers: { a: 3, b: 2000 } },
    };
    expect(formatClusterReport(report as never).split('\n')).toEqual([
      'sorted 2.0 GB in 20.0 s',
      '  time   partition 2000 ms, sort 3000 ms, write 1.00 ms',
      '  files  4.0 GB read, 3.0 GB written',
      '  parts  1,500, the largest 1.50 times the mean, of 6,000 pieces',
      '  jobs   3 by a, 2,000 by b; 1,000 started again',
      '',
    ]);
  });

  it('is a line of JSON, with six digits and the messages of errors', () => {
    const report = {
      a: 1.23456789,
      b: 12_345_678,
      c: [new Error('no')],
      d: 'x\ny',
      e: -0.000123456789,
    };
    const line = '{"a":1.23457,"b":12345678,"c":["no"],"d":"x\\ny","e":-0.000123457}\n';
    expect(jsonOf(report)).toBe(line);
  });
});

describe('the memory that a table takes', () => {
  const MiB = 2 ** 20;

  it('is what its columns take, and reading or sorting, whichever takes more', () => {
    const work = { rows: 1000, keys: 2, goal: 'order' } as const;
    const sorting = 1000 * (36 + 2 * 8);
    expect(memoryOfTable(5000, 0, work)).toBe(5000 + sorting);
    expect(memoryOfTable(5000, sorting + 1, work)).toBe(5000 + sorting + 1);
    expect(memoryOfTable(5000.5, 0, work)).toBe(5001 + sorting);
    expect(memoryOfTable(5000, 0, { ...work, goal: 'check' })).toBe(5000 + 16_000);
    expect(memoryOfTable(5000, 0, { ...work, goal: 'values' })).toBe(5000 + sorting);
  });

  it('includes groups of rows, if whole rows are written', () => {
    const work = { rows: 1000, keys: 1, goal: 'rows' } as const;
    const few = memoryOfTable(1e6, 0, work);
    // All rows are in one group, of which there are three copies.
    expect(few).toBe(1e6 + 12_000 + 3e6);
    expect(memoryOfTable(1000, 0, work)).toBe(1000 + 44_000);
    expect(memoryOfTable(77, 0, { ...work, rows: 0 })).toBe(77);
    // A group has 2^17 rows, and 64 MiB of text besides.
    const rows = 2 ** 20;
    const large = memoryOfTable(1024 * MiB, 0, { ...work, rows });
    expect(large).toBe(1024 * MiB + rows * 12 + 3 * (64 * MiB + 128 * MiB));
    const threads = memoryOfTable(1024 * MiB, 0, { ...work, rows, threads: 4 });
    expect(threads).toBe(1024 * MiB + rows * 12 + 2048 * MiB + 14 * 192 * MiB);
  });

  it('of text or numbers goes by their bytes', () => {
    const work = { rows: 100, keys: 2, goal: 'order' } as const;
    expect(memoryOfText(5000, work)).toBe(10_000 + 1000 + 1800 + 100 * 52);
    expect(memoryOfNumbers(8000, 1000, 'order')).toBe(8000 + 44_000);
    expect(memoryOfNumbers(8000, 1000, 'values')).toBe(32_000);
  });

  it('is named where it is more than is allowed', async () => {
    const cause = new Error('cause');
    const failure = tooMuch("'t'", 3 * MiB + 1, 2e6, cause);
    expect(failure).toBeInstanceOf(Failure);
    expect(failure.message).toBe(
      "'t' takes 3.1 MB of memory, and may take 2.0 MB: --memory 4M allows it",
    );
    expect(failure.cause).toBe(cause);
    expect(() => assertFits("'t'", 10, 9)).toThrow("'t' takes 10 B of memory");
    assertFits("'t'", 10, 10);
    assertFits("'t'", 1e15, undefined);
    const tooLarge = new MemoryError("'t'", 5e6, 1e6);
    const fail = (error: unknown) => () => Promise.reject(error);
    await expect(withinMemory("'t'", fail(tooLarge))).rejects.toThrow(
      "'t' takes over 5.0 MB of memory, and may take 1.0 MB: --memory allows more",
    );
    await expect(withinMemory("'t'", fail(tooLarge), (reading) => 2 * reading)).rejects.toThrow(
      "'t' takes 10.0 MB of memory, and may take 1.0 MB: --memory 10M allows it",
    );
    await expect(withinMemory("'t'", fail(cause))).rejects.toBe(cause);
    expect(await withinMemory("'t'", async () => 5)).toBe(5);
  });
});
