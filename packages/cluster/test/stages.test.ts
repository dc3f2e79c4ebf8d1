/** A worker's stage that fails: nothing of it is under way when it has. */

import { setTimeout as delay } from 'node:timers/promises';
import { ExternalError } from '@keysweep/external';
import type { Storage } from '@keysweep/external/storage';
import { builtin, createSorter } from 'keysweep';
import { expect, it } from 'vitest';
import type { SortSpec } from '../dist/jobs/jobs.js';
import { folderIn, objectIn } from '../dist/jobs/names.js';
import { runStage } from '../dist/work/stages.js';

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
    input: ['/shared/in'],
    versions: ['1'],
    size: 4 * PIECE * PIECES,
    output: '/shared/out',
    layout: {
      width: 4,
      numbers: 'u32',
      keys: [{ at: 0, bytes: 4, type: 'u32', order: 'ascending' }],
    },
    memory: 1e6,
    parts: 2,
    pieces: PIECES,
    pieceRecords: PIECE,
    attempts: 3,
    folder,
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
