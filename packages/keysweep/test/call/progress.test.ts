/** Progress of whole calls, and times that add up. */

import {
  builtin,
  type CallProgress,
  createSorter,
  type SortOptions,
  type SortReport,
} from 'keysweep';
import { searchSorted } from 'keysweep/sorted';
import { afterAll, describe, expect, it } from 'vitest';
import { tellingAll } from '../../src/call/telling.js';
import { runAsync } from '../../src/sorted/run.js';
import { fake, random } from '../fakes.js';

const sorter = await createSorter();
afterAll(() => sorter.close());

const N = 300_000;
const keys = random(N);
const floats = Float64Array.from(keys, (key) => key / 7);
const strings = Array.from(keys.subarray(0, 20_000), (key) => `row ${key}`);
const valid = new Uint8Array(N / 8).fill(0x5f);
const indices = random(5000).map((row) => row % N);

type Calls = Readonly<Record<string, (options: SortOptions) => Promise<unknown>>>;
const calls: Calls = {
  sort: (options) => sorter.sort(keys.slice(), options),
  'sort of few keys': (options) => sorter.sort(keys.slice(0, 9), options),
  'sort of no keys': (options) => sorter.sort(new Uint32Array(0), options),
  toSorted: (options) => sorter.toSorted(floats, options),
  sortPairs: (options) => sorter.sortPairs(keys.slice(), keys.slice(), options),
  argsort: (options) => sorter.argsort(floats, options),
  'argsort of columns': (options) => sorter.argsort([keys, floats], options),
  'argsort of a described column': (options) => sorter.argsort({ keys: floats, valid }, options),
  'argsort of a table': (options) =>
    sorter.argsort(
      [
        { keys: floats, valid },
        { keys, order: 'descending' },
      ],
      options,
    ),
  'argsort of strings': (options) => sorter.argsort({ keys: strings }, options),
  'argsort of chosen rows': (options) => sorter.argsort(floats, { ...options, indices }),
};
const selections: Calls = {
  topK: (options) => sorter.topK(floats, 100, options),
  select: (options) => sorter.select(floats, N / 2, options),
};

function expectWhole(events: readonly CallProgress[]): void {
  const fractions = events.map(({ fraction }) => fraction);
  expect(fractions.length).toBeGreaterThan(0);
  expect(fractions).toEqual(fractions.toSorted((a, b) => a - b));
  expect(fractions[0]).toBeGreaterThanOrEqual(0);
  expect(fractions.at(-1)).toBe(1);
  for (const { completed, total } of events) expect(completed).toBeLessThanOrEqual(total);
}

describe.each(['auto', 'cpu', 'builtin'] as const)('the fraction of a call by %s', (backend) => {
  it.each(Object.entries({ ...calls, ...selections }))('%s: rises to 1', async (_, call) => {
    const events: CallProgress[] = [];
    await call({ backend, onProgress: (event) => void events.push(event) });
    expectWhole(events);
  });
});

it('a call of keysweep/sorted tells of its sort, then of its loops, and no more', async () => {
  const told: CallProgress[] = [];
  const onProgress = (progress: CallProgress): void => void told.push(progress);
  let aborted: AbortController | undefined;
  function* steps(): Generator<unknown, string, unknown> {
    const sorted = yield { sort: Uint32Array.of(2, 1) };
    for (const share of [0.25, 0.5, 1]) {
      yield share;
      aborted?.abort(new Error('enough'));
    }
    return String(sorted);
  }
  const load = async () => ({
    async sort(keys: Uint32Array, options: SortOptions) {
      options.onProgress?.({ phase: 'upload', completed: 3, total: 100, fraction: 0 });
      options.onProgress?.({ phase: 'sort', completed: 0, total: 0, fraction: 0 });
      options.onProgress?.({ phase: 'sort', completed: 50, total: 100, fraction: 0 });
      return keys.sort();
    },
  });
  const run = (options: object): Promise<string> =>
    runAsync(steps() as never, options as never, { length: 100 } as never, load as never);
  expect(await run({ onProgress })).toBe('1,2');
  expectWhole(told);
  expect(told.map(({ phase }) => phase)).toEqual([
    ...['upload', 'sort', 'sort', 'sort', 'sort', 'sort', 'readback'],
  ]);
  const fractions = told.map(({ fraction }) => fraction);
  expect(fractions.slice(0, 2)).toEqual([0, 0]);
  expect(new Set(fractions.slice(2, 5)).size).toBe(3);
  expect(fractions[2]).toBeGreaterThan(0);
  for (const { completed, total, fraction } of told) {
    expect([completed, total]).toEqual([Math.floor(100 * fraction), 100]);
  }
  aborted = new AbortController();
  await expect(run({ signal: aborted.signal })).rejects.toThrow('enough');
  await expect(run({ signal: aborted.signal })).rejects.toThrow('enough');
});

it('a call of keysweep/sorted tells of as many elements as its longest input has', async () => {
  const told: CallProgress[] = [];
  const onProgress = (progress: CallProgress): void => void told.push(progress);
  await searchSorted(Uint32Array.of(1, 2), new Uint32Array(300), { onProgress });
  expect(new Set(told.map(({ total }) => total))).toEqual(new Set([300]));
  expectWhole(told);
});

async function reportOf(call: (options: SortOptions) => Promise<unknown>): Promise<SortReport> {
  const reports: SortReport[] = [];
  await call({ onReport: (report) => void reports.push(report) });
  expect(reports).toHaveLength(1);
  return reports[0] as SortReport;
}

