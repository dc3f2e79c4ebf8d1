/**
 * Keys, and counted rows, that are written while later ones are being sorted: only those that are
 * in place, and all in the end, whatever becomes of the threads.
 */

import type { Worker } from 'node:worker_threads';
import { draw, isThorough } from '@keysweep/conformance/data';
import { makeRequest } from '@keysweep/conformance/suite';
import { bitsOf, type KeyArray, type Order, type SortRequest } from '@keysweep/core';
import { cpu } from '@keysweep/cpu';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { drawTests } from '../../../tools/test/draw-tests.js';
import { Arena } from '../src/arena/arena.js';
import type { RunJob } from '../src/sort/arena-threads.js';
import type { OnPlaced } from '../src/sort/early-commit.js';
import {
  bytesOf,
  KEYS,
  kernelRun,
  LENGTH,
  onSharedMemory,
  random,
  serve,
  sortedBy,
  words,
} from './early-commit-runs.js';

drawTests(1 / 2);

/** One of two ways, for each kind of keys; a thorough run tries both. */
const drawn = <const T>(ways: readonly [T, T]): T[] => draw(ways, isThorough ? 2 : 1, random);

describe('a partition', () => {
  it.each(Object.keys(KEYS))('tells of places in ascending order, and keeps %s', async (name) => {
    const keys = KEYS[name]?.() as KeyArray;
    const expected = bitsOf(await sortedBy('ascending', keys));
    const arena = new Arena();
    const ends: number[] = [];
    let kept: Buffer | undefined;
    const run: RunJob = async (job, stage, ...rest) => {
      const { recordsAt, spareAt } = job.arena;
      const bytes = keys.length * job.plan.stride;
      const onPlaced: OnPlaced = (end) => {
        const { buffer } = arena.memory;
        kept ??= Buffer.from(Buffer.from(buffer, spareAt, bytes));
        expect(end).toBeGreaterThan(ends.at(-1) ?? 0);
        ends.push(end);
        const placed = (end * bitsOf(keys).length) / keys.length;
        const bits = bitsOf(keys.slice(0, end));
        bits.set(new Uint32Array(buffer, recordsAt, placed));
        expect(Buffer.compare(bytesOf(bits), bytesOf(expected.slice(0, placed)))).toBe(0);
      };
      const result = await kernelRun(arena, onPlaced)(job, stage, ...rest);
      // Nothing is left to be told of, or told of at all where buckets are long.
      if (ends.length > 0) {
        expect(ends.at(-1)).toBe(keys.length);
        expect(result.keysAt).toBe(recordsAt);
        expect(kept?.equals(Buffer.from(arena.memory.buffer, spareAt, bytes))).toBe(true);
      }
      return result;
    };
    await serve(makeRequest('sort', [keys]), arena, run);
    expect(Buffer.compare(bytesOf(bitsOf(keys)), bytesOf(expected))).toBe(0);
    if (name === 'random words') expect(ends.length).toBeGreaterThan(10);
  });
});

/** Keys of 16 bits, so that their rows are counted; and the order of these. */
async function countedRows(order: Order): Promise<{ keys: Uint16Array; expected: Uint32Array }> {
  const keys = Uint16Array.from(words());
  const backend = cpu({ kernels: 'plain', threads: 1 });
  const { permutation } = await backend.sort(makeRequest('argsort', [keys], { order }));
  await backend.close();
  return { keys, expected: permutation as Uint32Array };
}

