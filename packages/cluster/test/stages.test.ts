/** A worker's stage that fails, or whose sort is cancelled: work under way, and what it leaves. */

import { setTimeout as delay } from 'node:timers/promises';
import { ExternalError } from '@keysweep/external';
import type { Storage } from '@keysweep/external/storage';
import { builtin, createSorter } from 'keysweep';
import { describe, expect, it } from 'vitest';
import { jobsOf } from '../dist/jobs/division.js';
import { childId, type SortSpec } from '../dist/jobs/jobs.js';
import { folderIn, objectIn } from '../dist/jobs/names.js';
import { whyFailed } from '../dist/jobs/why-failed.js';
import { ActiveJobs } from '../dist/work/active-jobs.js';
import { runParent } from '../dist/work/parent.js';
import { runStage } from '../dist/work/stages.js';

/** Numbers of a piece, half of which are in each of two parts. */
const PIECE = 100;
const PIECES = 60;

/** A sort of `size` bytes of numbers in one part. */
function specIn(folder: string, size: number): SortSpec {
  const layout = {
    width: 4,
    numbers: 'u32',
    keys: [{ at: 0, bytes: 4, type: 'u32', order: 'ascending' }],
  } as const;
  const memory = 1e6;
  return {
    ...{ input: ['/shared/in'], versions: ['1'], size, output: '/shared/out', layout, memory },
    ...jobsOf(size, layout, memory, 1),
    ...{ attempts: 3, folder },
  };
}

it('the ranges of a part are not read on once one cannot be read', async () => {
  const folder = folderIn('/shared');
  const objects = Array.from({ length: PIECES }, (_, i) => ({
    path: objectIn(folder, `partition-${i}`),
    sizes: [2 * PIECE, 2 * PIECE],
  }));
  const shuffle = objectIn(folder, 'shuffle');
  const note = new TextEncoder().encode(JSON.stringify(objects));
  let [begun, underWay] = [0, 0];
  const removed: string[] = [];
  const storage = {
    async open(path: string) {
      if (path === shuffle) {
        const read = async (into: Uint8Array): Promise<void> => into.set(note);
        return { size: note.length, version: '1', read, close: async () => {} };
      }
      const own = ++begun;
      const read = async (): Promise<void> => {
        underWay++;
        await delay(own === 5 ? 1 : 10);
        underWay--;
        if (own === 5) throw new ExternalError('a bad sector');
      };
      return { size: 4 * PIECE, version: '1', read, close: async () => {} };
    },
    remove: async (path: string) => void removed.push(path),
  } as Partial<Storage> as Storage;
  const spec: SortSpec = {
    ...specIn(folder, 4 * PIECE * PIECES),
    parts: 2,
    pieces: PIECES,
    pieceRecords: PIECE,
  };
  const sorter = await createSorter({ backends: [builtin()] });
  const tools = { storage, sorter, signal: new AbortController().signal };
  const stage = runStage('sort', spec, { index: 0, from: shuffle }, tools);
  await expect(stage).rejects.toThrow('a bad sector');
  expect(underWay).toBe(0);
  const ended = begun;
  expect(ended).toBeLessThan(PIECES / 2);
  await delay(20);
  expect(begun).toBe(ended);
  expect(removed).toHaveLength(1);
  await sorter.close();
});