describe('times by phase', () => {
  it.each(Object.entries(calls))('%s: add up to the total', async (_, call) => {
    const { total, ...phases } = (await reportOf(call)).milliseconds;
    const sum = Object.values(phases).reduce((sum, time) => sum + time, 0);
    expect(sum).toBeGreaterThan(0.95 * total);
    expect(sum).toBeLessThan(1.05 * total);
  });

  it('include the packing of columns', async () => {
    const table = [{ keys: floats, valid }, keys];
    const report = await reportOf((options) => sorter.argsort(table, options));
    expect(report.milliseconds.pack).toBeGreaterThan(0);
  });
});

it('what is expected of a table covers its packing and all of its sorts', async () => {
  const table = [{ keys: strings }, { keys: keys.subarray(0, strings.length) }];
  const report = await reportOf((options) => sorter.argsort(table, options));
  const alone = await reportOf((options) => sorter.argsort(keys.subarray(0, 20_000), options));
  expect(report.predicted).toBeGreaterThan(alone.predicted as number);
});

it('moves while a backend has no news, and tells of packing before the first sort', async () => {
  const events: CallProgress[] = [];
  let heard = (): void => {};
  const enough = new Promise<void>((resolve) => {
    heard = resolve;
  });
  const slow = fake('cpu', {
    async sort({ shape }) {
      await enough;
      const permutation = Uint32Array.from({ length: shape.length }, (_, i) => i);
      return {
        permutation,
        milliseconds: {},
        passes: { run: 0, skipped: 0 },
        threads: 1,
        bound: 0,
      };
    },
  });
  const own = await createSorter({ backends: [slow] });
  const onProgress = (event: CallProgress): void => {
    events.push(event);
    if (events.length === 6) heard();
  };
  await own.argsort([{ keys }, { keys: floats }], { onProgress });
  expectWhole(events);
  expect(events[0]?.phase).toBe('pack');
  expect(new Set(events.map(({ fraction }) => fraction)).size).toBeGreaterThanOrEqual(6);
  await own.close();
});

it('rejects with what the callback throws while a backend has no news', async () => {
  const own = await createSorter({
    backends: [
      fake('cpu', {
        async sort({ onProgress }) {
          for (;;) {
            await new Promise((resolve) => setTimeout(resolve, 5));
            if (hasThrown) onProgress?.({ phase: 'sort', completed: 1, total: 1 });
          }
        },
      }),
    ],
  });
  let hasThrown = false;
  const onProgress = (): void => {
    hasThrown = true;
    throw new Error('no more');
  };
  await expect(own.sort(keys.slice(), { onProgress })).rejects.toThrow('no more');
  await own.close();
});

it('rejects with what the callback throws if a backend then ends without more news', async () => {
  let thrown = (): void => {};
  const hasThrown = new Promise<void>((resolve) => {
    thrown = resolve;
  });
  const silent = fake('cpu', {
    async sort(request) {
      const outcome = await builtin().sort({ ...request, onProgress: undefined });
      await hasThrown;
      return outcome;
    },
  });
  const own = await createSorter({ backends: [silent] });
  let calls = 0;
  // What is told before the backend begins comes in one go: later calls are made between news.
  const onProgress = (): void => {
    setTimeout(() => calls++);
    if (calls === 0) return;
    thrown();
    throw new Error('no more');
  };
  await expect(own.sort(keys.slice(), { onProgress })).rejects.toThrow('no more');
  await own.close();
});

it('tells of nothing any more once a call has failed', async () => {
  let calls = 0;
  const onProgress = (): void => void calls++;
  const failing = fake('cpu', {
    async sort(request) {
      request.onProgress?.({ phase: 'sort', completed: 0, total: 1 });
      throw new Error('it broke');
    },
  });
  const own = await createSorter({ backends: [failing] });
  await expect(own.sort(keys.slice(), { onProgress })).rejects.toThrow('it broke');
  const told = calls;
  expect(told).toBeGreaterThan(0);
  await new Promise((resolve) => setTimeout(resolve, 120));
  expect(calls).toBe(told);
  await own.close();
});

it('keeps the error of a call that fails before it has told of anything', async () => {
  const onProgress = (): void => {};
  const failing = tellingAll({ onProgress }, () => Promise.reject(new Error('no memory')));
  await expect(failing).rejects.toThrow('no memory');
});

it('reports of a table the sum of what its requests report, and the most threads', async () => {
  const reported: { threads: number; run: number }[] = [];
  const backend = fake('cpu', {
    async sort(request) {
      const result = await builtin().sort(request);
      const [threads, run] = [reported.length + 1, 10 ** reported.length];
      reported.push({ threads, run });
      return { ...result, threads, passes: { run, skipped: 2 * run } };
    },
  });
  const own = await createSorter({ backends: [backend] });
  const reports: SortReport[] = [];
  // Of many numbers few tie: strings are ordered where they do.
  const dates = Float64Array.from(random(40_000), (key) => key % 2 ** 20);
  const names = Array.from(dates.keys(), (i) => `${i % 20}`);
  const sizes = Uint8Array.from(dates.keys(), (i) => i % 3);
  await own.argsort([dates, { keys: names }, sizes], {
    onReport: (report) => reports.push(report),
  });
  expect(reported.length).toBeGreaterThan(1);
  const run = reported.reduce((sum, one) => sum + one.run, 0);
  expect(reports).toMatchObject([
    { length: 40_000, threads: reported.length, passes: { run, skipped: 2 * run } },
  ]);
  await own.close();
});
