/**
 * What comes from a store and is checked without one: data of jobs, results, and notes. Each has a
 * value that is taken as it is, and changes of it at the edge of the allowed range.
 */

import { describe, expect, it } from 'vitest';
import { runWorker, type WorkerOptions } from '../dist/index.js';
import {
  checkChild,
  checkParent,
  checkParentId,
  checkRetries,
  checkStage,
} from '../dist/jobs/check-job.js';
import {
  checkPairs,
  checkResult,
  checkShuffle,
  checkSorted,
  checkTogether,
} from '../dist/jobs/check-result.js';
import { BACKOFF, MAX_ATTEMPTS, MAX_FILES, type SortSpec } from '../dist/jobs/jobs.js';
import { inTime } from '../dist/store/in-time.js';

const FOLDER = '/shared/.keysweep-cluster-00000000-0000-4000-8000-000000000000.tmp';
const ID = '00000000-0000-4000-8000-000000000001';

/** 16 bytes in three parts and two pieces, of 10 and of 6 bytes. */
const SPEC: SortSpec = {
  input: ['/shared/in'],
  versions: ['1-16-0'],
  size: 16,
  output: '/shared/out',
  layout: {
    width: 2,
    keys: [{ at: 0, bytes: 2, type: 'u16', order: 'ascending' }],
    numbers: 'u16',
  },
  memory: 2 ** 28,
  parts: 3,
  pieces: 2,
  pieceRecords: 5,
  attempts: 3,
  folder: FOLDER,
};

type Changed = Record<string, unknown>;

describe('a result of a job', () => {
  const result = {
    path: `${FOLDER}/partition-0.01234567`,
    sizes: [4, 6, 0],
    worker: 'one-2.b',
    retries: 0,
    started: 5,
    ended: 9,
    read: 10,
    written: 10,
  };
  const check = (
    change: Changed,
    stage: 'sample' | 'partition' | 'sort' = 'partition',
    index = 0,
  ) => checkResult(stage, index, { ...result, ...change }, SPEC);

  it('takes every answer that a worker may give', () => {
    expect(check({})).toEqual(result);
    const last = { path: `${FOLDER}/partition-1.01234567`, sizes: [0, 0, 6] };
    expect(check(last, 'partition', 1)).toEqual({ ...result, ...last });
    const sorted = { path: `${FOLDER}/sort-2.01234567`, sizes: [16] };
    expect(check(sorted, 'sort', 2)).toEqual({ ...result, ...sorted });
    const sample = { path: `${FOLDER}/sample-0.01234567`, sizes: [] };
    expect(check(sample, 'sample', 0)).toEqual({ ...result, ...sample });
    expect(check({ worker: 'w'.repeat(256) }).worker).toHaveLength(256);
  });

  it.each<[Changed, RegExp]>([
    [{ sizes: [4, 6] }, /result\.sizes must be 3 multiples of 2/],
    [{ sizes: [5, 5, 0] }, /result\.sizes must be 3 multiples of 2/],
    [{ sizes: [4, 4, 0] }, /must be 10 together, got 8/],
    [{ sizes: [4, 6, 2] }, /must be 10 together, got 12/],
    [{ sizes: [-2, 12, 0] }, /result\.sizes\[0\]/],
    [{ sizes: [18, 0, 0] }, /result\.sizes\[0\]/],
    [{ retries: -1 }, /result\.retries/],
    [{ started: '5' }, /result\.started/],
    [{ ended: 2 ** 53 }, /result\.ended/],
    [{ read: 0.5 }, /result\.read/],
    [{ written: undefined }, /result\.written/],
    [{ worker: '' }, /result\.worker/],
    [{ worker: 'w'.repeat(257) }, /result\.worker/],
    [{ worker: 'one\n' }, /result\.worker/],
    [{ worker: 1 }, /result\.worker/],
    [{ path: `${FOLDER}/partition-1.01234567` }, /result\.path/],
  ])('is refused with %j', (change, why) => {
    expect(() => check(change)).toThrow(/^the result of a job of partition is refused: /);
    expect(() => check(change)).toThrow(why);
  });

  it('is there of every job, and all sorted parts are the input', () => {
    const part = (size: number) => ({ ...result, sizes: [size] });
    const all = [part(10), part(0), part(6)];
    expect(checkTogether('sort', all, SPEC)).toEqual(all);
    expect(() => checkTogether('sort', [part(10), part(4)], SPEC)).toThrow(/16 together, got 14/);
    expect(() => checkTogether('sort', [part(16), undefined], SPEC)).toThrow(/one is missing/);
    expect(() => checkTogether('partition', [undefined], SPEC)).toThrow(/one is missing/);
    expect(checkTogether('partition', [part(4)], SPEC)).toEqual([part(4)]);
  });
});

