/** Calls while other calls, their caller or their sorter do something. */

import { getEventListeners } from 'node:events';
import { isThorough, sample } from '@keysweep/conformance/data';
import { ClosedError, createSorter, type Progress, sort, sortPairs } from 'keysweep';
import { describe, expect, it } from 'vitest';
import { makeServing } from '../../src/make-serving.js';
import type { Dispatcher } from '../../src/run/dispatcher.js';
import { isSame, random } from '../fakes.js';

/** Keys that threads sort. */
const MANY = isThorough ? 3_000_000 : 600_000;

describe('two calls', () => {
  it('on one array are served one after the other', async () => {
    const [one, two] = [await createSorter(), await createSorter()];
    for (const length of [100, 300_000, MANY]) {
      const keys = random(length);
      const expected = keys.slice().sort();
      const descending = expected.slice().reverse();
      const [, permutation] = await Promise.all([
        one.sort(keys),
        two.argsort(keys, { order: 'descending' }),
        two.sort(keys, { order: 'descending' }),
        one.sort(keys.subarray(0, length / 2)),
      ]);
      // The last call sorted the first half of the descending array.
      const first = descending.slice(0, length / 2).sort();
      expect(isSame(keys.subarray(0, length / 2), first)).toBe(true);
      expect(isSame(keys.subarray(length / 2), descending.subarray(length / 2))).toBe(true);
      // The permutation was made between the two sorts, of the ascending array.
      expect(expected[permutation[0] as number]).toBe(descending[0]);
      expect(
        isSame(
          permutation.slice().sort(),
          permutation.map((_, i) => i),
        ),
      ).toBe(true);
    }
    await Promise.all([one.close(), two.close()]);
  });

  it('on one array: an abort ends the wait of one, and the others go on', async () => {
    const sorter = await createSorter();
    const keys = random(MANY);
    const expected = keys.slice().sort();
    const controller = new AbortController();
    const first = sorter.sort(keys);
    const second = sorter.sort(keys, { signal: controller.signal });
    const third = sorter.argsort(keys);
    controller.abort(new Error('no longer'));
    await expect(second).rejects.toThrow('no longer');
    await first;
    expect(isSame(keys, expected)).toBe(true);
    expect((await third)[0]).toBe(0);
    await sorter.close();
  });

  it('on one array: one rejects with a TypeError when it was detached meanwhile', async () => {
    const sorter = await createSorter();
    const keys = random(300_000);
    const first = sorter.sort(keys);
    const second = sorter.sort(keys);
    first.then(() => structuredClone(keys.buffer, { transfer: [keys.buffer] }));
    await first;
    await expect(second).rejects.toThrow(/detached/);
    await sorter.close();
  });
});

describe('a call', () => {
  it('has sorted few keys when it returns, with an order as without options', async () => {
    for (const options of [undefined, { order: 'ascending' }, { order: 'descending' }] as const) {
      const keys = Float32Array.of(2, Number.NaN, 0, -0, -1);
      const expected = [-1, -0, 0, 2, Number.NaN];
      const sorting = sort(keys, options);
      expect([...keys]).toEqual(options?.order === 'descending' ? expected.reverse() : expected);
      expect(await sorting).toBe(keys);
    }
  });

  it('rejects with a TypeError by every backend when an array was resized before', async () => {
    for (const [length, backend] of [
      [100, 'builtin'],
      [100, 'cpu'],
      [5000, 'auto'],
      [300_000, 'auto'],
    ] as const) {
      const buffer = new ArrayBuffer(4 * length, { maxByteLength: 8 * length });
      const values = new Uint32Array(buffer).fill(7);
      const keys = random(length);
      const before = keys.slice();
      for (const size of [8 * length, 2 * length]) {
        buffer.resize(4 * length);
        const sorting = sortPairs(keys, values, { backend });
        buffer.resize(size);
        await expect(sorting).rejects.toThrow(/values was resized from/);
        expect(isSame(keys, before)).toBe(true);
      }
    }
  });

  it('rejects with the reason of an abort in any phase; the array stays as it was', async () => {
    const sorter = await createSorter();
    await sorter.warmUp();
    for (const length of sample([100, 5000, 300_000, 1_500_000, 3_000_000], 2)) {
      for (const phase of ['upload', 'sort', 'readback']) {
        if (length === 100 && phase !== 'sort') continue;
        const keys = random(length);
        const before = keys.slice();
        const controller = new AbortController();
        const onProgress = (event: Progress): void => {
          if (event.phase === phase) controller.abort(new Error(`abort in ${phase}`));
        };
        const sorting = sorter.sort(keys, { onProgress, signal: controller.signal });
        await expect(sorting).rejects.toThrow(`abort in ${phase}`);
        expect(isSame(keys, before)).toBe(true);
      }
    }
    await sorter.close();
  });
});

