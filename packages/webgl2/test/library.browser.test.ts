/** Where gpu.js comes from, what it must not change, and what is said where it is missing. */

import { randomKeys } from '@keysweep/conformance/data';
import { makeRequest } from '@keysweep/conformance/suite';
import { BackendUnavailableError, type Probe } from '@keysweep/core';
import { type Webgl2Options, webgl2 } from '@keysweep/webgl2';
import { expect, it } from 'vitest';
import { testRandom } from '../../../tools/test/random.js';
import { load } from './load.js';

const random = testRandom();

const globals = (): unknown => [
  Object.getOwnPropertyDescriptor(globalThis, 'GPU'),
  Object.getOwnPropertyNames(globalThis).sort(),
];

/** Before anything here was loaded. */
const before = globals();

async function sortsWell(options: Webgl2Options): Promise<void> {
  const backend = webgl2(options);
  const keys = randomKeys(10, random);
  const expected = keys.slice().sort();
  try {
    await backend.sort(makeRequest('sort', [keys]));
  } finally {
    await backend.close();
  }
  expect(keys.join()).toBe(expected.join());
}

/** Why a backend with these options can neither be probed nor sort: it gives one reason. */
async function refusalOf(options: Webgl2Options): Promise<string> {
  const backend = webgl2(options);
  const probe = await backend.probe();
  await backend.close();
  const error = await sortsWell(options).catch((error: unknown) => error);
  expect(error).toBeInstanceOf(BackendUnavailableError);
  const { reason } = error as BackendUnavailableError;
  expect(probe).toEqual({ available: false, reason } satisfies Probe);
  return reason;
}

interface Library {
  readonly GPU: new (settings: object) => object;
  readonly Texture: unknown;
  readonly WebGL2Kernel: { readonly isSupported: boolean };
}

/** Options that load a changed gpu.js. */
const withChanged = (change: (library: Library) => object): Webgl2Options => ({
  load: async () => {
    const module = (await import('gpu.js')) as unknown as { default?: Library } & Library;
    return change(module.default ?? module);
  },
});

it('says what to do if gpu.js is not found', async () => {
  const reason = await refusalOf({});
  expect(reason).toMatch(/^gpu.js was not found \(.*specifier.*\): /);
  expect(reason).toContain("give webgl2({ load: () => import('gpu.js') }) to createSorter");
});

it('says what load() rejects with', async () => {
  const offline = async (): Promise<object> => {
    throw new Error('the network is down');
  };
  const reason = 'its load() could not load gpu.js: the network is down';
  expect(await refusalOf({ load: offline })).toBe(reason);
});

it.each([{}, null, 'gpu.js'])('refuses %j for gpu.js', async (module) => {
  const other = async (): Promise<object> => module as object;
  expect(await refusalOf({ load: other })).toBe('what load() gave is not gpu.js');
});

it('loads gpu.js when it is probed, once', async () => {
  let loads = 0;
  const counting = async (): Promise<object> => {
    loads++;
    return load();
  };
  const backend = webgl2({ load: counting });
  expect(loads).toBe(0);
  expect(await backend.probe()).toMatchObject({ available: true });
  expect(loads).toBe(1);
  await backend.sort(makeRequest('sort', [Uint32Array.of(2, 1)]));
  expect(loads).toBe(1);
  await backend.close();
});

const FILE = new URL('../../../node_modules/gpu.js/dist/gpu-browser.js', import.meta.url).href;

/** A URL of gpu.js's own file. Each is a module of its own, which sets the globals anew. */
const fileOf = (name: string): string => `${FILE}?${name}`;

it('leaves globals as they were, also if two backends load it at once', async () => {
  const options = { load: () => import(/* @vite-ignore */ fileOf('script')) };
  await Promise.all([sortsWell(options), sortsWell(options), sortsWell({ load })]);
  expect(globals()).toEqual(before);
});

it('leaves no global GPU if there was none', async () => {
  const own = Object.getOwnPropertyDescriptor(globalThis, 'GPU') as PropertyDescriptor;
  Reflect.deleteProperty(globalThis, 'GPU');
  await sortsWell({ load: () => import(/* @vite-ignore */ fileOf('alone')) });
  expect('GPU' in globalThis).toBe(false);
  Object.defineProperty(globalThis, 'GPU', own);
});

it('finds gpu.js by an import map, time and again', async () => {
  const map = document.createElement('script');
  map.type = 'importmap';
  map.textContent = JSON.stringify({ imports: { 'gpu.js': fileOf('mapped') } });
  document.head.append(map);
  await sortsWell({});
  await sortsWell({});
  expect(globals()).toEqual(before);
});

it('says that it is unavailable if gpu.js runs on anything but WebGL2', async () => {
  const onCpu = withChanged(({ GPU, Texture, WebGL2Kernel }) => {
    class OnCpu extends GPU {
      constructor() {
        super({ mode: 'cpu' });
      }
    }
    return { GPU: OnCpu, Texture, WebGL2Kernel };
  });
  const reason = 'gpu.js runs its kernels on something other than WebGL2';
  await expect(sortsWell(onCpu)).rejects.toMatchObject({ reason });
  const unsupported = withChanged(({ GPU, Texture }) => ({
    GPU,
    Texture,
    WebGL2Kernel: { isSupported: false },
  }));
  const none = 'gpu.js finds no WebGL2 here';
  await expect(sortsWell(unsupported)).rejects.toMatchObject({ reason: none });
});

it('rejects a load that is no function', () => {
  const message = "load must be a function, () => import('gpu.js'), got the string 'gpu.js'";
  expect(() => webgl2({ load: 'gpu.js' as never })).toThrow(message);
});

it('says what its options should be', () => {
  const make = webgl2 as (options: unknown) => unknown;
  expect(() => make({ load: 'gpu.js' })).toThrow(
    new TypeError("load must be a function, () => import('gpu.js'), got the string 'gpu.js'"),
  );
  expect(() => make({ gpu: load })).toThrow("options has no 'gpu'; it takes load, slotBits");
  expect(() => make(load)).toThrow('options must be an object, got a function (load)');
});
