/** No loss of speed is silent: each is said once, and no sort is lost by it. */

import type { SortOutcome, SortWarning } from '@keysweep/core';
import { builtin, createSorter } from 'keysweep';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { defaultBackends } from '../../src/run/backends.js';
import { lazy } from '../../src/run/lazy.js';
import { fake, isSame, MANY, random } from '../fakes.js';

afterEach(() => vi.restoreAllMocks());

const LOSS: SortWarning = { code: 'no-threads', message: 'what was lost' };

/** A CPU backend that loses its threads with the first sort. */
function losing(): ReturnType<typeof fake> {
  const own = builtin();
  let threads = 16;
  return fake('cpu', {
    async probe() {
      const description = `${threads} threads`;
      return { available: true, capabilities: { description, software: false, threads } };
    },
    async sort(request): Promise<SortOutcome> {
      threads = 1;
      return { ...(await own.sort(request)), warnings: [LOSS, LOSS] };
    },
  });
}

const failing = (): ReturnType<typeof fake> =>
  fake('cpu', { sort: () => Promise.reject(new Error('out of order')) });

/** Sorts three times; returns whether the results were right. */
async function sortsRight(sorter: Awaited<ReturnType<typeof createSorter>>): Promise<boolean> {
  let right = true;
  for (let i = 0; i < 3; i++) {
    const keys = random(MANY);
    const expected = keys.slice().sort();
    await sorter.sort(keys);
    right &&= isSame(keys, expected);
  }
  return right;
}

describe('onWarning', () => {
  it('is told once of what a backend has lost', async () => {
    const said: SortWarning[] = [];
    const onWarning = (warning: SortWarning) => said.push(warning);
    const sorter = await createSorter({ backends: [losing(), builtin()], onWarning });
    expect(await sortsRight(sorter)).toBe(true);
    expect(said).toEqual([LOSS]);
    const other = await createSorter({ backends: [losing(), builtin()], onWarning });
    expect(await sortsRight(other)).toBe(true);
    expect(said).toEqual([LOSS, LOSS]);
  });

  it('is told once when a backend fails and another one serves', async () => {
    const said: SortWarning[] = [];
    const onWarning = (warning: SortWarning) => said.push(warning);
    const sorter = await createSorter({ backends: [failing(), builtin()], onWarning });
    expect(await sortsRight(sorter)).toBe(true);
    expect(said.map(({ code }) => code)).toEqual(['cpu-failed']);
    expect(said[0]?.message).toMatch(/the cpu backend failed.*out of order/);
    expect(said[0]?.cause).toEqual(new Error('out of order'));
  });

  it('is not told of a backend that the caller named: the call rejects', async () => {
    const onWarning = vi.fn();
    const sorter = await createSorter({ backends: [failing(), builtin()], onWarning });
    const sorting = sorter.sort(random(MANY), { backend: 'cpu' });
    await expect(sorting).rejects.toThrow('out of order');
    expect(onWarning).not.toHaveBeenCalled();
  });

  it("is told of a backend whose code, or probe, breaks, not of one that isn't there", async () => {
    const backends = [
      lazy('cpu', () => Promise.reject(new Error('no such chunk'))),
      fake('webgl2', { probe: async () => ({ available: false, reason: 'no WebGL2' }) }),
      fake('webgpu', { probe: () => Promise.reject(new Error('broken')) }),
      builtin(),
    ];
    const said: string[] = [];
    const onWarning = ({ code, message }: SortWarning) => said.push(`${code}: ${message}`);
    const sorter = await createSorter({ backends, onWarning });
    // Long enough for a GPU to be the best.
    for (const length of [MANY, 4 * MANY]) await sorter.sort(random(length));
    expect(said.toSorted()).toEqual([
      expect.stringMatching(/^cpu-failed: .*no such chunk/),
      expect.stringMatching(/^webgpu-failed: .*broken/),
    ]);
  });

  it('is not told of a probe that broke, once a later one has worked', async () => {
    let breaks = true;
    const own = builtin();
    const flaky = fake('cpu', {
      probe: () => (breaks ? Promise.reject(new Error('broken')) : own.probe()),
    });
    const onWarning = vi.fn();
    const sorter = await createSorter({ backends: [flaky, own], onWarning });
    expect((await sorter.capabilities()).cpu?.available).toBe(false);
    breaks = false;
    expect((await sorter.capabilities()).cpu?.available).toBe(true);
    expect(await sortsRight(sorter)).toBe(true);
    expect(onWarning).not.toHaveBeenCalled();
    await sorter.close();
  });

  it('may throw: the sort goes on, and the error is on the console', async () => {
    const error = vi.spyOn(console, 'error').mockImplementation(() => {});
    const thrown = new Error('from the callback');
    const onWarning = () => {
      throw thrown;
    };
    const sorter = await createSorter({ backends: [failing(), builtin()], onWarning });
    expect(await sortsRight(sorter)).toBe(true);
    expect(error.mock.calls).toEqual([['keysweep: onWarning has thrown', thrown]]);
  });

  it('is console.warn by default', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const sorter = await createSorter({ backends: [losing(), builtin()] });
    expect(await sortsRight(sorter)).toBe(true);
    expect(warn.mock.calls).toEqual([['keysweep: what was lost [no-threads]']]);
  });

  it('has to be a function', async () => {
    await expect(createSorter({ onWarning: 'log' as never })).rejects.toThrow(
      new TypeError("onWarning must be a function that takes a warning, got the string 'log'"),
    );
  });

  it('is told nothing if nothing was lost', async () => {
    const onWarning = vi.fn();
    const sorter = await createSorter({ backends: defaultBackends(), onWarning });
    expect(await sortsRight(sorter)).toBe(true);
    await sorter.close();
    expect(onWarning).not.toHaveBeenCalled();
  });
});

