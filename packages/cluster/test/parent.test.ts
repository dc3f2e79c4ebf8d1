/** The parent of a sort: the stages that it adds, and the output that it writes or gives up. */

import { setTimeout as delay } from 'node:timers/promises';
import type { Storage } from '@keysweep/external/storage';
import { describe, expect, it } from 'vitest';
import { jobsOf } from '../dist/jobs/division.js';
import { childId } from '../dist/jobs/jobs.js';
import { folderIn, objectIn } from '../dist/jobs/names.js';
import { runParent } from '../dist/work/parent.js';
import { specIn } from './specs.js';

it.each([false, true])(
  'an output is put in its place unless cancelled: %s',
  async (isCancelled) => {
    const spec = specIn(folderIn('/shared'), 400);
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

/** The children of a sort in `parts` parts that are done, and a storage of what they have made. */
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