describe('counted rows', () => {
  it('are told of in ascending order, once they are in place', async () => {
    for (const order of ['ascending', 'descending'] as const) {
      const { keys, expected } = await countedRows(order);
      const arena = new Arena();
      const ends: number[] = [];
      const run: RunJob = async (job, stage, ...rest) => {
        const onPlaced: OnPlaced = (end) => {
          expect(end).toBeGreaterThan(ends.at(-1) ?? 0);
          ends.push(end);
          const placed = new Uint32Array(arena.memory.buffer, job.keysAt, end);
          expect(bytesOf(placed).equals(bytesOf(expected.slice(0, end)))).toBe(true);
        };
        return kernelRun(arena, onPlaced)(job, stage, ...rest);
      };
      const out = new Uint32Array(LENGTH);
      await serve({ ...makeRequest('argsort', [keys], { order }), out }, arena, run);
      expect(bytesOf(out).equals(bytesOf(expected))).toBe(true);
      expect(ends.length).toBeGreaterThan(10);
      expect(ends.at(-1)).toBe(LENGTH);
    }
  });

  it.each([
    [true, false],
    [false, false],
    [true, true],
  ])('are ordered alone if a thread is lost; into out: %s, chosen: %s', async (isOut, isChosen) => {
    const { keys, expected: order } = await countedRows('descending');
    const expected = isChosen ? order.filter((row) => row % 2 === 0) : order;
    const { length } = expected;
    const arena = new Arena();
    // One step of the commit.
    const placed = 2 ** 18;
    const run: RunJob = async (job, stage, report, writing) => {
      await kernelRun(arena, () => {})(job, stage, report, writing);
      writing?.commit?.onPlaced?.(placed);
      expect(writing?.commit?.isBegun).toBe(true);
      // What the lost thread had in its hands.
      new Uint32Array(arena.memory.buffer, job.keysAt, length).fill(7, placed);
      throw new Error('a thread was lost');
    };
    const given = makeRequest('argsort', [keys], { order: 'descending' });
    const evenRows = { rows: LENGTH, words: new Int32Array(LENGTH / 32).fill(0x5555_5555) };
    const chosen = isChosen ? evenRows : undefined;
    const out = isOut ? new Uint32Array(length) : undefined;
    const request = { ...given, shape: { ...given.shape, length }, chosen, out };
    const { permutation } = await serve(request, arena, run);
    expect(bytesOf(permutation as Uint32Array).equals(bytesOf(expected))).toBe(true);
    if (isOut) expect(permutation).toBe(out);
  });
});

/** Of an abort that comes too late, threads do not end. */
const areAlive = (threads: Iterable<Worker>): boolean[] =>
  Array.from(threads, ({ threadId }) => threadId > 0);

