/**
 * What a sort still does when it has failed: nothing, because its files are closed and removed
 * then. And it notes as done the written parts, and no more.
 */

import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Random, runSeed } from '@keysweep/conformance/data';
import { describe, expect, it } from 'vitest';
import { drawTests } from '../../../tools/test/draw-tests.js';
import { ExternalError, type SortFileOptions } from '../dist/index.js';
import { checkSort } from '../dist/open/check.js';
import { sortStored } from '../dist/sort-file.js';
import { localStorage, type Storage } from '../dist/storage.js';
import { LENGTH, scratch } from './scratch.js';

drawTests(1 / 2);

const SEED = runSeed();
const { path, names, write, sorter } = scratch();

const RECORD = { bytes: 8, keys: [{ at: 0, bytes: 2 }] };

/** Numbers and records, in memory for a fraction of them. */
const LAYOUTS: readonly (readonly [string, Pick<SortFileOptions, 'type' | 'record' | 'memory'>])[] =
  [
    ['numbers', { type: 'u32', memory: 200_000 }],
    ['records', { record: RECORD, memory: 300_000 }],
  ];

type Each = <T>(name: string, work: () => Promise<T>) => Promise<T>;

/** The files of this machine, whose every read and write goes through `each`. */
function throughEach(each: Each): Storage {
  return {
    ...localStorage,
    async open(name) {
      const { readNow: _, ...file } = await localStorage.open(name);
      return { ...file, read: (into, from) => each(name, () => file.read(into, from)) };
    },
    async write(name, from) {
      const stream = await localStorage.write(name, from);
      return { ...stream, write: (bytes) => each(name, () => stream.write(bytes)) };
    },
  };
}

/** Whether a file is a note: how many there are depends on how long the rest takes. */
const isNote = (name: string): boolean => name.includes('.json');

async function sort(storage: Storage, options: SortFileOptions): Promise<void> {
  const given = { ...options, sorter: sorter() };
  await sortStored(storage, checkSort(path('in'), path('out'), given), given);
}

describe.each(LAYOUTS)(`of %s (KEYSWEEP_SEED=${SEED})`, (_, options) => {
  it('nothing is under way once a read or a write has failed', async () => {
    write('in', new Random(SEED).fill(new Uint32Array(LENGTH)));
    let total = 0;
    const counted = throughEach((name, work) => {
      if (!isNote(name)) total++;
      return work();
    });
    await sort(counted, options);
    // Most are reads of the sample.
    const last = Array.from({ length: 10 }, (_, i) => total - 3 * i);
    const random = new Random(SEED, 1);
    for (const failing of [1, 2, ...last, ...last.map(() => 1 + random.below(total))]) {
      const what = `operation ${failing} of ${total}`;
      let [begun, underWay] = [0, 0];
      const beset = throughEach(async (name, work) => {
        const own = isNote(name) ? 0 : ++begun;
        if (own === failing) throw new ExternalError('a bad sector');
        underWay++;
        // What begins just before is still under way then.
        if (begun >= failing - 3) await delay(2);
        try {
          return await work();
        } finally {
          underWay--;
        }
      });
      await expect(sort(beset, options), what).rejects.toThrow('a bad sector');
      expect(underWay, what).toBe(0);
      const ended = begun;
      await delay(3);
      expect(begun, what).toBe(ended);
      expect(names(), what).toEqual(['in', 'out']);
    }
  });

  it('no part is noted before all of it is written', async () => {
    write('in', new Random(SEED).fill(new Uint32Array(LENGTH)));
    let written = 0;
    const noted: { readonly parts: number; readonly bytes: number }[] = [];
    const storage: Storage = {
      ...localStorage,
      async write(name, from) {
        const stream = await localStorage.write(name, from);
        if (from === undefined) return stream;
        return {
          ...stream,
          async write(bytes) {
            await delay(2);
            await stream.write(bytes);
            written += bytes.length;
          },
        };
      },
      async rename(from, to) {
        if (basename(to) === 'done.json') {
          const done = JSON.parse(readFileSync(from, 'utf8'));
          expect(done.bytes).toBeLessThanOrEqual(written);
          noted.push(done);
        }
        await localStorage.rename(from, to);
      },
    };
    await sort(storage, options);
    expect(noted.length).toBeGreaterThan(3);
    expect(noted.at(-1)?.bytes).toBe(4 * LENGTH);
  });
});