it('a plan expects no threads once they are lost', async () => {
  const sorter = await createSorter({ backends: [losing(), builtin()], onWarning: () => {} });
  const stepOf = async () => {
    const { steps } = sorter.plan({ operation: 'sort', keyType: 'u32', length: MANY });
    return steps.find(({ backend }) => backend === 'cpu');
  };
  await sorter.capabilities();
  await sorter.warmUp(0);
  const before = await stepOf();
  expect(before?.reason).toContain('16 threads');
  await sortsRight(sorter);
  const after = await stepOf();
  expect(after?.reason).toContain('1 threads');
  // Without the start, which only the first plan has, threads would take less time.
  const start = /, (\d+) ms of it to start/.exec(before?.reason ?? '');
  const warm = (before?.milliseconds ?? 0) - Number(start?.[1] ?? 0);
  expect(after?.milliseconds).toBeGreaterThan(1.5 * warm);
});

it('short arrays go by what a second probe has found', async () => {
  const own = builtin();
  let kernels: 'plain' | 'wasm' = 'plain';
  let served = 0;
  const backend = fake('cpu', {
    async probe() {
      const capabilities = { description: 'a CPU', software: false, threads: 2, kernels };
      return { available: true, capabilities };
    },
    async sort(request): Promise<SortOutcome> {
      served++;
      const outcome = await own.sort(request);
      return kernels === 'wasm' ? { ...outcome, warnings: [LOSS] } : outcome;
    },
  });
  const sorter = await createSorter({ backends: [backend, own], onWarning: () => {} });
  // Plain loops take longer than the runtime's own sort for keys of 64 bits, and WebAssembly less.
  const sort = async () => {
    const keys = BigUint64Array.from(random(50_000), BigInt);
    const expected = keys.slice().sort();
    await sorter.sort(keys);
    expect(isSame(keys, expected)).toBe(true);
  };
  const sortByIt = () => sorter.sort(random(100), { backend: 'cpu' });
  await sortByIt();
  await sort();
  expect(served).toBe(1);
  kernels = 'wasm';
  await sortByIt();
  await sort();
  expect(served).toBe(3);
  await sorter.close();
});
