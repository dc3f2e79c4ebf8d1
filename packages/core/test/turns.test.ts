/** Turns for the event loop, on a clock that moves only while something sorts. */

import { Random, runSeed } from '@keysweep/conformance/data';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

let now = 0;
let turns: typeof import('../src/request/in-turn.js');

beforeEach(async () => {
  now = 1000;
  vi.stubGlobal('performance', { now: () => now });
  vi.resetModules();
  turns = await import('../src/request/in-turn.js');
});

afterEach(() => {
  vi.unstubAllGlobals();
});

/** Sorts of so many milliseconds each, begun together; `order` gets their numbers. */
function sortAll(count: number, milliseconds: number, keys: number, order: unknown[]) {
  return Array.from({ length: count }, async (_, i) =>
    turns.inTurn(keys, () => {
      now += milliseconds;
      order.push(i);
      return i;
    }),
  );
}

/** Notes in `order` every turn that the event loop gets. */
function watchTurns(order: unknown[]): () => void {
  let isOver = false;
  const watch = (): void => {
    order.push('turn');
    if (!isOver) setImmediate(watch);
  };
  setImmediate(watch);
  return () => {
    isOver = true;
  };
}

it('come after 8 ms of sorts that were begun together, which keep their order', async () => {
  const order: unknown[] = [];
  const stop = watchTurns(order);
  expect(await Promise.all(sortAll(10, 3, 100_000, order))).toEqual([...Array(10).keys()]);
  stop();
  const sorted = order.filter((entry) => entry !== 'turn');
  expect(sorted).toEqual([...Array(10).keys()]);
  // No more than three sorts of 3 ms in a row.
  const rows = order.map((entry) => (entry === 'turn' ? ' ' : 'x')).join('');
  expect(rows).toMatch(/^(x{3} +){3}x/);
});

it('stay due until they come, however long the process was away meanwhile', async () => {
  const { isTurnDue, nextTurn } = await import('../src/request/turns.js');
  expect(isTurnDue(100_000)).toBe(false);
  now += 8;
  expect(isTurnDue(100_000)).toBe(true);
  const turn = nextTurn();
  // Otherwise a later sort would come before those that wait.
  now += 20;
  expect(isTurnDue(100_000)).toBe(true);
  await turn;
  expect(isTurnDue(100_000)).toBe(false);
});

it('come after 8 ms of short sorts, one awaited after the other', async () => {
  const order: unknown[] = [];
  const stop = watchTurns(order);
  for (let i = 0; i < 2000; i++) await Promise.all(sortAll(1, 0.02, 500, order));
  stop();
  const rows = order.map((entry) => (entry === 'turn' ? ' ' : 'x')).join('');
  const longest = Math.max(...rows.split(' ').map((row) => row.length));
  expect(longest).toBeGreaterThanOrEqual(400);
  expect(longest).toBeLessThan(500);
});

it('are not waited for if sorts are far apart, or few', async () => {
  const source = new Random(runSeed());
  const order: unknown[] = [];
  const stop = watchTurns(order);
  for (let i = 0; i < 100; i++) {
    now += 9 + source.below(100);
    await Promise.all(sortAll(1, source.below(30), 100_000, order));
  }
  stop();
  expect(order).not.toContain('turn');
});

it('pass on what a sort throws, and go on', async () => {
  const order: unknown[] = [];
  const first = sortAll(3, 3, 100_000, order);
  const failing = turns.inTurn(100_000, () => {
    throw new Error('not this one');
  });
  const later = sortAll(1, 1, 100_000, order);
  await expect(failing).rejects.toThrow(/not this one/);
  await Promise.all([...first, ...later]);
  expect(order).toEqual([0, 1, 2, 0]);
});
