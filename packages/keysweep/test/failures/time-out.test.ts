/** Failures, rests and time-outs, by a fake clock. */

import { type Backend, BackendFailedError, type SortRequest } from '@keysweep/core';
import { builtin, createSorter, type Sorter, type SortReport } from 'keysweep';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { eagerSorter } from '../eager.js';

const fake = (serve: Partial<Backend>): Backend => ({ ...builtin(), name: 'cpu', ...serve });

/** Keys that the cpu backend is expected to sort sooner than the builtin. */
const few = (): Uint32Array => Uint32Array.from({ length: 5000 }, (_, i) => (i * 7919) % 5000);
const sorted = Uint32Array.from({ length: 5000 }, (_, i) => i);
const PLANNED = { keyType: 'u32', length: 5000 } as const;

const hanging = (): Promise<never> => new Promise(() => {});

async function reportOf(sorter: Sorter, keys = few()): Promise<SortReport> {
  let report: SortReport | undefined;
  await sorter.sort(keys, { onReport: (r) => (report = r) });
  expect(keys).toEqual(sorted);
  return report as SortReport;
}

beforeEach(() => {
  vi.useFakeTimers({
    toFake: ['performance', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'],
  });
  return () => vi.useRealTimers();
});

/**
 * Advances the clock until `work` settles. Returns its result or error, and the seconds that
 * passed.
 */
async function settled<T>(work: Promise<T>): Promise<{ seconds: number; outcome: T | Error }> {
  const start = performance.now();
  let outcome: { it: T | Error } | undefined;
  work.then(
    (value) => {
      outcome = { it: value };
    },
    (error: Error) => {
      outcome = { it: error };
    },
  );
  while (outcome === undefined) await vi.advanceTimersByTimeAsync(100);
  return { seconds: (performance.now() - start) / 1000, outcome: outcome.it };
}

it('a sort that is done leaves no timer', async () => {
  const sorter = await eagerSorter([fake({}), builtin()]);
  const before = vi.getTimerCount();
  expect((await reportOf(sorter)).backend).toBe('cpu');
  expect(vi.getTimerCount()).toBe(before);
});

it('a sort that fails leaves no timer, whether another backend serves or none', async () => {
  const sort = (): Promise<never> => Promise.reject(new BackendFailedError('cpu', 'it broke'));
  const sorter = await eagerSorter([fake({ sort }), builtin()]);
  const before = vi.getTimerCount();
  expect((await reportOf(sorter)).fallbacks).toHaveLength(1);
  expect(vi.getTimerCount()).toBe(before);
  const onProgress = (): void => {};
  for (const options of [{}, { onProgress }]) {
    for (const call of [
      () => sorter.sort(few(), { ...options, backend: 'cpu' }),
      () => sorter.argsort(few(), { ...options, backend: 'cpu', indices: Uint32Array.of(1, 0) }),
      () => sorter.topK(few(), 10, { ...options, backend: 'cpu' }),
      () => sorter.sort('no array' as never, options),
    ]) {
      await expect(call()).rejects.toThrow(Error);
      expect(vi.getTimerCount()).toBe(before);
    }
  }
});

describe('a backend that fails', () => {
  let works = false;
  let sorter: Sorter;
  const sort = vi.fn((request: SortRequest) =>
    works ? builtin().sort(request) : Promise.reject(new BackendFailedError('cpu', 'it broke')),
  );

  beforeEach(async () => {
    works = false;
    sort.mockClear();
    sorter = await eagerSorter([fake({ sort }), builtin()]);
  });

  it('rests for 1 second, then 2, up to 60, until a success', async () => {
    for (const seconds of [1, 2, 4, 8, 16, 32, 60, 60]) {
      expect((await reportOf(sorter)).fallbacks.length).toBe(1);
      const calls = sort.mock.calls.length;
      await vi.advanceTimersByTimeAsync(1000 * seconds - 1);
      const { steps, refused } = sorter.plan(PLANNED);
      expect(steps.map(({ backend }) => backend)).toEqual(['builtin']);
      expect(refused[0]?.reason).toMatch(/^it rests for another 1 ms since it failed: .*it broke/);
      expect((await reportOf(sorter)).fallbacks).toEqual([]);
      expect(sort).toHaveBeenCalledTimes(calls);
      await vi.advanceTimersByTimeAsync(1);
    }
    works = true;
    expect((await reportOf(sorter)).backend).toBe('cpu');
    works = false;
    await reportOf(sorter);
    await vi.advanceTimersByTimeAsync(1000);
    expect(sorter.plan(PLANNED).steps[0]?.backend).toBe('cpu');
  });

  it('is tried all the same when a call names it, or no other is there', async () => {
    await reportOf(sorter);
    works = true;
    await sorter.sort(few(), { backend: 'cpu' });
    works = false;
    const alone = await createSorter({ backends: [fake({ sort })] });
    for (let i = 0; i < 3; i++) await expect(alone.sort(few())).rejects.toThrow('it broke');
  });

  it('does not rest after an error that the caller caused', async () => {
    const controller = new AbortController();
    const aborted = sorter.sort(few(), { signal: controller.signal });
    controller.abort(new Error('enough'));
    await expect(aborted).rejects.toThrow('enough');
    expect(sorter.plan(PLANNED).steps[0]?.backend).toBe('cpu');
  });
});

describe('a backend without a sign of life', () => {
  let sorter: Sorter;
  afterEach(() => sorter.close());

  it('is aborted in a sort after 15 seconds, and another serves', async () => {
    let signal: SortRequest['signal'];
    const sort = (request: SortRequest): Promise<never> => {
      signal = request.signal;
      return hanging();
    };
    sorter = await eagerSorter([fake({ sort }), builtin()]);
    const { seconds, outcome } = await settled(reportOf(sorter));
    expect(seconds).toBeCloseTo(15, 0);
    const error = (outcome as SortReport).fallbacks[0]?.error;
    expect(error).toBeInstanceOf(BackendFailedError);
    expect(error?.message).toContain('its sort showed no sign of life for 15 s');
    expect(signal).toMatchObject({ aborted: true, reason: error });
    expect(sorter.plan(PLANNED).refused[0]?.reason).toMatch(/^it rests/);
  });

  it('does not write its result after it was given up', async () => {
    let wake: () => void = () => {};
    const late = new Promise<void>((resolve) => {
      wake = resolve;
    });
    let rejected: unknown;
    const sort = async (request: SortRequest) => {
      await late;
      // As every backend does before it writes.
      if (request.signal?.aborted) {
        rejected = request.signal.reason;
        throw rejected;
      }
      return builtin().sort(request);
    };
    sorter = await eagerSorter([fake({ sort }), builtin()], { timeout: 50 });
    const keys = few();
    await settled(sorter.sort(keys));
    keys.reverse();
    const after = keys.slice();
    wake();
    await vi.advanceTimersByTimeAsync(100);
    expect(rejected).toBeInstanceOf(BackendFailedError);
    expect(keys).toEqual(after);
  });

  it('is not given up while it writes or reports progress', async () => {
    const slow = async (request: SortRequest) => {
      for (let i = 0; i < 5; i++) {
        await new Promise((resolve) => setTimeout(resolve, 14_000));
        request.onProgress?.({ phase: 'sort', completed: i, total: 5 });
      }
      request.onCommit?.();
      await new Promise((resolve) => setTimeout(resolve, 60_000));
      return builtin().sort({ ...request, signal: undefined, onProgress: undefined });
    };
    sorter = await eagerSorter([fake({ sort: slow }), builtin()]);
    const keys = few();
    let backend: string | undefined;
    const sorting = sorter.sort(keys, {
      onProgress: () => {},
      onReport: (report) => {
        backend = report.backend;
      },
    });
    await settled(sorting);
    expect(backend).toBe('cpu');
  });

  it('is given up all the same if it has told of progress before', async () => {
    const sort = async ({ onProgress }: SortRequest): Promise<never> => {
      await new Promise((resolve) => setTimeout(resolve, 5000));
      onProgress?.({ phase: 'sort', completed: 1, total: 5 });
      return hanging();
    };
    sorter = await eagerSorter([fake({ sort }), builtin()]);
    const keys = few();
    const backends: string[] = [];
    const { seconds } = await settled(
      sorter.sort(keys, {
        onProgress: () => {},
        onReport: ({ backend }) => void backends.push(backend),
      }),
    );
    // Looks at a backend come every 3.75 seconds: the first that sees no change begins the wait.
    expect(seconds).toBeGreaterThanOrEqual(20);
    expect(seconds).toBeLessThan(24);
    expect(backends).toEqual(['builtin']);
    expect(keys).toEqual(sorted);
  });

  it('is not given up while requests before it are served', async () => {
    let turn = Promise.resolve<unknown>(undefined);
    const sort = (request: SortRequest) => {
      const mine = turn
        .then(() => new Promise((resolve) => setTimeout(resolve, 4000)))
        .then(() => builtin().sort(request));
      turn = mine;
      return mine;
    };
    sorter = await eagerSorter([fake({ sort }), builtin()]);
    const all = Promise.all(Array.from({ length: 10 }, () => reportOf(sorter)));
    const { outcome } = await settled(all);
    for (const { backend } of outcome as SortReport[]) expect(backend).toBe('cpu');
  });

  it('is not given up when the calling thread was blocked', async () => {
    vi.useRealTimers();
    // The answer comes behind the timers, as messages do.
    const sort = async (request: SortRequest) => {
      await new Promise((resolve) => setTimeout(() => setImmediate(resolve), 5));
      return builtin().sort(request);
    };
    sorter = await eagerSorter([fake({ sort }), builtin()], { timeout: 50 });
    const reporting = reportOf(sorter);
    setTimeout(() => {
      const end = performance.now() + 200;
      while (performance.now() < end);
    });
    expect((await reporting).backend).toBe('cpu');
  });

  it('is given up in its probe, and probed again after a rest', async () => {
    const probe = vi.fn(hanging as Backend['probe']);
    sorter = await eagerSorter([fake({ probe }), builtin()]);
    const { seconds, outcome } = await settled(reportOf(sorter));
    expect(seconds).toBeCloseTo(15, 0);
    expect((outcome as SortReport).backend).toBe('builtin');
    probe.mockImplementation(builtin().probe);
    await vi.advanceTimersByTimeAsync(1000);
    expect((await reportOf(sorter)).backend).toBe('cpu');
  });

  it('counts as cold afterwards, because its next instance is', async () => {
    const sort = vi.fn((request: SortRequest) => builtin().sort(request));
    sorter = await createSorter({ backends: [fake({ sort }), builtin()] });
    const expected = (): number =>
      sorter.plan({ ...PLANNED, backend: 'cpu' }).steps[0]?.milliseconds as number;
    const cold = expected();
    await sorter.sort(few(), { backend: 'cpu' });
    expect(expected()).toBeLessThan(cold / 2);
    sort.mockImplementation(hanging);
    const { outcome } = await settled(sorter.sort(few(), { backend: 'cpu' }));
    expect(outcome).toBeInstanceOf(BackendFailedError);
    expect(expected()).toBeGreaterThan(cold / 2);
  });

  it('is given up in its close, which rejects', async () => {
    const closed = vi.fn(async () => {});
    const other: Backend = { ...builtin(), close: closed };
    sorter = await createSorter({ backends: [fake({ close: hanging }), other] });
    const { seconds, outcome } = await settled(sorter.close());
    expect(seconds).toBeCloseTo(15, 0);
    expect(outcome).toMatchObject({ message: expect.stringContaining('its close showed no sign') });
    expect(closed).toHaveBeenCalled();
    sorter = await createSorter();
  });

  it('is waited for as long as `timeout` says', async () => {
    sorter = await eagerSorter([fake({ sort: hanging }), builtin()], { timeout: 500 });
    const { seconds } = await settled(reportOf(sorter));
    expect(seconds).toBeLessThan(1);
    for (const timeout of [0, -1, 2 ** 31, Number.NaN, '1' as never]) {
      await expect(createSorter({ timeout })).rejects.toThrow(/timeout must be a number/);
    }
  });
});
