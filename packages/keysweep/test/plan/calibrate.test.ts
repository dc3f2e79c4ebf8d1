/** What `calibrate` makes of times that are made up, by a clock that only sorts move on. */

import type { RequestShape } from '@keysweep/core';
import { expect, it, onTestFinished, vi } from 'vitest';
import { calibrate } from '../../dist/calibrate/calibrate.js';
import { callsFor } from '../../dist/calibrate/sampling.js';
import type { BackendState } from '../../dist/run/backend-state.js';
import { costs } from '../made-up.js';

interface Made {
  /** Nanoseconds a key, by its figures and in fact. */
  readonly figures: number;
  readonly taken: number;
  /** Milliseconds that the first sort takes longer. */
  readonly start?: number;
  readonly isWarm?: boolean;
  readonly failsFrom?: number;
}

it('has the least of some samples, and leaves out what fails or is far too slow', async () => {
  let now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  onTestFinished(() => void vi.restoreAllMocks());
  const failures: string[] = [];
  const counts: Record<string, number> = {};
  const state = (name: string, made: Made): BackendState => {
    const { figures, taken, start = 0, isWarm = false, failsFrom = Infinity } = made;
    const perKey = Array(7).fill(figures);
    return {
      ...{ backend: { name }, isWarm },
      estimate: { costs: costs({ keys: perKey, rows: perKey }), start: 77 },
      noteFailure: () => void failures.push(name),
      async sort({ shape: { length } }: { shape: RequestShape }) {
        const count = (counts[name] ?? 0) + 1;
        counts[name] = count;
        if (length >= failsFrom) throw new Error('it broke');
        // The first sort starts it, and one of three is disturbed.
        now += taken * length * 1e-6 + (count === 1 ? start : 0) + (count % 3 === 0 ? 0.02 : 0);
      },
    } as never;
  };
  const states = [
    state('cpu', { figures: 100, taken: 200, start: 40 }),
    state('webgpu', { figures: 300, taken: 300, isWarm: true }),
    state('webgl2', { figures: 100, taken: 100, failsFrom: 2 ** 17 }),
    state('builtin', { figures: 2000, taken: 2000 }),
  ];
  const found = await calibrate(states, { milliseconds: 2000 });
  expect(Object.keys(found)).toEqual(['cpu', 'webgpu', 'builtin']);
  expect(failures).toEqual(['webgl2']);
  expect(Object.values(found).map(({ start }) => Math.round(start as number))).toEqual([40, 77, 0]);
  // Of the slow one only the start was looked at, and the warm one's was not.
  expect(found.builtin?.times).toEqual({});
  expect(counts.builtin).toBe(2 * callsFor(Number.POSITIVE_INFINITY, 2 ** 14));
  for (const [name, taken] of [
    ['cpu', 200],
    ['webgpu', 300],
  ] as const) {
    const times = found[name]?.times ?? {};
    expect(Object.keys(times)).toHaveLength(7);
    for (const points of Object.values(times)) {
      const lengths = points.map(([length]) => length);
      expect(lengths.slice(0, 2)).toEqual([2 ** 8, 2 ** 11]);
      expect(lengths).toEqual(lengths.toSorted((a, b) => a - b));
      // The time is not enough for these.
      expect(Math.max(...lengths)).toBeLessThan(2 ** 20);
      for (const [length, milliseconds] of points) {
        const own = taken * length * 1e-6;
        expect(milliseconds).toBeGreaterThanOrEqual(own - 1e-6);
        // Short ones are the mean of several sorts, of which some are disturbed.
        expect(milliseconds).toBeLessThanOrEqual(own + (own > 1 ? 1e-6 : 0.01));
      }
    }
    // The most used classes are measured first.
    expect(times['sort u32']?.map(([length]) => length)).toContain(2 ** 17);
  }
  const before = now;
  await calibrate(states.slice(1, 2), { milliseconds: 50 });
  expect(now - before).toBeLessThan(100);
  for (const milliseconds of [0, -1, Number.NaN, Infinity, '9']) {
    await expect(calibrate(states, { milliseconds } as never)).rejects.toThrow(RangeError);
  }
});