describe('an early commit', () => {
  it.each(Object.keys(KEYS))('of %s is finished alone if a thread is lost', async (name) => {
    for (const order of drawn(['ascending', 'descending'])) {
      const keys = KEYS[name]?.() as KeyArray;
      const expected = await sortedBy(order, keys);
      const arena = new Arena();
      let committed = 0;
      const run: RunJob = async (job, stage, report, writing) => {
        const { recordsAt } = job.arena;
        const half = Math.floor(keys.length / 2);
        await kernelRun(arena)(job, stage, report, writing);
        writing?.commit?.onPlaced?.(half);
        expect(committed).toBe(1);
        // What the lost thread had in its hands.
        const rest = half * job.plan.stride;
        new Uint8Array(arena.memory.buffer, recordsAt + rest, rest).fill(0xa5);
        throw new Error('a thread was lost');
      };
      const onCommit = (): void => {
        committed++;
      };
      const request = { ...makeRequest('sort', [keys], { order }), onCommit };
      await serve(request, arena, run);
      expect(bytesOf(keys).equals(bytesOf(expected))).toBe(true);
    }
  });

  it('writes nothing that is not in place, nor once an array was detached', async () => {
    const keys = words();
    const arena = new Arena();
    const steps: number[] = [];
    const run: RunJob = async (job, stage, _report, writing) => {
      await stage(() => {});
      const placed = new Uint32Array(arena.memory.buffer, job.arena.recordsAt, LENGTH);
      placed.fill(7);
      for (const end of [1000, 2 ** 18 - 1, 2 ** 18, 2 ** 19 - 1]) {
        writing?.commit?.onPlaced?.(end);
        steps.push(keys.lastIndexOf(7) + 1);
      }
      structuredClone(keys.buffer, { transfer: [keys.buffer] });
      writing?.commit?.onPlaced?.(LENGTH);
      const result = { keysAt: job.arena.recordsAt, valuesAt: 0, passesRun: 1, passesSkipped: 0 };
      return { inputOrder: 'mixed', isWritten: false, ...result, threads: 2 };
    };
    keys.fill(8);
    const sorting = serve(makeRequest('sort', [keys]), arena, run);
    await expect(sorting).rejects.toThrow(TypeError);
    expect(steps).toEqual([0, 0, 2 ** 18, 2 ** 18]);
  });

  it.each(['ordinary', 'shared'])(
    'goes on after an abort, and after a thread has died: %s memory',
    async (memory) => {
      const threads = new Set<Worker>();
      const watch = (worker: Worker): void => {
        threads.add(worker);
      };
      process.on('worker', watch);
      try {
        const backend = cpu({ threads: 3 });
        await backend.warmUp(LENGTH);
        const controller = new AbortController();
        const abort = (): void => controller.abort(new Error('too late'));
        const terminate = (): void => void [...threads][0]?.terminate();
        const cases = [
          { harm: abort, signal: controller.signal },
          { harm: terminate, signal: undefined },
        ];
        for (const { harm, signal } of cases) {
          const words = random.fill(new Uint32Array(4 * LENGTH));
          const keys = memory === 'shared' ? onSharedMemory(words) : words;
          const expected = words.slice().sort();
          let committed = 0;
          const onCommit = (): void => {
            committed++;
            harm();
          };
          await backend.sort({ ...makeRequest('sort', [keys]), onCommit, signal });
          expect(committed).toBe(1);
          expect(bytesOf(keys).equals(bytesOf(expected))).toBe(true);
          if (harm === abort) expect(areAlive(threads)).toEqual([true, true]);
        }
        await backend.close();
      } finally {
        process.off('worker', watch);
      }
    },
  );

  it.each(['ordinary', 'shared'])('tells of no more sorted keys: %s memory', async (memory) => {
    const backend = cpu({ threads: 2 });
    await backend.warmUp(LENGTH);
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(async () => {
      vi.useRealTimers();
      await backend.close();
    });
    const random = words();
    const keys = memory === 'shared' ? onSharedMemory(random) : random;
    const phases: string[] = [];
    const onProgress: SortRequest['onProgress'] = ({ phase }) => void phases.push(phase);
    // As if the threads were at work for long.
    const onCommit = (): void => void vi.advanceTimersByTime(1000);
    await backend.sort({ ...makeRequest('sort', [keys], { onProgress }), onCommit });
    expect(phases.lastIndexOf('sort')).toBeLessThan(phases.indexOf('readback'));
  });

  it('of rows goes on after an abort, and after a thread has died', async () => {
    const threads = new Set<Worker>();
    const watch = (worker: Worker): void => void threads.add(worker);
    process.on('worker', watch);
    try {
      const backend = cpu({ threads: 3 });
      await backend.warmUp(LENGTH);
      const terminate = (): void => void [...threads][0]?.terminate();
      for (const harm of [() => {}, terminate]) {
        const keys = Uint16Array.from(random.fill(new Uint32Array(4 * LENGTH)));
        const out = new Uint32Array(keys.length);
        const controller = new AbortController();
        let committed = 0;
        const onCommit = (): void => {
          committed++;
          controller.abort(new Error('too late'));
          harm();
        };
        const { signal } = controller;
        await backend.sort({ ...makeRequest('argsort', [keys]), out, onCommit, signal });
        expect(committed).toBe(1);
        // Rows that go up by key, then by number, are all there.
        const places = new Float64Array(out).map((row) => (keys[row] as number) * 2 ** 32 + row);
        expect(places.every((place, i) => i === 0 || place > (places[i - 1] as number))).toBe(true);
        if (harm !== terminate) expect(areAlive(threads)).toEqual([true, true]);
      }
      await backend.close();
    } finally {
      process.off('worker', watch);
    }
  });
});

