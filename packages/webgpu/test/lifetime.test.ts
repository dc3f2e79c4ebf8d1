/** What a backend keeps on the GPU, for how long, and that it gives it back. */

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type ArrayClass, classNamed, fillWithBits, isThorough } from '@keysweep/conformance/data';
import { makeRequest, type Variation } from '@keysweep/conformance/suite';
import { ClosedError, type SortRequest } from '@keysweep/core';
import { webgpu } from '@keysweep/webgpu';
import { afterAll, describe, expect, it } from 'vitest';
import { drawTests } from '../../../tools/test/draw-tests.js';
import { testRandom } from '../../../tools/test/random.js';
import { BufferUsage } from '../src/device/usage.js';
import { Pool, type Pooled } from '../src/transfer/pool.js';
import { fewPairs, sortPairs, sortsWell } from './failure-checks.js';
import { softwareEnvironment } from './software-gpu.js';
import { watchedAdapters } from './watched-adapters.js';
import type { WatchedDevice } from './watched-device.js';

drawTests(1 / 2);

const random = testRandom();

/** The table of numbers that the sorters of a device share. */
const TABLE_BYTES = 2 ** 16;

const filled = (name: string, length: number): ReturnType<ArrayClass['create']> => {
  const array = classNamed(name).create(length);
  fillWithBits(array, random);
  return array;
};

/** A request of `Keys` with payloads of class `Values`. */
const pairs = (Keys: string, Values: string, length: number): SortRequest =>
  makeRequest('sortPairs', [filled(Keys, length)], { values: filled(Values, length) });

const keys = (name: string, length: number, variation?: Variation): SortRequest =>
  makeRequest('sort', [filled(name, length)], variation);

const indices = (names: readonly string[], length: number, variation?: Variation): SortRequest =>
  makeRequest(
    'argsort',
    names.map((name) => filled(name, length)),
    variation,
  );

/** Lengths differ from time to time, and are rounded up to the same ones for the GPU. */
const few = (): number => 600 + random.below(400);

/** Keys are narrow, for sorts that are soon done. */
const REQUESTS: readonly (() => SortRequest)[] = [
  () => keys('Uint8Array', few()),
  () => keys('Int8Array', few(), { order: 'descending' }),
  () => keys('Uint16Array', few(), { keyBits: { begin: 5, end: 12 } }),
  () => keys('Uint8Array', few(), { segments: Uint32Array.of(0, 100, 100, 250) }),
  () => pairs('Uint8Array', 'Uint32Array', few()),
  () => pairs('Int8Array', 'Uint8Array', few()),
  () => pairs('Uint16Array', 'Float32Array', few()),
  () => indices(['Int8Array'], few()),
  () => indices(['Uint8Array', 'Int8Array'], few()),
];

const MIB = 2 ** 20;

/** One that a workgroup alone does not do. */
const larger = (): SortRequest => pairs('Uint8Array', 'Uint32Array', 4200 + few());

describe('what lives on the GPU', () => {
  const adapters = watchedAdapters();
  const backend = webgpu({ requestAdapter: adapters.requestAdapter });

  afterAll(async () => {
    await backend.close();
    // None where no test of these was drawn.
    expect(adapters.devices.length).toBeLessThanOrEqual(1);
    await adapters.assertClean();
  });

  it('after many sorts is what lived after ten, and after release() next to nothing', async () => {
    for (const request of [...REQUESTS, larger]) await backend.sort(request());
    const { calls, liveBuffers, liveBytes } = adapters.latest();
    const [buffers, bytes, made] = [liveBuffers().length, liveBytes(), calls.createBuffer];
    for (let i = 0; i < (isThorough ? 1000 : 120); i++) {
      const request = i % 100 === 0 ? larger : REQUESTS[i % REQUESTS.length];
      await backend.sort((request as () => SortRequest)());
    }
    expect([liveBuffers().length, liveBytes()]).toEqual([buffers, bytes]);
    expect(calls.createBuffer).toBe(made);
    await backend.release();
    expect([liveBuffers().length, liveBytes()]).toEqual([1, TABLE_BYTES]);
  });
});

describe('buffers that are kept', () => {
  const memory = { pooledBytes: 2 ** 20, stagingBytes: 2 ** 19, pieceBytes: 2 ** 15 };

  it('is bounded on the GPU and on the host, whatever the sizes', async () => {
    const adapters = watchedAdapters();
    const backend = webgpu({ requestAdapter: adapters.requestAdapter, memory });
    const kept = { host: 0, gpu: 0 };
    for (const length of [50_000, 60_000, 40_000]) {
      // Equal keys: memory is taken, and little is to be done.
      const values = new Uint32Array(length);
      await backend.sort(makeRequest('sortPairs', [new Uint32Array(length)], { values }));
      const [host, gpu] = bytesOf(adapters.latest());
      expect(host).toBeLessThanOrEqual(memory.stagingBytes);
      expect(gpu - TABLE_BYTES).toBeLessThanOrEqual(memory.pooledBytes);
      kept.host = Math.max(kept.host, host);
      kept.gpu = Math.max(kept.gpu, gpu);
    }
    expect(kept.host).toBeGreaterThan(memory.stagingBytes / 2);
    expect(kept.gpu).toBeGreaterThan(memory.pooledBytes / 2);
    await backend.release();
    expect(adapters.latest().liveBytes()).toBe(TABLE_BYTES);
    await backend.close();
    await adapters.assertClean();
  });

  it.each([
    [2 ** 19, 2 * MIB, 2 ** 19 - 7],
    [4_500_000, 32 * MIB, 8_000_000],
  ])('on the host is one piece up and one down (%i keys)', async (length, size, alike) => {
    const adapters = watchedAdapters();
    const backend = webgpu({ requestAdapter: adapters.requestAdapter });
    await backend.sort(makeRequest('sort', [new Uint32Array(length)]));
    const [host] = bytesOf(adapters.latest());
    // Beside them the sort's plan, and its times.
    expect(host - 2 * size).toBeLessThanOrEqual(1024);
    expect(host).toBeGreaterThanOrEqual(2 * size);
    // A length that takes as much uses them again.
    await backend.sort(makeRequest('sort', [new Uint32Array(alike)]));
    expect(bytesOf(adapters.latest())[0]).toBe(host);
    await backend.close();
    await adapters.assertClean();
  });
});