describe('one request', () => {
  it.each([true, false])('is asked about once, where the answer is %s', async (isBest) => {
    const asked: string[] = [];
    const dispatcher = { sortIfInOrder: () => false, run: async () => Uint32Array.of(1, 0) };
    const serving = makeServing({
      assertOpen() {},
      isBrief: () => false,
      isForBuiltin({ operation }) {
        asked.push(operation);
        return isBest;
      },
      get: () => dispatcher as unknown as Dispatcher,
      dispatcher: undefined,
    });
    await serving.sort(Uint8Array.of(2, 1));
    await serving.sort(Uint8Array.of(2, 1), { order: 'descending' });
    await serving.sort(Uint8Array.of(2, 1), { keyBits: { begin: 0, end: 1 } });
    await serving.argsort(Uint8Array.of(2, 1));
    await serving.sortPairs(Uint8Array.of(2, 1), Uint8Array.of(2, 1));
    expect(asked).toEqual(['sort', 'sort', 'sort', 'argsort', 'sortPairs']);
  });
});

describe('a signal', () => {
  it('has no listener left once its calls have ended, well or not', async () => {
    const sorter = await createSorter();
    const { signal } = new AbortController();
    const failing = (): void => {
      throw new Error('from the callback');
    };
    for (const backend of ['auto', 'cpu', 'builtin'] as const) {
      for (const length of [10, 5000, MANY]) {
        const keys = random(length);
        // The second waits for the first.
        await Promise.all([sorter.sort(keys, { backend, signal }), sorter.sort(keys, { signal })]);
        await expect(sorter.sort(keys, { backend, signal, onReport: failing })).rejects.toThrow(
          'from the callback',
        );
        expect(getEventListeners(signal, 'abort'), `${length} keys by ${backend}`).toEqual([]);
      }
    }
    await sorter.close();
  });
});

describe('close', () => {
  it('reaches calls that wait for memory, and a backend that is being loaded', async () => {
    const [one, two] = [await createSorter(), await createSorter()];
    const keys = random(MANY);
    const first = one.sort(keys);
    const waiting = two.sort(keys).catch((error: unknown) => error);
    const warming = two.warmUp(2 ** 22).catch((error: unknown) => error);
    await two.close();
    await first;
    expect(await waiting).toBeInstanceOf(ClosedError);
    expect(await warming).toBeInstanceOf(ClosedError);
    await one.close();
  });

  it('rejects later calls and may be called twice', async () => {
    const sorter = await createSorter();
    const keys = random(300_000);
    const running = sorter.sort(keys);
    await sorter.close();
    await sorter.close();
    const settled = await running.then(
      () => 'sorted',
      (error: unknown) => error,
    );
    if (settled === 'sorted') expect(isSame(keys, keys.slice().sort())).toBe(true);
    else expect(settled).toBeInstanceOf(ClosedError);
    await expect(sorter.sort(keys)).rejects.toThrow(ClosedError);
    await expect(sorter.warmUp()).rejects.toThrow(ClosedError);
  });
});

describe('progress', () => {
  it('is told at least once a phase of a long sort, and never goes back', async () => {
    const sorter = await createSorter();
    const events: Progress[] = [];
    // Over 100 ms on any machine, in a thorough run.
    await sorter.sort(random(isThorough ? 6_000_000 : 2_000_000), {
      onProgress: (event) => events.push(event),
    });
    const phases = new Set(events.map(({ phase }) => phase));
    expect([...phases]).toEqual(['start', 'upload', 'sort', 'readback']);
    for (const phase of phases) {
      const done = events.filter((event) => event.phase === phase).map((event) => event.completed);
      expect(done).toEqual(done.slice().sort((a, b) => a - b));
    }
    for (const { completed, total } of events) expect(completed).toBeLessThanOrEqual(total);
    await sorter.close();
  });
});
