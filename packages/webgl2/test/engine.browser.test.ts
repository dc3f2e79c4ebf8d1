/** What the backend holds, what it leaves alone, and what it must not trust. */

import { isThorough, Random, randomKeys, runSeed } from '@keysweep/conformance/data';
import { makeRequest, verifyBoundaries } from '@keysweep/conformance/suite';
import { type Backend, BackendUnavailableError } from '@keysweep/core';
import { webgl2 } from '@keysweep/webgl2';
import { expect, it } from 'vitest';
import { WatchedContexts } from './watched-contexts.js';

const random = new Random(runSeed());

async function sortsWell(backend: Backend, length: number): Promise<void> {
  const keys = randomKeys(length, random);
  const expected = keys.slice().sort();
  const { permutation } = await backend.sort(makeRequest('argsort', [keys]));
  const gathered = permutation?.map((index) => keys[index] as number);
  expect(gathered?.join()).toBe(expected.join());
  await backend.sort(makeRequest('sort', [keys]));
  expect(keys.join()).toBe(expected.join());
}

it('every boundary of 16 bits survives, as a word and as a float', async () => {
  const backend = webgl2();
  await verifyBoundaries(backend);
  await backend.close();
});

it('many sorts leave as many GPU objects as there were; close gives the context back', async () => {
  const contexts = new WatchedContexts();
  let used: WebGL2RenderingContext | undefined;
  contexts.before = (name, gl) => {
    if (name === 'fenceSync') used = gl;
  };
  const backend = webgl2({ worker: false });
  // One of each kind, so that both kinds of kernels are there.
  await sortsWell(backend, 100);
  const before = { ...contexts.live };
  expect(before.Texture).toBeGreaterThan(20);
  for (let i = 0; i < (isThorough ? 100 : 30); i++)
    await sortsWell(backend, 2 + random.below(i % 10 === 0 ? 5000 : 500));
  expect(contexts.live).toEqual(before);
  await backend.release();
  await sortsWell(backend, 1000);
  expect(contexts.live).toEqual(before);
  expect(used?.isContextLost()).toBe(false);
  await backend.close();
  expect(used?.isContextLost()).toBe(true);
  contexts.restore();
});

// Of a million keys, which a software GPU sorts for seconds.
if (isThorough) {
  it('takes words in several pieces', async () => {
    const backend = webgl2();
    // Somewhat more than one of 2^20.
    const keys = randomKeys(2 ** 20 + 10_000 + random.below(10_000), random);
    const expected = keys.slice().sort();
    await backend.sort(makeRequest('sort', [keys]));
    expect(keys.findIndex((key, i) => key !== expected[i])).toBe(-1);
    await backend.close();
  });
}

it('works in a worker, and draws nothing in the page', async () => {
  const contexts = new WatchedContexts();
  const drawn: string[] = [];
  contexts.before = (name) => {
    if (name === 'drawArrays') drawn.push(name);
  };
  const backend = webgl2();
  await sortsWell(backend, 100);
  expect(drawn).toEqual([]);
  await backend.close();
  contexts.restore();
});

it('in the page, gpu.js leaves globals as they were', async () => {
  const before = Object.getOwnPropertyDescriptor(globalThis, 'GPU');
  const names = Object.getOwnPropertyNames(globalThis).sort();
  const backend = webgl2({ worker: false });
  await sortsWell(backend, 10);
  expect(Object.getOwnPropertyDescriptor(globalThis, 'GPU')).toEqual(before);
  expect(Object.getOwnPropertyNames(globalThis).sort()).toEqual(names);
  await backend.close();
});

/** A backend on a gpu.js that is not as it should be. */
async function refusalWith(change: (library: Library) => object): Promise<unknown> {
  const load = async (): Promise<object> => {
    const module = (await import('gpu.js')) as unknown as { default?: Library } & Library;
    return change(module.default ?? module);
  };
  const backend = webgl2({ worker: false, load });
  const error = await sortsWell(backend, 10).catch((error: unknown) => error);
  expect(error).toBeInstanceOf(BackendUnavailableError);
  await backend.close();
  return (error as BackendUnavailableError).reason;
}

interface Library {
  readonly GPU: new (settings: object) => object;
  readonly Texture: unknown;
  readonly WebGL2Kernel: { readonly isSupported: boolean };
}

it('says that it is unavailable where gpu.js runs on anything but WebGL2', async () => {
  const reason = 'gpu.js runs its kernels on something other than WebGL2';
  const onCpu = ({ GPU, Texture, WebGL2Kernel }: Library): object => {
    class OnCpu extends GPU {
      constructor() {
        super({ mode: 'cpu' });
      }
    }
    return { GPU: OnCpu, Texture, WebGL2Kernel };
  };
  expect(await refusalWith(onCpu)).toBe(reason);
  const unsupported = ({ GPU, Texture }: Library): object => ({
    GPU,
    Texture,
    WebGL2Kernel: { isSupported: false },
  });
  expect(await refusalWith(unsupported)).toBe('gpu.js finds no WebGL2 here');
});

it('says that it is unavailable without gpu.js', async () => {
  const absent = (): object => {
    throw new Error('it is not installed');
  };
  expect(await refusalWith(absent)).toMatch(/gpu.js could not be loaded: it is not installed/);
  expect(await refusalWith(() => ({}))).toBe('what was loaded as gpu.js is something else');
});

it('tells of software, and of its limit', async () => {
  const backend = webgl2();
  const probe = await backend.probe();
  expect(probe).toMatchObject({ available: true, capabilities: { software: true, threads: 0 } });
  const { shape } = makeRequest('sort', [new Uint32Array(1)]);
  const most = backend.maxLength(shape);
  expect(JSON.stringify(probe)).toContain(`up to ${most} keys`);
  const tooLong = makeRequest('sort', [new Uint8Array(most + 1)]);
  await expect(backend.sort(tooLong)).rejects.toThrow(/over its limit/);
  await backend.close();
});

it('rejects options that cannot be', () => {
  expect(() => webgl2({ worker: 1 as never })).toThrow(/worker must be true or false, got 1/);
});
