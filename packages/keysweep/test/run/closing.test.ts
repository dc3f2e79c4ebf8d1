/** Sorters that are closed, and backends that are loaded late, renewed or released. */

import { type Backend, type Probe, plainRequest, plainShape } from '@keysweep/core';
import {
  builtin,
  ClosedError,
  type Column,
  createSorter,
  type Sorter,
  type SortReport,
} from 'keysweep';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { lazy } from '../../dist/run/lazy.js';
import { fake, isSame, MANY, random } from '../fakes.js';

describe('a sorter that is closed', () => {
  it('while a backend is probed sorts nothing afterwards', async () => {
    let served = 0;
    let end: (probe: Probe) => void = () => {};
    let begin: () => void = () => {};
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const probing = new Promise<Probe>((resolve) => {
      end = resolve;
    });
    const serve = builtin();
    const sorter = await createSorter({
      backends: [
        fake('cpu', {
          probe() {
            begin();
            return probing;
          },
          sort(request) {
            served++;
            return serve.sort(request);
          },
        }),
      ],
    });
    const keys = random(MANY);
    const before = keys.slice();
    const sorting = sorter.sort(keys, { backend: 'cpu' });
    await begun;
    const closing = sorter.close();
    end(await serve.probe());
    await expect(sorting).rejects.toThrow(ClosedError);
    await closing;
    expect(served).toBe(0);
    expect(isSame(keys, before)).toBe(true);
  });
});

it('a sorter that is closed while it warms up starts no backend afterwards', async () => {
  let end: (probe: Probe) => void = () => {};
  const probing = new Promise<Probe>((resolve) => {
    end = resolve;
  });
  const probe = vi.fn(() => probing);
  const warmUp = vi.fn(async () => {});
  const sorter = await createSorter({ backends: [fake('cpu', { probe, warmUp })] });
  const warming = sorter.warmUp();
  await vi.waitFor(() => expect(probe).toHaveBeenCalled());
  const closing = sorter.close();
  end(await builtin().probe());
  await expect(warming).rejects.toThrow(ClosedError);
  await closing;
  expect(warmUp).not.toHaveBeenCalled();
});

it('a backend that is loaded late is closed once it is renewed, or with its sorter', async () => {
  const close = vi.fn(async () => {});
  const load = vi.fn(async () => fake('cpu', { close }));
  const own = lazy('cpu', load);
  await own.probe();
  own.renew?.();
  await vi.waitFor(() => expect(close).toHaveBeenCalledTimes(1));
  await own.probe();
  expect(load).toHaveBeenCalledTimes(2);
  await own.close();
  expect(close).toHaveBeenCalledTimes(2);
  await expect(own.sort({} as never)).rejects.toThrow(/closed/);
  expect(load).toHaveBeenCalledTimes(2);
});

it('a backend that is renewed while it is loaded serves by its next instance', async () => {
  const loads: ((backend: Backend) => void)[] = [];
  const load = () => new Promise<Backend>((resolve) => loads.push(resolve));
  const closed = (): Promise<never> => Promise.reject(new ClosedError('the cpu backend'));
  const own = lazy('cpu', load);
  const keys = random(10);
  const sorting = own.sort(plainRequest('sort', keys));
  own.renew?.();
  const close = vi.fn(async () => {});
  loads[0]?.(fake('cpu', { sort: closed, maxLength: () => 0, close }));
  await vi.waitFor(() => expect(loads).toHaveLength(2));
  loads[1]?.(fake('cpu', {}));
  await sorting;
  expect(keys).toEqual(keys.slice().sort());
  expect(close).toHaveBeenCalledTimes(1);
  expect(own.maxLength(plainShape('sort', 'u32', 10))).toBeGreaterThan(0);
  await own.close();
});

describe('a sorter that is closed already', () => {
  const equal = (rows: number) => [{ keys: new Uint8Array(rows) }, new Uint16Array(rows)];
  it.each([
    ['all rows are equal', async () => equal(2)],
    ['many rows are equal', async () => equal(100_000)],
    ['all rows are nulls', async () => ({ keys: new Uint8Array(2), valid: new Uint8Array(1) })],
    ['the strings are few', async () => ({ keys: ['b', 'a'] })],
    ['ranks are places', (sorter: Sorter) => sorter.prepare({ keys: ['b', 'a'] })],
  ] as const)('rejects an argsort that takes no sort: %s', async (_, columnsBy) => {
    const sorter = await createSorter();
    const columns: Column | readonly Column[] = await columnsBy(sorter);
    await sorter.close();
    await expect(sorter.argsort(columns)).rejects.toThrow(/the sorter is closed/);
  });

  it('still says what is wrong with an argument', async () => {
    const sorter = await createSorter();
    await sorter.close();
    await expect(sorter.argsort({ keys: 5 as never })).rejects.toThrow(TypeError);
  });
});

describe('a backend whose code cannot be loaded', () => {
  it('is refused with the reason, and has nothing to give back', async () => {
    const missing = lazy('cpu', () => Promise.reject(new Error('no such file')));
    const sorter = await createSorter({ backends: [missing, builtin()] });
    const keys = random(5000);
    await sorter.sort(keys);
    expect(keys).toEqual(keys.slice().sort());
    await expect(sorter.sort(keys, { backend: 'cpu' })).rejects.toThrow(/no such file/);
    await sorter.release();
    await sorter.close();
  });

  it('is loaded again once it has rested, and then serves', async () => {
    const load = vi.fn(async () => fake('cpu', {}));
    load.mockRejectedValueOnce(new Error('the network is down'));
    const codes: string[] = [];
    const onWarning = ({ code }: { code: string }): unknown => codes.push(code);
    const sorter = await createSorter({ backends: [lazy('cpu', load), builtin()], onWarning });
    const backendOf = async (): Promise<string | undefined> => {
      let report: SortReport | undefined;
      await sorter.sort(random(MANY), { onReport: (r) => (report = r) });
      return report?.backend;
    };
    // It rests by this clock, however long sorts take on a busy machine.
    let now = performance.now();
    vi.spyOn(performance, 'now').mockImplementation(() => now);
    onTestFinished(() => void vi.restoreAllMocks());
    expect(await backendOf()).toBe('builtin');
    // It rests, so that not every sort loads it in vain.
    expect(await backendOf()).toBe('builtin');
    expect(load).toHaveBeenCalledTimes(1);
    now += 2000;
    expect(await backendOf()).toBe('cpu');
    expect(load).toHaveBeenCalledTimes(2);
    expect(codes).toEqual(['cpu-failed']);
    await sorter.close();
  });
});

it.each(['release', 'close'] as const)('%s rejects once every backend is done', async (end) => {
  const none = async () => {};
  let finish = none;
  const slow = new Promise<void>((done) => {
    finish = async () => done();
  });
  const fails = (message: string) => () => Promise.reject(new Error(message));
  const backends = [
    fake('webgpu', { release: none, close: none, [end]: fails('the first') }),
    fake('cpu', { release: none, close: none, [end]: () => slow }),
    fake('webgl2', { release: none, close: none, [end]: fails('the second') }),
  ];
  const sorter = await createSorter({ backends });
  let isOver = false;
  const ending = sorter[end]().finally(() => {
    isOver = true;
  });
  ending.catch(() => {});
  await new Promise((done) => setTimeout(done, 10));
  expect(isOver).toBe(false);
  await finish();
  await expect(ending).rejects.toThrow('the first');
});