describe('a note', () => {
  it('of splitters is taken in order, and with ties', () => {
    const taken = checkPairs(
      {
        words: [
          [7, 7],
          [1, 1],
        ],
        places: [3, 3],
      },
      SPEC,
      2,
    );
    expect(taken).toEqual({
      words: [Uint32Array.of(7, 7), Uint32Array.of(1, 1)],
      places: Float64Array.of(3, 3),
    });
    // The first column that differs decides.
    expect(checkPairs({ words: [[1, 2]], places: [8, 0] }, SPEC, 1).places[0]).toBe(8);
    expect(
      checkPairs({ words: [[2 ** 32 - 1, 2 ** 32 - 1]], places: [0, 8] }, SPEC, 1),
    ).toBeTruthy();
  });

  it.each<[object, RegExp]>([
    [{ words: [[2, 1]], places: [0, 8] }, /splitter 1 must not be below/],
    [{ words: [[1, 1]], places: [3, 2] }, /splitter 1 must not be below/],
    [{ words: [[1, 2]], places: [0] }, /places must have 2 numbers/],
    [{ words: [[1]], places: [0, 1] }, /words\[0\] must have 2 numbers/],
    [
      {
        words: [
          [1, 2],
          [1, 2],
        ],
        places: [0, 1],
      },
      /words must be 1 lists/,
    ],
    [{ words: [[1, 2]], places: [0, 9] }, /places\[1\]/],
    [{ words: [[1, 2 ** 32]], places: [0, 1] }, /words\[0\]\[1\]/],
    [{ words: [[1, 2]], places: [0, 1], more: 1 }, /no 'more'/],
  ])('of splitters is refused with %j', (value, why) => {
    expect(() => checkPairs(value, SPEC, 1)).toThrow(/^the list of splitters is refused: /);
    expect(() => checkPairs(value, SPEC, 1)).toThrow(why);
  });

  it('of where the parts are names each piece, with its own bytes', () => {
    const piece = (i: number, sizes: number[]) => ({
      path: `${FOLDER}/partition-${i}.01234567`,
      sizes,
    });
    const all = [piece(0, [10, 0, 0]), piece(1, [2, 2, 2])];
    expect(checkShuffle(all, SPEC)).toEqual(all);
    expect(() => checkShuffle(all.slice(0, 1), SPEC)).toThrow(/it must name 2 objects/);
    expect(() => checkShuffle([...all].reverse(), SPEC)).toThrow(/\[0\]\.path must be partition-0/);
    expect(() => checkShuffle([all[0], piece(1, [4, 4, 2])], SPEC)).toThrow(/6 together, got 10/);
  });
});

describe('the result of a whole sort', () => {
  const result = {
    bytes: 16,
    parts: 3,
    pieces: 2,
    imbalance: 1.25,
    bytesRead: 32,
    bytesWritten: 48,
    retries: 1,
    workers: { one: 3, two: 0 },
    milliseconds: { sample: 0.5, partition: 1, sort: 2, write: 0 },
  };
  it('passes on the answer of the store', () => expect(checkSorted(result, SPEC)).toEqual(result));

  it.each<[Changed, RegExp]>([
    [{ bytes: 15 }, /it must be 16 bytes in 3 parts/],
    [{ parts: 2 }, /it must be 16 bytes in 3 parts/],
    [{ pieces: -1 }, /result\.pieces/],
    [{ imbalance: Number.POSITIVE_INFINITY }, /result\.imbalance/],
    [{ imbalance: '1' }, /result\.imbalance/],
    [{ bytesRead: null }, /result\.bytesRead/],
    [{ bytesWritten: 1.5 }, /result\.bytesWritten/],
    [{ retries: -1 }, /result\.retries/],
    [{ workers: [] }, /result\.workers must be an object/],
    [{ workers: null }, /result\.workers must be an object/],
    [{ workers: 'one' }, /result\.workers must be an object/],
    [{ workers: { one: -1 } }, /result\.workers/],
    [{ workers: { 'o e': 1 } }, /result\.workers/],
    ...['sample', 'partition', 'sort', 'write'].map((stage): [Changed, RegExp] => [
      { milliseconds: { ...result.milliseconds, [stage]: Number.NaN } },
      new RegExp(`result\\.milliseconds\\.${stage}`),
    ]),
  ])('is refused with %j', (change, why) => {
    expect(() => checkSorted({ ...result, ...change }, SPEC)).toThrow(
      /^the result of the sort is refused: /,
    );
    expect(() => checkSorted({ ...result, ...change }, SPEC)).toThrow(why);
  });
});

