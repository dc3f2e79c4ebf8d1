/** What a caller hears of a call, and calls that are done before a plan is made. */

import type { KeyBits, KeyType, RequestShape, SortRequest } from '@keysweep/core';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  makeReport,
  reportWithoutBackend,
  watchProgress,
  wholeTimes,
} from '../dist/call/report.js';
import {
  comparingMilliseconds,
  isDoneBeforeLoading,
  isFew,
  isFewAtOnce,
  roughMilliseconds,
} from '../dist/plan/few.js';
import { shape } from './made-up.js';

const BITS: KeyBits = { begin: 3, end: 8 };

describe('few keys', () => {
  it('are fewer than a number that goes by the operation', () => {
    const below = (is: typeof isFew, operation: RequestShape['operation']): number => {
      let n = 0;
      while (is(operation, n)) n++;
      return n;
    };
    const all = ['sort', 'sortPairs', 'argsort'] as const;
    expect(all.map((operation) => below(isFew, operation))).toEqual([256, 64, 64]);
    expect(all.map((operation) => below(isFewAtOnce, operation))).toEqual([512, 100, 100]);
  });

  it('are sorted in a rough number of milliseconds', () => {
    const million = (operation: RequestShape['operation'], more: Partial<RequestShape> = {}) =>
      comparingMilliseconds(shape(operation, 'u32', 1e6, more));
    expect(million('sort')).toBe(45);
    expect(million('sortPairs')).toBe(100);
    expect(million('argsort')).toBe(100);
    expect(million('sort', { keyBits: BITS })).toBe(400);
    expect(million('argsort', { keyTypes: ['u32', 'u8'] })).toBe(400);
  });

  it.each([
    ['Node.js', undefined, 45, 30],
    ['Bun', 'bun', 6, 30],
    ['Firefox', 'Mozilla/5.0 (X11; Linux) Gecko/20100101 Firefox/153.0', 6, 18],
    [
      'Chromium',
      'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko) Chrome/147 Safari/537',
      27,
      30,
    ],
    ['Safari', 'Mozilla/5.0 AppleWebKit/605.1 (KHTML, like Gecko) Version/26.0 Safari/605', 45, 50],
  ])('are left to the engine of %s as long as loading takes', (_, agent, nanoseconds, loading) => {
    const versions = { ...process.versions } as Record<string, string | undefined>;
    if (agent === 'bun') versions.bun = '1.4.5';
    else if (agent !== undefined) versions.node = undefined;
    vi.stubGlobal('navigator', { userAgent: agent });
    const before = Object.getOwnPropertyDescriptor(process, 'versions') as PropertyDescriptor;
    Object.defineProperty(process, 'versions', { ...before, value: versions });
    onTestFinished(() => {
      vi.unstubAllGlobals();
      Object.defineProperty(process, 'versions', before);
    });
    const million = (keyType: KeyType, more: Partial<RequestShape> = {}): number =>
      roughMilliseconds(shape('sort', keyType, 1e6, more));
    expect(million('u32')).toBeCloseTo(nanoseconds, 9);
    expect(million('f64')).toBe(45);
    expect(million('u32', { keyBits: BITS })).toBe(400);
    expect(roughMilliseconds(shape('argsort', 'u32', 1e6))).toBe(100);
    const most = (keyType: KeyType, each: number): void => {
      const n = Math.floor((loading * 1e6) / each);
      const isDone = [n - 1, n + 2].map((length) =>
        isDoneBeforeLoading(shape('sort', keyType, length)),
      );
      expect(isDone).toEqual([true, false]);
    };
    most('u32', nanoseconds);
    most('f64', 45);
  });
});

describe('progress that is watched', () => {
  it('never goes back, and knows a callback that has thrown', () => {
    const seen: string[] = [];
    const onProgress: SortRequest['onProgress'] = ({ phase, completed, total }) => {
      seen.push(`${phase} ${completed}/${total}`);
      if (completed === 9) throw new Error('nine');
    };
    const { request, hasCallbackThrown } = watchProgress({ onProgress } as SortRequest);
    const tell = (phase: 'sort' | 'upload', completed: number, total: number): void =>
      request.onProgress?.({ phase, completed, total });
    tell('upload', 2, 4);
    tell('upload', 1, 4);
    tell('upload', 2, 4);
    tell('upload', 0, 0);
    tell('upload', 3, 4);
    tell('sort', 0, 9);
    expect(hasCallbackThrown()).toBe(false);
    expect(() => tell('sort', 9, 9)).toThrow('nine');
    expect(hasCallbackThrown()).toBe(true);
    expect(seen).toEqual(['upload 2/4', 'upload 2/4', 'upload 0/0', 'sort 0/9', 'sort 9/9']);
    const none = watchProgress({} as SortRequest);
    expect([none.request.onProgress, none.hasCallbackThrown()]).toEqual([undefined, false]);
  });
});

describe('a report', () => {
  it('has all milliseconds: what no phase has measured is in one of them', () => {
    expect(wholeTimes({ sort: 3, upload: 2 }, 'start', 10)).toEqual({
      ...{ sort: 3, upload: 2, start: 5, total: 10 },
    });
    expect(wholeTimes({ sort: 3, start: 2 }, 'start', 10)).toEqual({
      sort: 3,
      start: 7,
      total: 10,
    });
    // Clocks may tick slowly: no phase takes less than nothing.
    expect(wholeTimes({ sort: 12 }, 'queue', 10)).toEqual({ sort: 12, queue: 0, total: 10 });
  });

  it('says what a request was, and who has served it', () => {
    vi.spyOn(performance, 'now').mockReturnValue(150);
    onTestFinished(() => void vi.restoreAllMocks());
    const passes = { run: 2, skipped: 1 };
    const outcome = { permutation: undefined, milliseconds: { sort: 30, queue: 4 }, passes };
    const served = {
      step: { backend: 'cpu', reason: 'quick', milliseconds: 40 },
      outcome: { ...outcome, threads: 3, bound: 0.5 },
      ...{ fallbacks: [], waited: 6, loading: 2, start: 100 },
    } as const;
    const request = { shape: shape('sort', 'f32', 7, { approximate: true }) } as SortRequest;
    expect(makeReport(request, served)).toEqual({
      ...{ operation: 'sort', backend: 'cpu', reason: 'quick', predicted: 42, keyType: 'f32' },
      ...{ keyTypes: ['f32'], length: 7, passes, threads: 3, fallbacks: [] },
      milliseconds: { sort: 30, queue: 10, start: 10, total: 50 },
      approximate: { bound: 0.5 },
    });
    const plain = { ...request, shape: shape('sort', 'f32', 7) };
    const more = { ...served, outcome: { ...served.outcome, gpuMilliseconds: { sort: 1 } } };
    const report = makeReport(plain, more as never);
    expect(report).not.toHaveProperty('approximate');
    expect(report).toHaveProperty('gpuMilliseconds', { sort: 1 });
    expect(makeReport(plain, served)).not.toHaveProperty('gpuMilliseconds');
    expect(reportWithoutBackend({ keyTypes: ['u8'], length: 3 }, 'few', 140)).toEqual({
      ...{ operation: 'argsort', backend: 'builtin', reason: 'few', keyType: 'u8' },
      ...{ keyTypes: ['u8'], length: 3, milliseconds: { sort: 10, total: 10 } },
      ...{ passes: { run: 0, skipped: 0 }, threads: 1, fallbacks: [] },
    });
  });
});
