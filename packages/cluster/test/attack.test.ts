/**
 * An attacker who can write to the store: jobs added by hand, and workers that lie. Nothing outside
 * of the worker's root may be read, written or removed, and a refused job fails at its first try.
 */

import { randomUUID } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, sep } from 'node:path';
import { isThorough } from '@keysweep/conformance/data';
import { localStorage } from '@keysweep/external/storage';
import { createPostgresBackend, Job, Queue } from 'bullmq';
import { builtin, createSorter, type Sorter } from 'keysweep';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { drawTests } from '../../../tools/test/draw-tests.js';
import { runWorker, submitSort } from '../dist/index.js';
import { folderIn, SORTS, specOf, temporaryIn, type World } from './attacks.js';
import { postgresStore, redisProgram, redisStore, type TestStore } from './stores.js';

drawTests(1 / 2);

const QUEUE = 'attacked';
const PARENT = 'whole sort';
const INPUT = Uint8Array.from({ length: 16 }, (_, i) => (i * 7) % 16);
const SORTED = Buffer.from(INPUT.slice().sort());

const STORES: readonly (readonly [name: string, start: () => Promise<TestStore>, why: string])[] = [
  ['PostgreSQL', postgresStore, ''],
  [
    'Redis',
    redisStore,
    !isThorough
      ? 'test:thorough has it'
      : redisProgram() === undefined
        ? 'there is no redis-server: install it, or run node tools/install/redis.mjs'
        : '',
  ],
];

/** All files below a folder, with what they hold. */
function contentsOf(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true });
  return Object.fromEntries(
    names.map((one) => {
      const path = join(one.parentPath, one.name);
      return [path, one.isFile() ? readFileSync(path, 'latin1') : 'no file'];
    }),
  );
}