describe('an input that is not the one that was submitted', () => {
  const SIZE = 4 * PIECE;
  const files = [
    ['changed', { version: '2' }, /'\/shared\/in' was changed while it was sorted/],
    ['longer', { size: SIZE + 4 }, /'\/shared\/in' was changed while it was sorted/],
    ['no whole records', { size: SIZE + 1 }, /is truncated: its 401 bytes/],
    ['unreadable', { read: () => Promise.reject(new Error('a bad sector')) }, /a bad sector/],
  ] as const;

  it.each(
    files.flatMap((file) =>
      (['sample', 'sort'] as const).map((stage) => [...file, stage] as const),
    ),
  )('%s: nothing stays open, and nothing is left', async (_, file, message, stage) => {
    const spec = specIn(folderIn('/shared'), SIZE);
    let open = 0;
    const events: string[] = [];
    const storage = {
      async open() {
        open++;
        const close = async (): Promise<void> => void open--;
        return { size: SIZE, version: '1', read: async () => {}, close, ...file };
      },
      write: async () => expect.unreachable(),
      remove: async (path: string) => void events.push(path),
    } as unknown as Storage;
    const tools = { storage, sorter: {} as never, signal: new AbortController().signal };
    const running = runStage(stage, spec, { index: 0, from: undefined as never }, tools);
    await expect(running).rejects.toThrow(message);
    expect([open, events.length]).toEqual([0, 1]);
  });
});

it.each([false, true])(
  'an output is put in its place unless cancelled: %s',
  async (isCancelled) => {
    const spec = specIn(folderIn('/shared'), 4 * PIECE);
    const id = 'a-sort';
    const none = { worker: 'w', retries: 0, started: 0, ended: 0, read: 0, written: 0 };
    const result = { path: objectIn(spec.folder, 'sort-0'), sizes: [spec.size], ...none };
    const job = {
      id,
      data: { spec, cancelled: false },
      getChildrenValues: async () => ({ [`a-queue:${childId(id, 'sort', 0)}`]: result }),
    };
    const store = { queue: { getJob: async () => job }, errors: { UnrecoverableError: Error } };
    const done: string[] = [];
    const storage = {
      output: async () => ({
        ...{ path: spec.output, folder: '/shared', create: async () => {} },
        commit: async () => void done.push('committed'),
      }),
      open: async () => ({
        size: spec.size,
        version: '1',
        read: async () => {},
        close: async () => {},
      }),
      write: async () => ({
        async write() {
          // No worker is told of it: the one that writes has to ask.
          job.data.cancelled = isCancelled;
        },
        close: async () => {},
      }),
      remove: async () => void done.push('removed'),
    } as unknown as Storage;
    const tools = { storage, signal: new AbortController().signal };
    const parent = runParent(store as never, job as never, 'token', 'w', tools);
    if (isCancelled) await expect(parent).rejects.toThrow('the sort has ended');
    else await parent;
    expect(done).toEqual([isCancelled ? 'removed' : 'committed']);
  },
);

/**
 * The children of a sort that are done, and a storage of what they have made, with room for `most`
 * bytes of output.
 */
