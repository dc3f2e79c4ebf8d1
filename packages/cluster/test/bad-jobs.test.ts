/**
 * Jobs that would keep a worker busy for ever, or take all of its memory: each ends at its first
 * try, and the sort that comes after it is done.
 */

import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { constants, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createPostgresBackend, type JobsOptions, Queue } from 'bullmq';
import { builtin, createSorter } from 'keysweep';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { drawTests } from '../../../tools/test/draw-tests.js';
import { scratch } from '../../external/test/scratch.js';
import { runWorker, submitSort } from '../dist/index.js';
import { checkParent } from '../dist/jobs/check-job.js';
import { folderIn, specOf } from './attacks.js';
import { postgresStore, type TestStore } from './stores.js';

drawTests(1 / 2);

const { path, write } = scratch();
const QUEUE = 'badly-served';
const PARENT = 'whole sort';
const INPUT = Uint8Array.from({ length: 16 }, (_, i) => (i * 7) % 16);
const LONG = 'a.'.repeat(100_000);

/** A sort that a submitter may have asked for, of a file that is there. */
const specOfFile = (): Record<string, unknown> => ({
  ...specOf({ root: path(''), folder: folderIn(path('')) }),
  attempts: 1,
});

describe('a worker', () => {
  let [store, queue] = [] as unknown as [TestStore, Queue];
  let ending = new AbortController();
  let running: Promise<void> = Promise.resolve();

  beforeAll(async () => {
    store = await postgresStore();
    const connection = { connectionString: store.connection, max: 2, migrate: true };
    const options = { connection } as never;
    queue = new Queue(QUEUE, options, createPostgresBackend as never) as unknown as Queue;
    await queue.waitUntilReady();
    return async () => {
      await queue.close();
      await store.stop();
    };
  });

  beforeEach(async () => {
    write('in', INPUT);
    ending = new AbortController();
    const sorter = await createSorter({ backends: [builtin()] });
    const { signal } = ending;
    const options = { queue: QUEUE, roots: [path('')], sorter, signal };
    running = runWorker(store.connection, options).finally(() => sorter.close());
  });

  afterEach(async () => {
    ending.abort();
    await running;
    await queue.drain();
  });

  /** Adds a job as somebody may who can write to the store. Resolves to its id. */
  async function add(name: string, data: object, options: JobsOptions = {}): Promise<string> {
    const jobId = randomUUID();
    await queue.add(name, data, { jobId, ...options });
    return jobId;
  }

  /** The sort that comes after the others is done, which the worker has taken by then. */
  async function expectStillSorting(): Promise<void> {
    const plan = { input: path('in'), output: path('good'), type: 'u8' } as const;
    await submitSort(store.connection, { ...plan, queue: QUEUE });
    expect(readFileSync(path('good')).equals(Buffer.from(INPUT.slice().sort()))).toBe(true);
  }

  it.each<[string, JobsOptions, RegExp]>([
    ['1e9 times', { attempts: 1e9 }, /its attempts must be a whole number from 0 to 100, got/],
    ['in front of others', { attempts: 5, lifo: true }, /must not go in front of others/],
    ['as no worker can', { attempts: 5, backoff: { type: 'toString' } }, /must be exponential/],
    [
      'after a long time',
      { attempts: 5, backoff: { type: 'exponential', delay: 1e9 } },
      /its delay must be a whole number from 0 to 500/,
    ],
  ])(
    'refuses a job that is to be tried again %s',
    async (_, options, why) => {
      const input = [path('not-there')];
      // It is waiting for its time, so the sort goes on.
      const spec = { ...specOfFile(), input };
      const parent = await add(PARENT, { spec }, { delay: 3_600_000 });
      const id = await add('sample', { parent, index: 0 }, options);
      await expectStillSorting();
      const job = await queue.getJob(id);
      expect(job?.failedReason).toMatch(why);
      expect(job?.attemptsMade).toBe(1);
    },
    60_000,
  );

  it.each<[string, () => Record<string, unknown>, RegExp]>([
    ['an output of a long name', () => ({ output: `/${LONG}` }), /spec\.output must have at most/],
    ['a long version', () => ({ versions: [LONG] }), /spec\.versions\[0\] must have at most/],
    [
      'a long name that is no path',
      () => ({ folder: LONG.slice(0, 4000) }),
      /spec\.folder must be an absolute path/,
    ],
    [
      '10,001 files',
      () => ({
        input: Array(10_001).fill(path('in')),
        versions: Array(10_001).fill('1'),
      }),
      /spec\.input must name at most 10000 files, got 10001/,
    ],
  ])(
    'refuses a sort with %s',
    async (_, change, why) => {
      const id = await add(PARENT, { spec: { ...specOfFile(), ...change() } });
      await expectStillSorting();
      const reason = (await queue.getJob(id))?.failedReason ?? '';
      expect(reason).toMatch(why);
      expect(reason.length).toBeLessThan(1200);
    },
    60_000,
  );

  it('refuses a note that is longer than any of such a sort', async () => {
    const spec = specOfFile();
    const folder = spec.folder as string;
    mkdirSync(folder);
    const parent = await add(PARENT, { spec }, { delay: 3_600_000 });
    const notes = [
      ['partition', join(folder, 'sample-0.00000000')],
      ['sort', join(folder, 'shuffle.00000000')],
    ] as const;
    for (const [stage, from] of notes) {
      writeFileSync(from, `[${'0,'.repeat(50_000)}0]`);
      const id = await add(stage, { parent, index: 0, from });
      await expectStillSorting();
      expect((await queue.getJob(id))?.failedReason).toMatch(
        /is refused: it has 100003 bytes, and at most \d+ are read/,
      );
    }
  }, 60_000);

  it('does not wait for the writer of a pipe', async ({ skip }) => {
    if (spawnSync('mkfifo', [path('pipe')]).status !== 0) skip('this system has no mkfifo');
    // Threads that wait for a writer would keep this process from its end.
    let isReleased = false;
    const release = setTimeout(() => {
      isReleased = true;
      openSync(path('pipe'), constants.O_RDWR);
    }, 20_000);
    try {
      const spec: Record<string, unknown> = { ...specOfFile(), input: [path('pipe')] };
      mkdirSync(spec.folder as string);
      const parent = await add(PARENT, { spec }, { delay: 3_600_000 });
      const id = await add('sample', { parent, index: 0 });
      await expectStillSorting();
      expect((await queue.getJob(id))?.failedReason).toMatch(/is no regular file/);
      expect(isReleased).toBe(false);
    } finally {
      clearTimeout(release);
    }
  }, 60_000);
});

describe('the data of a sort', () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it('takes no more memory than the container of the worker has', () => {
    writeFileSync(join(path(''), 'in'), INPUT);
    const data = { spec: specOfFile() };
    expect(checkParent(data).spec.memory).toBe(2 ** 28);
    vi.spyOn(process, 'constrainedMemory').mockReturnValue(2 ** 27);
    expect(() => checkParent(data)).toThrow(
      /spec\.memory must be a whole number from .* to 134217728/,
    );
    // No limit: Linux says 0, or more than any machine has.
    for (const none of [0, 2 ** 64]) {
      vi.spyOn(process, 'constrainedMemory').mockReturnValue(none);
      expect(checkParent(data).spec.memory).toBe(2 ** 28);
    }
  });
});

it('submitSort refuses as many files as no worker takes', async () => {
  const plan = { input: Array(10_001).fill('in'), output: 'out', type: 'u8' } as const;
  const sorting = submitSort('redis://127.0.0.1:1', plan);
  await expect(sorting).rejects.toThrow('input must name at most 10000 files, got 10001');
});