describe('a commit by all threads', () => {
  it.each(Object.keys(KEYS))('of %s writes what is in place, now or later', async (name) => {
    for (const early of drawn(['write', 'later'])) {
      const keys = onSharedMemory(KEYS[name]?.() as KeyArray);
      const expected = await sortedBy('descending', keys);
      const arena = new Arena();
      let committed = 0;
      const onCommit = (): void => {
        committed++;
      };
      const request = { ...makeRequest('sort', [keys], { order: 'descending' }), onCommit };
      await serve(request, arena, kernelRun(arena, undefined, early));
      expect(committed).toBe(1);
      expect(bytesOf(keys).equals(bytesOf(expected))).toBe(true);
    }
  });

  it.each(Object.keys(KEYS))('of %s is finished alone if a thread is lost', async (name) => {
    for (const early of drawn(['write', 'later'])) {
      const keys = onSharedMemory(KEYS[name]?.() as KeyArray);
      const expected = await sortedBy('ascending', keys);
      const arena = new Arena();
      const run: RunJob = async (...given) => {
        await kernelRun(arena, undefined, early)(...given);
        // What the lost thread has not written.
        new Uint8Array(keys.buffer).fill(0xa5, keys.byteLength / 2);
        throw new Error('a thread was lost');
      };
      await serve(makeRequest('sort', [keys]), arena, run);
      expect(bytesOf(keys).equals(bytesOf(expected))).toBe(true);
    }
  });

  it('of pairs and of rows is finished alone', async () => {
    const before = words();
    const order = Uint32Array.from(before.keys()).sort(
      (a, b) => (before[a] as number) - (before[b] as number) || a - b,
    );
    const requests = (keys: Uint32Array, rows: Uint32Array): SortRequest[] => [
      makeRequest('sortPairs', [keys], { values: rows }),
      { ...makeRequest('argsort', [keys]), out: rows },
    ];
    for (const [i, operation] of ['sortPairs', 'argsort'].entries()) {
      const keys = onSharedMemory(before);
      const rows = onSharedMemory(Uint32Array.from(before.keys()));
      const arena = new Arena();
      const run: RunJob = async (...given) => {
        const { isWritten } = await kernelRun(arena)(...given);
        expect(isWritten).toBe(true);
        expect(bytesOf(rows).equals(bytesOf(order))).toBe(true);
        rows.fill(7, LENGTH / 2);
        throw new Error('a thread was lost');
      };
      await serve(requests(keys, rows)[i] as SortRequest, arena, run);
      expect(bytesOf(rows).equals(bytesOf(order)), operation).toBe(true);
      const expected = operation === 'argsort' ? before : before.slice().sort();
      expect(bytesOf(keys).equals(bytesOf(expected)), operation).toBe(true);
    }
  });

  it('leaves no thread that still writes once one was lost', async () => {
    /** Sorts, and loses a thread meanwhile; returns the numbers of threads, -1 of those ended. */
    async function loseOne(): Promise<number[]> {
      const threads: Worker[] = [];
      const watch = (worker: Worker): void => void threads.push(worker);
      process.on('worker', watch);
      const backend = cpu({ threads: 4 });
      await backend.warmUp(LENGTH);
      process.off('worker', watch);
      const keys = onSharedMemory(random.fill(new Uint32Array(4 * LENGTH)));
      const expected = keys.slice().sort();
      const onCommit = (): void => void threads[0]?.terminate();
      await backend.sort({ ...makeRequest('sort', [keys]), onCommit });
      const left = threads.map(({ threadId }) => threadId);
      expect(bytesOf(keys).equals(bytesOf(expected))).toBe(true);
      await backend.close();
      return left;
    }
    // On a busy machine a thread may have done its part before it ends, and nothing is lost.
    for (let attempt = 0; attempt < 50; attempt++) {
      const left = await loseOne();
      if (left[0] !== -1) continue;
      expect(left).toEqual([-1, -1, -1]);
      return;
    }
    expect.unreachable('no thread was lost in time');
  });

  it('writes nothing if a callback throws, and keeps its threads', async () => {
    const threads: Worker[] = [];
    const watch = (worker: Worker): void => void threads.push(worker);
    process.on('worker', watch);
    const backend = cpu({ threads: 3 });
    await backend.warmUp(LENGTH);
    const keys = onSharedMemory(words());
    const before = keys.slice();
    const onProgress: SortRequest['onProgress'] = ({ phase }) => {
      if (phase === 'readback') throw new Error('no more');
    };
    const sorting = backend.sort(makeRequest('sort', [keys], { onProgress }));
    await expect(sorting).rejects.toThrow('no more');
    expect(bytesOf(keys).equals(bytesOf(before))).toBe(true);
    await backend.sort(makeRequest('sort', [keys]));
    expect(bytesOf(keys).equals(bytesOf(before.sort()))).toBe(true);
    process.off('worker', watch);
    expect(areAlive(threads)).toEqual([true, true]);
    await backend.close();
  });
});