function doneSort(sizes: readonly number[], most = Number.POSITIVE_INFINITY) {
  const size = sizes.reduce((sum, one) => sum + one, 0);
  const folder = folderIn('/shared');
  const [plain, memory] = [specIn(folder, size), 2 ** 28];
  const jobs = jobsOf(size, plain.layout, memory, sizes.length);
  const spec = { ...plain, memory, ...jobs };
  const id = 'a-sort';
  const times = { worker: 'w', retries: 1, read: 3, written: 5 };
  const results: Record<string, object> = {};
  const files = new Map<string, Uint8Array>();
  const add = (stage: 'sample' | 'partition' | 'sort', i: number, own: readonly number[]) => {
    const path = objectIn(folder, `${stage}-${i}`);
    const more = { ...times, worker: `${stage}-er`, started: 10 * i, ended: 100 - i };
    results[`a-queue:${childId(id, stage, i)}`] = { path, sizes: own, ...more };
    return path;
  };
  add('sample', 0, []);
  for (let i = 0, at = 0; i < spec.pieces; i++) {
    const piece = Math.min(4 * spec.pieceRecords, size - at);
    add('partition', i, [piece, ...Array(spec.parts - 1).fill(0)]);
    at += piece;
  }
  for (const [i, own] of sizes.entries()) {
    const bytes = new Uint8Array(own).map((_, at) => (at * 7 + i) % 251);
    files.set(add('sort', i, [own]), bytes);
  }
  const added: { name: string; data: object; opts: { jobId: string } }[] = [];
  const job = {
    ...{ id, data: { spec }, queueQualifiedName: 'bull:a-queue' },
    getChildrenValues: async () => results,
    moveToWaitingChildren: async () => true,
  };
  class WaitingChildrenError extends Error {}
  class UnrecoverableError extends Error {}
  const addBulk = async (jobs: typeof added) => void added.push(...jobs);
  const store = {
    queue: { getJob: async () => job, addBulk },
    errors: { WaitingChildrenError, UnrecoverableError, WaitingError: class extends Error {} },
    clean: (error: unknown) => error as Error,
  };
  const output: Uint8Array[] = [];
  const events: string[] = [];
  let [open, underWay, written] = [0, 0, 0];
  const storage = {
    output: async () => ({
      ...{ path: spec.output, folder: '/shared' },
      create: async (_: string, most: number) => void events.push(`made for ${most}`),
      commit: async () => void events.push('committed'),
      close: async () => void events.push('given back'),
    }),
    async open(path: string) {
      open++;
      const bytes = files.get(path) as Uint8Array;
      const read = async (into: Uint8Array, from: number): Promise<void> => {
        into.set(bytes.subarray(from, from + into.length));
      };
      return { size: bytes.length, version: '1', read, close: async () => void open-- };
    },
    async write() {
      const write = async (bytes: Uint8Array): Promise<void> => {
        expect(++underWay).toBe(1);
        await delay(1);
        // Its memory is the writer's until the write has ended.
        output.push(bytes.slice());
        underWay--;
        written += bytes.length;
        if (written > most) throw new Error('no space left');
      };
      return { write, close: async () => {}, abort: async () => void events.push('aborted') };
    },
    remove: async () => void events.push('removed'),
  } as unknown as Storage;
  const controller = new AbortController();
  const run = () => {
    const tools = { storage, signal: controller.signal };
    return runParent(store as never, job as never, 'token', 'writer', tools);
  };
  const left = () => ({ open, underWay });
  return { spec, id, results, files, added, job, store, output, events, controller, run, left };
}

