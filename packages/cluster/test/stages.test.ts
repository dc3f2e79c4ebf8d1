/** A stage that fails, or whose input was changed: how much is still read, and what is left. */

import { setTimeout as delay } from 'node:timers/promises';
import { ExternalError } from '@keysweep/external';
import type { Storage } from '@keysweep/external/storage';
import { builtin, createSorter } from 'keysweep';
import { describe, expect, it } from 'vitest';
import { jobsOf } from '../dist/jobs/division.js';
import type { SortSpec } from '../dist/jobs/jobs.js';
import { folderIn, objectIn } from '../dist/jobs/names.js';
import { runStage } from '../dist/work/stages.js';
import { specIn } from './specs.js';

/** Numbers of a piece, half of which are in each of two parts. */
const PIECE = 100;
const PIECES = 60;

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
      async remove(path: string) {
        events.push(path);
        throw new Error('nothing can be removed');
      },
    } as unknown as Storage;
    const tools = { storage, sorter: {} as never, signal: new AbortController().signal };
    const running = runStage(stage, spec, { index: 0, from: undefined as never }, tools);
    await expect(running).rejects.toThrow(message);
    expect([open, events.length]).toEqual([0, 1]);
  });
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