/** Bytes that live on the host for the GPU, and on the GPU. */
function bytesOf({ liveBuffers }: WatchedDevice): readonly [host: number, gpu: number] {
  const { MAP_READ, MAP_WRITE } = BufferUsage;
  const bytes = { host: 0, gpu: 0 };
  for (const { usage, size } of liveBuffers()) {
    bytes[(usage & (MAP_READ | MAP_WRITE)) === 0 ? 'gpu' : 'host'] += size;
  }
  return [bytes.host, bytes.gpu];
}

describe('a pool', () => {
  class Thing implements Pooled {
    lives = true;
    constructor(
      readonly bytes: number,
      readonly isStaging = false,
    ) {}
    destroy(): void {
      this.lives = false;
    }
  }

  it('gives what was put last, once', () => {
    const pool = new Pool(100, 0);
    const [a, b, c] = [new Thing(10), new Thing(10), new Thing(10)];
    pool.put('x', a);
    pool.put('y', b);
    pool.put('x', c);
    expect(pool.take('x')).toBe(c);
    expect(pool.take('x')).toBe(a);
    expect(pool.take('x')).toBeUndefined();
    pool.clear();
    expect([a.lives, b.lives, c.lives]).toEqual([true, false, true]);
    expect(pool.take('y')).toBeUndefined();
  });

  it('destroys the oldest when there is too much, and one that is too much by itself', () => {
    const pool = new Pool(100, 0);
    const things = [40, 40, 30, 20].map((bytes) => new Thing(bytes));
    for (const [i, thing] of things.entries()) pool.put(`${i}`, thing);
    expect(things.map(({ lives }) => lives)).toEqual([false, true, true, true]);
    const huge = new Thing(101);
    pool.put('huge', huge);
    expect([...things, huge].map(({ lives }) => lives)).toEqual([
      false,
      false,
      false,
      false,
      false,
    ]);
    expect(pool.isEmpty).toBe(true);
  });

  it('counts memory of the host apart', () => {
    const pool = new Pool(100, 50);
    const things = [40, 40, 20].map((bytes) => new Thing(bytes));
    const staging = [30, 30, 20].map((bytes) => new Thing(bytes, true));
    for (let i = 0; i < 3; i++) {
      pool.put('x', things[i] as Thing);
      pool.put('y', staging[i] as Thing);
    }
    expect(things.map(({ lives }) => lives)).toEqual([true, true, true]);
    expect(staging.map(({ lives }) => lives)).toEqual([false, true, true]);
    pool.put('z', new Thing(1));
    expect(things.map(({ lives }) => lives)).toEqual([false, true, true]);
    expect(staging.map(({ lives }) => lives)).toEqual([false, true, true]);
    pool.clear();
    expect([...things, ...staging].some(({ lives }) => lives)).toBe(false);
  });
});

describe('a backend', () => {
  it('opens no device before its first sort', async () => {
    const adapters = watchedAdapters();
    const backend = webgpu({ requestAdapter: adapters.requestAdapter });
    expect(await backend.probe()).toMatchObject({ available: true });
    await backend.release();
    await backend.close();
    expect(adapters.devices).toEqual([]);
  });

  it('that is closed has given everything back, and rejects', async () => {
    const adapters = watchedAdapters();
    const backend = webgpu({ requestAdapter: adapters.requestAdapter });
    await sortsWell(backend);
    const [running, waiting] = [fewPairs(), fewPairs()].map((some) => sortPairs(backend, some));
    const closing = backend.close();
    await expect(running).rejects.toThrow(ClosedError);
    await expect(waiting).rejects.toThrow(ClosedError);
    await closing;
    const { device, leftBehind } = adapters.latest();
    expect(leftBehind().map(({ size }) => size)).toEqual([TABLE_BYTES]);
    expect((await device.lost).reason).toBe('destroyed');
    await expect(sortPairs(backend, fewPairs())).rejects.toThrow(ClosedError);
    await expect(backend.warmUp(1000)).rejects.toThrow(ClosedError);
    await backend.release();
    await backend.close();
    expect(adapters.devices.length).toBe(1);
    await adapters.assertClean();
  });
});

it('a process that sorted on the GPU ends by itself, garbage collected or not', async () => {
  const script = `
    import { webgpu } from '@keysweep/webgpu';
    const collect = async () => {
      for (let i = 0; i < 5; i++) { gc(); await new Promise(setImmediate); }
    };
    const sort = (backend) => {
      const keys = Uint32Array.of(3, 1, 2);
      const shape = { operation: 'sort', keyTypes: ['u32'], valueBytes: 0, length: 3,
        order: 'ascending', segmentCount: 1, approximate: false };
      return backend.sort({ shape, columns: [keys] }).then(() => keys);
    };
    await sort(webgpu());
    await collect();
    globalThis.backend = webgpu();
    console.log(String(await sort(backend)));
    await collect();`;
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    ['--expose-gc', '--input-type=module', '--eval', script],
    {
      cwd: fileURLToPath(new URL('.', import.meta.url)),
      env: softwareEnvironment(),
    },
  );
  expect({ stdout, stderr }).toEqual({ stdout: '1,2,3\n', stderr: '' });
});