describe('the parent of a sort', () => {
  const MIB = 2 ** 20;
  /** Pieces of the output are 8 MiB: less than one, one, a bit more, none. */
  const sizes = [4096 + 8, 8 * MIB, 0, 8 * MIB + 4, 4];
  const size = sizes.reduce((sum, one) => sum + one, 0);

  it('puts parts of any length after one another, and adds up the reports of jobs', async () => {
    const { spec, files, output, events, run, left } = doneSort(sizes);
    const report = await run();
    expect(Buffer.concat(output).equals(Buffer.concat([...files.values()]))).toBe(true);
    expect(events).toEqual([`made for ${size}`, 'committed', 'given back']);
    expect(left()).toEqual({ open: 0, underWay: 0 });
    const { milliseconds, ...rest } = report;
    expect(milliseconds).toMatchObject({ sample: 100, partition: 100, sort: 100 });
    expect(rest).toEqual({
      ...{ bytes: size, parts: 5, pieces: 5, retries: 11 },
      imbalance: ((8 * MIB + 4) * spec.parts) / size,
      bytesRead: 11 * 3 + size,
      bytesWritten: 11 * 5 + size,
      workers: { 'sample-er': 1, 'partition-er': 5, 'sort-er': 5, writer: 1 },
    });
  });

  it.each([-4, 4])('refuses a part that is %i bytes longer than its job has said', async (more) => {
    const { files, events, run, left } = doneSort(sizes);
    const [, path = ''] = files.keys();
    files.set(path, new Uint8Array(8 * MIB + more));
    await expect(run()).rejects.toThrow(`it has ${8 * MIB + more} bytes, not ${8 * MIB}`);
    expect(events.slice(1)).toEqual(['aborted', 'removed', 'given back']);
    expect(left()).toEqual({ open: 0, underWay: 0 });
  });

  it('gives up the output when only its last piece cannot be written', async () => {
    const { events, run, left } = doneSort(sizes, size - 1);
    await expect(run()).rejects.toThrow('no space left');
    expect(events.slice(1)).toEqual(['aborted', 'removed', 'given back']);
    expect(left()).toEqual({ open: 0, underWay: 0 });
  });

  it('gives up the output when its worker is told to end', async () => {
    const { events, output, controller, run, left } = doneSort(sizes);
    const running = run();
    running.catch(() => {});
    for (let i = 0; i < 1000 && output.length === 0; i++) await delay(1);
    controller.abort(new Error('the worker was ended'));
    await expect(running).rejects.toThrow('the worker was ended');
    expect(events.slice(1)).toEqual(['aborted', 'removed', 'given back']);
    expect(left()).toEqual({ open: 0, underWay: 0 });
  });

  it('adds the children of a stage that are missing, and waits for them', async () => {
    const { id, results, added, store, run, spec } = doneSort(sizes);
    for (const i of [1, 3]) delete results[`a-queue:${childId(id, 'sort', i)}`];
    delete results[`a-queue:${childId(id, 'partition', 1)}`];
    await expect(run()).rejects.toThrow(store.errors.WaitingChildrenError);
    const [sample] = Object.values(results) as [{ path: string }];
    const opts = {
      ...{ attempts: spec.attempts, backoff: { type: 'exponential', delay: 500 } },
      ...{ failParentOnFailure: true, parent: { id, queue: 'bull:a-queue' } },
      ...{ removeOnComplete: { age: 86_400 }, removeOnFail: { age: 86_400 } },
    };
    expect(added).toEqual([
      {
        name: 'partition',
        data: { parent: id, index: 1, from: sample.path },
        opts: { jobId: childId(id, 'partition', 1), ...opts },
      },
    ]);
  });

  it('looks once more at its children if all have ended while they were added', async () => {
    const { id, results, added, job, run } = doneSort([400, 400]);
    const key = `a-queue:${childId(id, 'sample', 0)}`;
    const { [key]: sample = {} } = results;
    delete results[key];
    job.moveToWaitingChildren = async () => {
      results[key] = sample;
      return false;
    };
    expect((await run()).bytes).toBe(800);
    expect(added.map(({ opts }) => opts.jobId)).toEqual([childId(id, 'sample', 0)]);
  });
});