describe.each(STORES)('a worker of %s', (_, start, why) => {
  if (why !== '') {
    it(`is left out: ${why}`, ({ skip }) => skip(why));
    return;
  }
  const ending = new AbortController();
  const errors: Error[] = [];
  const used: string[] = [];
  let [store, queue, sorter, running] = [] as unknown as [TestStore, Queue, Sorter, Promise<void>];
  let [base, world, before] = ['', {} as World, {} as Record<string, string>];

  beforeAll(async () => {
    base = realpathSync(mkdtempSync(join(tmpdir(), 'keysweep-attack-')));
    const [root, outside] = [join(base, 'root'), join(base, 'outside')];
    for (const name of ['root', 'outside', 'root-more', 'outside/home', 'root/kept']) {
      mkdirSync(join(base, name));
    }
    for (const name of ['outside/secret', 'outside/home/letter', 'root/kept/letter', 'root/in']) {
      writeFileSync(join(base, name), INPUT);
    }
    mkdirSync(temporaryIn(outside));
    writeFileSync(join(temporaryIn(outside), 'letter'), INPUT);
    symlinkSync(outside, join(root, 'link'));
    symlinkSync(join(outside, 'secret'), join(root, 'linked'));
    symlinkSync(join(outside, 'not-yet'), join(root, 'new'));
    symlinkSync(join(outside, 'home'), temporaryIn(root));
    world = { root, outside, folder: folderIn(root) };
    before = contentsOf(outside);
    store = await start();
    sorter = await createSorter({ backends: [builtin()] });
    watchStorage(used);
    const { connection } = store;
    running = runWorker(connection, {
      ...{ queue: QUEUE, name: 'victim', roots: [root], sorter, signal: ending.signal },
      onError: (error) => void errors.push(error),
    });
    queue = connection.startsWith('postgres')
      ? (new Queue(
          QUEUE,
          { connection: { connectionString: connection, max: 2, migrate: true } } as never,
          createPostgresBackend as never,
        ) as unknown as Queue)
      : new Queue(QUEUE, { connection: { url: connection } as never });
    await queue.waitUntilReady();
  });

  afterEach(() => {
    vi.restoreAllMocks();
    watchStorage(used);
  });

  afterAll(async () => {
    ending.abort();
    await running;
    vi.restoreAllMocks();
    await queue.close();
    await sorter.close();
    await store.stop();
    rmSync(base, { recursive: true });
  });

  /** Adds a job as an attacker may. Resolves when it has come to its end. */
  async function attack(name: string, data: unknown): Promise<Job> {
    const { id } = await queue.add(name, data, { attempts: 3, jobId: randomUUID() });
    for (;;) {
      const job = (await queue.getJob(id as string)) as Job;
      if (job.finishedOn !== undefined) return job;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  function expectUntouched(): void {
    expect(contentsOf(world.outside)).toEqual(before);
    expect(existsSync(join(world.root, 'kept', 'letter'))).toBe(true);
    expect(readFileSync(join(world.root, 'in')).equals(INPUT)).toBe(true);
    const strays = used.filter((path) => !`${path}${sep}`.startsWith(world.root + sep));
    expect(strays).toEqual([]);
  }

  async function expectRefused(job: Job, why: RegExp): Promise<void> {
    expect(job.failedReason).toMatch(why);
    expect(job.failedReason).toMatch(/refused/);
    expect(job.failedReason).not.toMatch(/\n/);
    expect(job.attemptsMade).toBe(1);
    expectUntouched();
  }

  it('does a sort that is all right, and removes its folder', async () => {
    const { folder, root } = world;
    mkdirSync(folder);
    const job = await attack(PARENT, { spec: specOf(world) });
    expect(job.failedReason).toBeUndefined();
    expect(readFileSync(join(root, 'out')).equals(SORTED)).toBe(true);
    await vi.waitFor(() => expect(existsSync(folder)).toBe(false), 10_000);
    rmSync(join(root, 'out'));
    expectUntouched();
  });

  it.each(SORTS)('refuses a sort with %s', async (_, change, message) => {
    mkdirSync(world.folder, { recursive: true });
    const spec = Object.defineProperties(
      specOf(world),
      Object.getOwnPropertyDescriptors(change(world)),
    );
    await expectRefused(await attack(PARENT, { spec }), message);
    expect(existsSync(join(world.root, 'out'))).toBe(false);
  });

  it.each([
    ['null', null],
    ['a list', []],
    ['text', 'spec'],
    ['nothing', {}],
    ['another field', { spec: {}, more: 1 }],
  ])('refuses a sort whose data is %s', async (_, data) => {
    await expectRefused(await attack(PARENT, data), /the job of a sort is refused/);
  });

  describe('at a job of a stage', () => {
    let parent = '';
    beforeAll(async () => {
      parent = randomUUID();
      mkdirSync(world.folder, { recursive: true });
      // It is waiting for its time, so the sort goes on.
      const data = { spec: specOf(world) };
      await queue.add(PARENT, data, { jobId: parent, delay: 3_600_000 });
    });
    afterAll(() => rmSync(world.folder, { recursive: true, force: true }));

    it.each([
      ['constructor', {}],
      ['__proto__', {}],
      ['toString', {}],
      ['write', {}],
      ['sample', { index: 1 }],
      ['sample', { index: -1 }],
      ['sample', { index: '0' }],
      ['sample', { from: '/etc/passwd' }],
      ['sample', { more: true }],
      ['sample', { parent: 42 }],
      ['sample', { parent: '__proto__' }],
      ['partition', { index: 2, from: 'good' }],
      ['partition', { from: undefined }],
      ['partition', { from: '/etc/passwd' }],
      ['sort', { from: undefined }],
      ['sort', { from: ['a'] }],
    ])('refuses %s with %j', async (name, change) => {
      const job = await attack(name, { parent, index: 0, from: undefined, ...change });
      await expectRefused(job, /a job.* is refused/);
    });

    it('refuses one whose parent is no sort, or that has no data', async () => {
      const other = randomUUID();
      await queue.add('sample', { parent, index: 0 }, { jobId: other, delay: 3_600_000 });
      await expectRefused(await attack('sample', { parent: other, index: 0 }), /of a sort is/);
      await expectRefused(await attack('sort', null), /a job is refused/);
    });

    /** Notes in the shared folder, as somebody may write them who can write to it. */
    const shuffle = (of: (world: World) => unknown) => (world: World) =>
      JSON.stringify([
        of(world),
        { path: join(world.folder, 'partition-1.00000000'), sizes: [4, 4] },
      ]);
    it.each<[string, string, (world: World) => string]>([
      ['text', 'sort', () => 'no JSON'],
      ['null', 'sort', () => 'null'],
      ['a list that is too short', 'sort', () => '[]'],
      [
        'an object outside',
        'sort',
        shuffle(({ outside }) => ({ path: join(outside, 'secret'), sizes: [4, 4] })),
      ],
      [
        'an object above',
        'sort',
        shuffle(({ folder }) => ({ path: `${folder}/../../outside/secret`, sizes: [4, 4] })),
      ],
      [
        'sizes over all memory',
        'sort',
        shuffle(({ folder }) => ({ path: join(folder, 'partition-0.00000000'), sizes: [8e15, 0] })),
      ],
      [
        'all bytes in one part',
        'sort',
        shuffle(({ folder }) => ({ path: join(folder, 'partition-0.00000000'), sizes: [8.5, 0] })),
      ],
      ['splitters of no list', 'partition', () => '{"words": 1, "places": [1]}'],
      ['too many splitters', 'partition', () => '{"words": [[1, 2]], "places": [1, 2]}'],
      ['splitters of more words', 'partition', () => '{"words": [[1], [1]], "places": [1]}'],
      ['splitters over 32 bits', 'partition', () => '{"words": [[1e300]], "places": [1]}'],
    ])('refuses a note of %s', async (_, stage, note) => {
      const from = join(world.folder, `${stage === 'sort' ? 'shuffle' : 'sample-0'}.00000000`);
      writeFileSync(from, note(world));
      const job = await attack(stage, { parent, index: 0, from });
      expect(job.failedReason).toMatch(/refused|JSON/);
      expectUntouched();
      rmSync(from);
    });

    it('refuses a note, and a folder, that are links', async () => {
      const from = join(world.folder, 'shuffle.11111111');
      symlinkSync(join(world.outside, 'secret'), from);
      await expectRefused(await attack('sort', { parent, index: 0, from }), /roots/);
      rmSync(from);
      rmSync(world.folder, { recursive: true });
      symlinkSync(join(world.outside, 'home'), world.folder);
      await expectRefused(await attack('sample', { parent, index: 0 }), /roots/);
      rmSync(world.folder);
    });
  });

  const result = { path: '', sizes: [16], worker: 'liar', retries: 0, started: 0, ended: 0 };
  const lies: readonly (readonly [stage: string, of: string, (world: World) => object | null])[] = [
    ['sample', 'a path outside', ({ outside }) => ({ path: join(outside, 'secret') })],
    ['partition', 'a path above', ({ folder }) => ({ path: `${folder}/../../outside/secret` })],
    ['partition', 'sizes of any number', () => ({ sizes: [2 ** 50, 0] })],
    ['partition', 'sizes of text', () => ({ sizes: ['8', '0'] })],
    ['partition', 'a name that a terminal obeys', () => ({ worker: '\u001b[2J' })],
    ['sort', 'a path outside', ({ outside }) => ({ path: join(outside, 'secret') })],
    ['sort', 'a path of the system', () => ({ path: '/etc/passwd' })],
    ['sort', 'a list of sizes', () => ({ sizes: [8, 8] })],
    ['sort', 'too large a size', () => ({ sizes: [16] })],
    ['sort', 'a negative time', () => ({ ended: -1 })],
    ['sort', 'an unknown field', () => ({ path: undefined, more: 1 })],
    ['sort', 'nothing', () => null],
    [PARENT, 'other bytes', () => ({ bytes: 1 })],
    [PARENT, 'other parts', () => ({ parts: 3e6 })],
    [PARENT, 'a name that a terminal obeys', () => ({ workers: { '\u001b[2J': 1 } })],
    [PARENT, 'jobs of no number', () => ({ workers: { a: { b: 1 } } })],
    [PARENT, 'times of text', () => ({ milliseconds: 'soon' })],
    [PARENT, 'nothing', () => null],
  ];

  it.each(lies)('refuses a result of %s with %s', async (stage, _, lie) => {
    const { root } = world;
    const { moveToCompleted } = Job.prototype;
    vi.spyOn(Job.prototype, 'moveToCompleted').mockImplementation(function (
      this: Job,
      value: unknown,
      ...rest
    ) {
      const told = lie(world);
      const changed = told === null ? null : { ...result, ...(value as object), ...told };
      return moveToCompleted.call(this, this.name === stage ? changed : value, ...rest);
    });
    const plan = { input: join(root, 'in'), output: join(root, 'out'), type: 'u8' } as const;
    const reports: unknown[] = [];
    const onReport = (report: unknown): void => void reports.push(report);
    const sorting = submitSort(store.connection, { ...plan, parts: 2, queue: QUEUE, onReport });
    await expect(sorting).rejects.toThrow(/refused/);
    expect(reports).toEqual([]);
    expectUntouched();
    // A lie of the parent comes when the output is in place.
    if (stage !== PARENT) expect(existsSync(join(root, 'out'))).toBe(false);
    rmSync(join(root, 'out'), { force: true });
    expect(readdirSync(root).filter((name) => name.startsWith('.keysweep'))).toEqual([
      basename(temporaryIn(root)),
    ]);
  });

  it('still sorts for an honest submitter, whose folder alone is removed', async () => {
    const { root } = world;
    const plan = { input: join(root, 'in'), output: join(root, 'out'), type: 'u8' } as const;
    await submitSort(store.connection, { ...plan, parts: 2, queue: QUEUE });
    expect(readFileSync(join(root, 'out')).equals(SORTED)).toBe(true);
    rmSync(join(root, 'out'));
    const remove = vi.spyOn(localStorage, 'remove');
    const tmp = join(root, 'not-there');
    const failing = submitSort(store.connection, { ...plan, tmp, parts: 2, queue: QUEUE });
    await expect(failing).rejects.toThrow(/cannot make the folder/);
    expect(remove).not.toHaveBeenCalled();
    expectUntouched();
  });
});

/** Notes the real path of every file that is touched by what all workers use in the end. */
function watchStorage(used: string[]): void {
  const real = (path: string): string => {
    try {
      return realpathSync(path);
    } catch {
      return existsSync(dirname(path)) ? join(realpathSync(dirname(path)), 'new') : path;
    }
  };
  for (const name of ['open', 'write', 'makeFolder', 'list', 'output'] as const) {
    const original = localStorage[name] as (...args: unknown[]) => Promise<unknown>;
    vi.spyOn(localStorage, name).mockImplementation(((path: string, ...rest: unknown[]) => {
      used.push(real(path));
      return original.call(localStorage, path, ...rest);
    }) as never);
  }
}