describe('the data of a job', () => {
  it('names its stage, and has what the stage before gave', () => {
    const from = `${FOLDER}/sample-0.01234567`;
    expect(checkChild('partition', { parent: ID, index: 1, from }, SPEC)).toEqual({
      ...{ parent: ID, index: 1, from },
    });
    expect(() => checkChild('partition', { parent: ID, index: 2, from }, SPEC)).toThrow(/index/);
    expect(() => checkChild('sample', { parent: ID, index: 0, from }, SPEC)).toThrow(/left out/);
    const one = { ...SPEC, parts: 1 };
    expect(checkChild('sort', { parent: ID, index: 0 }, one).from).toBeUndefined();
    expect(() => checkChild('sample', { parent: ID, index: 0 }, one)).toThrow(/no jobs of that/);
    expect(checkStage('sort')).toBe('sort');
    expect(() => checkStage('')).toThrow(/one of sample, partition, sort/);
    expect(() => checkParentId({ parent: ID.slice(1) })).toThrow(/data\.parent/);
    expect(() => checkParentId({ parent: `${ID}0` })).toThrow(/data\.parent/);
  });

  it('may be cancelled, by a boolean', () => {
    // What the submitter and the worker find out alike.
    const spec = { ...SPEC, pieceRecords: 3, pieces: 3 };
    expect(checkParent({ spec })).toEqual({ spec });
    expect(checkParent({ spec, cancelled: true })).toEqual({ spec, cancelled: true });
    expect(() => checkParent({ spec, cancelled: 'no' })).toThrow(/cancelled must be true or false/);
    expect(() => checkParent({ spec: { ...spec, size: 15 } })).toThrow(/a multiple of 2, got 15/);
    const input = Array.from({ length: MAX_FILES + 1 }, () => '/shared/in');
    expect(() => checkParent({ spec: { ...spec, input } })).toThrow(/at most 10000 files/);
    expect(() => checkParent({ spec: { ...spec, output: `/${'a'.repeat(4096)}` } })).toThrow(
      /at most 4096 characters, got 4097/,
    );
    const longest = { ...spec, output: `/${'a'.repeat(4095)}` };
    expect(checkParent({ spec: longest })).toEqual({ spec: longest });
    const most = { ...spec, input: input.slice(1), versions: input.slice(1).map(() => '1') };
    expect(checkParent({ spec: most })).toEqual({ spec: most });
    expect(() => checkParent({ spec: { ...spec, versions: [1] } })).toThrow(/must be text, got 1/);
  });

  it('is tried again as often, and after as long, as a submitter asks', () => {
    const backoff = { ...BACKOFF };
    for (const options of [{}, { attempts: MAX_ATTEMPTS, backoff }, { backoff, lifo: false }]) {
      expect(checkRetries(options)).toBeUndefined();
    }
    for (const [options, why] of [
      [{ attempts: MAX_ATTEMPTS + 1 }, /its attempts/],
      [{ lifo: true }, /in front of others/],
      [{ backoff: { ...backoff, type: 'fixed' } }, /its backoff must be exponential/],
      [{ backoff: { ...backoff, delay: BACKOFF.delay + 1 } }, /its delay/],
    ] as const) {
      expect(() => checkRetries(options)).toThrow(/^a job is refused: /);
      expect(() => checkRetries(options)).toThrow(why);
    }
  });
});

it.each<[string, unknown, object, RegExp]>([
  ['a number for an address', 5, {}, /^connection must be an address .*, got 5/],
  ['no address', 'localhost', {}, /^connection must be an address .*, got text without/],
  ['no AbortSignal', 'redis://127.0.0.1:1', { signal: {} }, /^signal must be an AbortSignal/],
  ['no function', 'redis://127.0.0.1:1', { onError: 'tell' }, /^onError must be a function/],
  ['no worker at all', 'redis://127.0.0.1:1', { concurrency: 0 }, /^concurrency must be/],
])('runWorker refuses %s', async (_, connection, options, why) => {
  const given = { roots: ['/tmp'], ...options } as WorkerOptions;
  await expect(runWorker(connection as string, given)).rejects.toThrow(why);
});

it('an answer that came in time leaves no timer, and a late one is not waited for', async () => {
  const timers = (): number =>
    process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
  const before = timers();
  expect(await inTime(Promise.resolve('soon'), 60_000)).toBe('soon');
  await expect(inTime(Promise.reject(new Error('no')), 60_000)).rejects.toThrow('no');
  expect(await inTime(new Promise(() => {}), 1)).toBe(undefined);
  // What ends a timer is told in a turn of its own.
  await new Promise(setImmediate);
  // One of the test runner's own may have ended meanwhile.
  expect(timers()).toBeLessThanOrEqual(before);
});