describe('the jobs of a worker', () => {
  const ID = '00000000-0000-4000-8000-000000000001';
  const OTHER = '00000000-0000-4000-8000-000000000002';

  /** A worker at a job of the sort ID, whose parent is looked up in a store that answers late. */
  function atWork() {
    const asked: string[] = [];
    const answers: ((job: unknown) => void)[] = [];
    const moved: string[] = [];
    class WaitingError extends Error {}
    class UnrecoverableError extends Error {}
    const store = {
      queue: {
        getJob: (id: string) => {
          asked.push(id);
          return new Promise((resolve) => answers.push(resolve));
        },
      },
      errors: { WaitingError, UnrecoverableError },
      clean: (error: unknown) => error as Error,
    };
    const job = {
      ...{ id: 'a-job', name: 'sample', opts: {}, data: { parent: ID, index: 0 } },
      moveToWait: async (token: string) => void moved.push(token),
    };
    const context = { store, storage: {}, sorter: {}, name: 'w', roots: {} } as never;
    const active = new ActiveJobs();
    const running = active.run(context, job as never, 'token');
    running.catch(() => {});
    return { active, store, context, asked, answers, moved, running };
  }

  it('are given back when it ends, at no cost to their attempts', async () => {
    const { active, store, answers, moved, running } = atWork();
    active.endAll();
    answers[0]?.(undefined);
    await expect(running).rejects.toThrow(store.errors.WaitingError);
    expect(moved).toEqual(['token']);
  });

  it('are tried no more once their sort has ended', async () => {
    const { store, answers, moved, running } = atWork();
    answers[0]?.(undefined);
    await expect(running).rejects.toThrow(store.errors.UnrecoverableError);
    await expect(running).rejects.toThrow('the sort has ended');
    expect(moved).toEqual([]);
  });

  it('are asked about while they are done, and never after', async () => {
    const { active, store, asked, answers, running } = atWork();
    const looking = active.endUnwanted(store as never);
    expect(asked).toEqual([ID, ID]);
    answers[1]?.(undefined);
    await looking;
    answers[0]?.({ data: {} });
    await expect(running).rejects.toThrow(store.errors.UnrecoverableError);
    asked.length = 0;
    const after = active.endUnwanted(store as never);
    active.endAll();
    active.endLost(['a-job']);
    expect(asked).toEqual([]);
    await after;
  });

  it('of an unwanted sort all end, and none of another sort', async () => {
    const { active, store, context, asked, answers, running } = atWork();
    const more = [ID, ID, OTHER].map((parent, index) => {
      const job = { id: `job-${index}`, name: 'sample', opts: {}, data: { parent, index } };
      return active.run(context, job as never, 'token');
    });
    const all = Promise.allSettled([running, ...more]);
    expect(asked).toEqual([ID, ID, ID, OTHER]);
    const looking = active.endUnwanted(store as never);
    answers[4]?.(undefined);
    await delay(1);
    answers[5]?.({ data: {} });
    await looking;
    // However many jobs a sort has, the store is asked about it once.
    expect(asked.slice(4)).toEqual([ID, OTHER]);
    // A job that was not ended has failed by this, and may be tried again.
    for (const answer of answers.slice(0, 4)) answer(Promise.reject(new Error('no store')));
    const isFinal = (await all).map(
      (end) => end.status === 'rejected' && end.reason instanceof store.errors.UnrecoverableError,
    );
    expect(isFinal).toEqual([true, true, true, false]);
  });

  it('go on for a sort that goes on, and end alone when they are lost', async () => {
    const { active, store, answers, moved, running } = atWork();
    const looking = active.endUnwanted(store as never);
    answers[1]?.({ data: {} });
    await looking;
    active.endLost(['another']);
    active.endLost(['a-job']);
    answers[0]?.({ data: { cancelled: true } });
    await expect(running).rejects.toThrow('the sort has ended');
    expect(moved).toEqual([]);
  });
});

it('a sort has failed for the reason of its first child that has, or its own', () => {
  const child = (parent: unknown, finishedOn: number | undefined, failedReason: string) => ({
    ...{ name: 'partition', attemptsMade: 3, finishedOn, failedReason },
    data: parent === null ? null : { parent },
  });
  const parent = { id: 'a', name: 'whole sort', attemptsMade: 1, failedReason: 'its own' };
  const others = [child('b', 1, 'another sort'), child(null, 2, 'no data')];
  const own = [
    child('a', 9, 'the sort has ended'),
    child('a', 5, 'a\nbad disk'),
    child('a', 7, 'x'),
  ];
  const why = (failed: object[]) => whyFailed(parent as never, failed as never);
  expect(why([...others, ...own])).toBe('partition failed after 3 attempts: a bad disk');
  expect(why(others)).toBe('whole sort failed after 1 attempts: its own');
});

it('a sort has no more parts than a job may list, each of what its memory holds', () => {
  const { layout } = specIn('/shared', 8);
  // So many bytes as MAX_PARTS parts have in any memory, and a record more.
  const sizes = [2 ** 20, 2 ** 40, 2 ** 50];
  const memory = 65_536;
  const outcomes = sizes.map((size) => {
    try {
      return jobsOf(size, layout, memory, 1).parts > 0;
    } catch (error) {
      expect(error).toBeInstanceOf(ExternalError);
      expect((error as Error).message).toMatch(
        new RegExp(`^${size} bytes are more than \\d+ parts`),
      );
      return false;
    }
  });
  expect(outcomes).toEqual([true, false, false]);
});
