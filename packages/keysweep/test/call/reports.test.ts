/** What a caller hears of a call, and calls that are done before a plan is made. */

import type { KeyBits, RequestShape, SortRequest } from '@keysweep/core';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  makeReport,
  reportWithoutBackend,
  watchProgress,
  wholeTimes,
} from '../../dist/call/report.js';
import {
  isFew,
  isFewAtOnce,
  LOADING,
  nanosecondsOf,
  roughMilliseconds,
} from '../../dist/plan/few.js';
import { shape } from '../made-up.js';

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
      roughMilliseconds(shape(operation, 'u32', 1e6, more));
    expect(million('sort')).toBe(45);
    expect(million('sortPairs')).toBe(100);
    expect(million('argsort')).toBe(100);
    expect(million('sort', { keyBits: BITS })).toBe(400);
    expect(million('argsort', { keyTypes: ['u32', 'u8'] })).toBe(400);
    expect(LOADING).toBe(30);
  });

  it.each([
    ['Node.js', { node: '20.0.0' }, {}, 45, 45],
    ['Bun', { node: '24.0.0', bun: '1.4.5' }, {}, 6, 0.375],
    ['Chromium', {}, {}, 27, 27],
    ['Firefox', {}, { InternalError: Error }, 6, 0.375],
  ])('take the engine of %s some nanoseconds each', async (name, versions, globals, u32, u8) => {
    const before = Object.getOwnPropertyDescriptor(process, 'versions') as PropertyDescriptor;
    Object.defineProperty(process, 'versions', { ...before, value: versions });
    Object.assign(globalThis, globals);
    onTestFinished(() => {
      Object.defineProperty(process, 'versions', before);
      for (const global of Object.keys(globals)) Reflect.deleteProperty(globalThis, global);
    });
    // Modules of their own, because these look at the engine once.
    const file = new URL(`../../dist/machine/engine.js?${name}`, import.meta.url).href;
    const fresh: typeof import('../../dist/machine/engine.js') = await import(
      /* @vite-ignore */ file
    );
    expect(fresh.isSpiderMonkey).toBe(name === 'Firefox');
    expect(fresh.losesNaNBits).toBe(false);
    expect(fresh.isV8OfBrowser()).toBe(name === 'Chromium');
    expect(fresh.hasRadixSort()).toBe(u32 < 10);
    if (name === 'Firefox') return;
    expect(nanosecondsOf('u32')).toBe(u32);
    expect(nanosecondsOf('u8')).toBe(u8);
    expect(nanosecondsOf('f64')).toBe(45);
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
