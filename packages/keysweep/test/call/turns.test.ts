/** Sorts that run at once leave the event loop its turns. */

import { randomKeys as draw } from '@keysweep/conformance/data';
import { cpu } from '@keysweep/cpu';
import { builtin, createSorter, type SortOptions } from 'keysweep';
import { afterAll, describe, expect, it } from 'vitest';
import { testRandom } from '../../../../tools/test/random.js';
import { isSame } from '../fakes.js';

const source = testRandom();
const sorter = await createSorter({ backends: [cpu({ threads: 2 }), builtin()] });
const without = await createSorter({ backends: [builtin()] });
afterAll(() => Promise.all([sorter.close(), without.close()]));

const KINDS: readonly [name: string, length: number, options: SortOptions | undefined][] = [
  ['the CPU at once', 300_000, { backend: 'cpu' }],
  ['the built-in sort', 100_000, { backend: 'builtin' }],
  ['the built-in sort, without a plan', 50_000, { order: 'descending' }],
];

describe.each(KINDS)('many sorts by %s', (_name, length, options) => {
  const { sort } = options?.backend === undefined ? without : sorter;
  it('begun together: an abort is heard', async () => {
    const abort = new AbortController();
    const arrays = Array.from({ length: 60 }, () => draw(length, source));
    const copies = arrays.map((keys) => keys.slice());
    setTimeout(() => abort.abort(new Error('enough')), 1);
    const ends = await Promise.allSettled(
      arrays.map((keys) => sort(keys, { ...options, signal: abort.signal })),
    );
    const done = ends.filter(({ status }) => status === 'fulfilled').length;
    expect(done).toBeGreaterThan(0);
    expect(done).toBeLessThan(60);
    // The first came first, and the others left their arrays as they were.
    expect(ends.slice(0, done).every(({ status }) => status === 'fulfilled')).toBe(true);
    const rest = arrays.slice(done);
    expect(rest.every((keys, i) => isSame(keys, copies[done + i] as Uint32Array))).toBe(true);
  });

  it('awaited one after the other: timers run', async () => {
    const arrays = Array.from({ length: 60 }, () => draw(length, source));
    let ticks = 0;
    const timer = setInterval(() => ticks++, 1);
    for (const keys of arrays) await sort(keys, options);
    clearInterval(timer);
    expect(ticks).toBeGreaterThan(0);
  });
});

it('argsorts by the built-in sort, awaited one after the other: timers run', async () => {
  // So many that each argsort takes longer than the time after which a turn is due.
  const keys = draw(400_000, source);
  // No turn is due from sorts before.
  await new Promise((resolve) => setTimeout(resolve, 20));
  let ticks = 0;
  const timer = setInterval(() => ticks++, 1);
  for (let i = 0; i < 6; i++) await without.argsort(keys);
  clearInterval(timer);
  expect(ticks).toBeGreaterThan(0);
});

it('short sorts without options, awaited one after the other: timers run', async () => {
  let ticks = 0;
  const timer = setInterval(() => ticks++, 1);
  const keys = draw(200, source);
  for (let i = 0; i < 20_000; i++) await sorter.toSorted(keys);
  clearInterval(timer);
  expect(ticks).toBeGreaterThan(0);
});
