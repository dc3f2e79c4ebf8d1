import type { Backend, BackendName, SortRequest } from '@keysweep/core';
import {
  BackendFailedError,
  BackendUnavailableError,
  builtin,
  createSorter,
  type Progress,
  type SortReport,
} from 'keysweep';
import { describe, expect, it, vi } from 'vitest';
import { fake, isSame, MANY, random } from '../fakes.js';

describe('fallback', () => {
  it('goes on to the next backend, and reports what failed', async () => {
    const failure = new BackendFailedError('cpu', 'a thread died');
    const broken = fake('cpu', {
      sort: async () => {
        throw failure;
      },
    });
    const sorter = await createSorter({ backends: [broken, builtin()] });
    const keys = random(MANY);
    const expected = keys.slice().sort();
    let report: SortReport | undefined;
    await sorter.sort(keys, { onReport: (r) => (report = r) });
    expect(isSame(keys, expected)).toBe(true);
    expect(report?.backend).toBe('builtin');
    expect(report?.fallbacks).toEqual([{ backend: 'cpu', error: failure }]);
    await expect(sorter.sort(keys, { backend: 'cpu' })).rejects.toBe(failure);
  });

  it('names every failure if no backend is left, the first one first', async () => {
    const failing = (name: BackendName, error: Error): Backend =>
      fake(name, {
        sort: async () => {
          throw error;
        },
      });
    const first = new BackendFailedError('cpu', 'a thread died');
    const last = new RangeError('Array buffer allocation failed');
    const backends = [failing('cpu', first), failing('builtin', last)];
    const sorter = await createSorter({ backends, onWarning: () => {} });
    const keys = random(MANY);
    const before = keys.slice();
    const error: unknown = await sorter.sort(keys).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(BackendFailedError);
    expect((error as BackendFailedError).message).toMatch(
      /^backend 'cpu' failed: .*a thread died; then builtin \(RangeError: Array buffer alloc.*\)/,
    );
    expect((error as BackendFailedError).backend).toBe('cpu');
    expect((error as { cause?: AggregateError }).cause?.errors).toEqual([first, last]);
    expect(isSame(keys, before)).toBe(true);
    await sorter.close();
  });

  it('rejects with the reason for an absent named backend, and falls back under auto', async () => {
    const reason = 'no adapter was found';
    const absent = fake('webgpu', { probe: async () => ({ available: false, reason }) });
    const sorter = await createSorter({ backends: [absent, builtin()] });
    const named = sorter.sort(random(10), { backend: 'webgpu' });
    await expect(named).rejects.toThrow(BackendUnavailableError);
    await expect(named).rejects.toMatchObject({ backend: 'webgpu', reason });
    await expect(sorter.sort(random(10), { backend: 'cpu' })).rejects.toThrow(
      /has the backends 'webgpu', 'builtin' only/,
    );
    const keys = random(MANY);
    await sorter.sort(keys);
    expect(isSame(keys, keys.slice().sort())).toBe(true);
  });

  it('probes a backend again whose probe has failed', async () => {
    let probes = 0;
    const late = fake('cpu', {
      async probe() {
        if (++probes === 1) throw new Error('not yet');
        return builtin().probe();
      },
    });
    const sorter = await createSorter({ backends: [late] });
    await expect(sorter.sort(random(10))).rejects.toThrow(/not yet/);
    const keys = random(10);
    await sorter.sort(keys);
    expect(isSame(keys, keys.slice().sort())).toBe(true);
    await sorter.sort(keys);
    expect(probes).toBe(2);
  });

  it('serves small arrays when the built-in itself fails', async () => {
    const sort = vi.fn(async (): Promise<never> => {
      throw new Error('no built-in today');
    });
    const good = fake('cpu', {});
    const sorter = await createSorter({ backends: [good, fake('builtin', { sort })] });
    for (let i = 0; i < 2; i++) {
      const keys = Uint8Array.of(3, 1, 2);
      let report: SortReport | undefined;
      await sorter.sort(keys, { onReport: (r) => (report = r) });
      expect(keys).toEqual(Uint8Array.of(1, 2, 3));
      expect(report?.backend).toBe('cpu');
    }
    // The second time it rested.
    expect(sort).toHaveBeenCalledTimes(1);
  });

  it('reports no phase that goes back', async () => {
    const telling = (name: BackendName, upTo: number): Backend =>
      fake(name, {
        sort: async (request) => {
          for (let completed = 0; completed <= upTo; completed++) {
            request.onProgress?.({ phase: 'sort', completed, total: 4 });
          }
          if (upTo < 4) throw new Error('it broke');
          return builtin().sort({ ...request, onProgress: undefined });
        },
      });
    const sorter = await createSorter({ backends: [telling('cpu', 2), telling('builtin', 4)] });
    const told: number[] = [];
    const onProgress = ({ completed }: Progress): unknown => told.push(completed);
    await sorter.sort(random(MANY), { onProgress });
    // The call tells of its last phase again, now and then and in the end.
    expect(told).toEqual(told.toSorted((a, b) => a - b));
    expect([...new Set(told)]).toEqual([0, 1, 2, 3, 4]);
  });

  it('rejects with a RangeError for a length over the limit of a named backend', async () => {
    const narrow = fake('cpu', { maxLength: () => 2000 });
    const sorter = await createSorter({ backends: [narrow, builtin()] });
    const keys = random(3000);
    await expect(sorter.sort(keys, { backend: 'cpu' })).rejects.toThrow(RangeError);
    await expect(sorter.sort(keys, { backend: 'cpu' })).rejects.toThrow(/over its limit of 2000/);
    await sorter.sort(keys);
    expect(isSame(keys, keys.slice().sort())).toBe(true);
  });

  it('tries no other backend when the caller was the cause', async () => {
    const next = fake('builtin', { sort: vi.fn(builtin().sort) });
    const slow = fake('cpu', {
      sort: async ({ onProgress, signal }: SortRequest) => {
        await new Promise((resolve) => setTimeout(resolve, 5));
        onProgress?.({ phase: 'sort', completed: 0, total: 1 });
        throw signal?.aborted ? signal.reason : new BackendFailedError('cpu', 'it broke');
      },
    });
    const sorter = await createSorter({ backends: [slow, next] });
    const thrown = new Error('from the callback');
    const onProgress = (): void => {
      throw thrown;
    };
    await expect(sorter.sort(random(MANY), { onProgress })).rejects.toBe(thrown);
    const controller = new AbortController();
    const aborted = sorter.sort(random(MANY), { signal: controller.signal });
    controller.abort(new Error('enough'));
    await expect(aborted).rejects.toThrow('enough');
    const taken = random(MANY);
    const lost = sorter.sort(taken);
    structuredClone(taken.buffer, { transfer: [taken.buffer] });
    await expect(lost).rejects.toThrow(/detached/);
    expect(next.sort).not.toHaveBeenCalled();
  });
});
