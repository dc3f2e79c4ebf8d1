/** A worker's stage that fails, or whose sort is cancelled: what is under way then, and is left. */

import { setTimeout as delay } from 'node:timers/promises';
import { ExternalError } from '@keysweep/external';
import type { Storage } from '@keysweep/external/storage';
import { builtin, createSorter } from 'keysweep';
import { expect, it } from 'vitest';
import { jobsOf } from '../dist/jobs/division.js';
import { childId, type SortSpec } from '../dist/jobs/jobs.js';
import { folderIn, objectIn } from '../dist/jobs/names.js';
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
