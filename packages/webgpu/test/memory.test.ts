/** A GPU without memory for a sort: fewer records at a time, or a rejection. No buffer leaks. */

import { randomKeys, sample } from '@keysweep/conformance/data';
import {
  assertSorted,
  assertUntouched,
  type Pairs,
  randomPairs,
  rejection,
} from '@keysweep/conformance/suite';
import './software-gpu.js';
import { verifyAll } from '@keysweep/conformance';
import { type Backend, BackendFailedError } from '@keysweep/core';
import { webgpu } from '@keysweep/webgpu';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { testRandom } from '../../../tools/test/random.js';
import { fewPairs, sortPairs, sortsWell } from './failure-checks.js';
import { type WatchedAdapters, watchedAdapters } from './watched-adapters.js';
import type { WatchedDevice } from './watched-device.js';

const random = testRandom();

/** Labels of buffers, in the order in which they were made. */
const labels = (buffers: readonly GPUBuffer[]): string[] => buffers.map(({ label }) => label);

/** What a device keeps after release(). */
const KEPT = ['keysweep numbers'];

describe('memory that is wanting', () => {
  let onOpened: (watched: WatchedDevice) => void;
  let adapters: WatchedAdapters;
  let backend: Backend;

  beforeEach(() => {
    onOpened = () => {};
    adapters = watchedAdapters((watched) => onOpened(watched));
    backend = webgpu({ requestAdapter: adapters.requestAdapter });
  });

  afterEach(async () => {
    await backend.close();
    await adapters.assertClean();
  });

  /** Expects that there is no memory for a sort, and that nothing of it remains. */
  async function isRejected(pairs: Pairs, reason: string, left = KEPT): Promise<void> {
    const error = await rejection(sortPairs(backend, pairs));
    expect(error).toBeInstanceOf(BackendFailedError);
    expect(String(error)).toContain(`'webgpu' failed: ${reason}`);
    assertUntouched('a sort without memory', pairs);
    const { device, leftBehind } = adapters.latest();
    expect((await device.lost).reason).toBe('destroyed');
    expect(labels(leftBehind())).toEqual(left);
  }

  /** Has the first buffer that is labelled so fail, and just that. Returns whether it has. */
  function failOnce(label: string): () => boolean {
    let hasFailed = false;
    adapters.latest().failBuffers((descriptor) => {
      if (hasFailed || descriptor.label !== label) return false;
      hasFailed = true;
      return true;
    });
    return () => hasFailed;
  }

  it('for large buffers: sorts part after part', async () => {
    const { info } = (await adapters.requestAdapter()) as GPUAdapter;
    let refused = 0;
    onOpened = ({ device, failBuffers }) => {
      const isTooLarge = ({ size }: GPUBufferDescriptor): boolean => {
        const is = size > 2 ** 16;
        if (is) refused++;
        return is;
      };
      if (!info.isFallbackAdapter) return failBuffers(isTooLarge);
      // SwiftShader cannot make the largest buffer that it allows: the failure is a real one.
      const create = device.createBuffer.bind(device);
      const { maxBufferSize } = device.limits;
      device.createBuffer = (descriptor) =>
        create(isTooLarge(descriptor) ? { ...descriptor, size: maxBufferSize } : descriptor);
    };
    await verifyAll(backend, randomKeys(40_000, random), [randomKeys(40_000, random)]);
    const times = refused;
    expect(times).toBeGreaterThan(0);
    // It has learnt how much is too much.
    await sortsWell(backend, randomPairs(40_000, random));
    expect(refused).toBe(times);
    await backend.release();
    expect(labels(adapters.latest().liveBuffers())).toEqual(KEPT);
    expect(adapters.devices.length).toBe(1);
  });

  it('for a buffer, whichever it is: sorts part after part', async () => {
    await sortsWell(backend, randomPairs(10_000, random));
    const made = new Set(labels(adapters.latest().liveBuffers()));
    made.delete(KEPT[0] as string);
    expect(made.size).toBeGreaterThan(4);
    const tried = sample([...made], 3);
    let length = 5000 * 2 ** tried.length;
    for (const label of tried) {
      await backend.release();
      const hasFailed = failOnce(label);
      await sortsWell(backend, randomPairs(length, random));
      expect(hasFailed()).toBe(true);
      // As many as it sorts at a time by now.
      length /= 2;
    }
    await backend.release();
    expect(labels(adapters.latest().liveBuffers())).toEqual(KEPT);
    expect(adapters.devices.length).toBe(1);
  });

  it('because other sorts keep it: sorts with what they give back, or rejects', async () => {
    await sortsWell(backend, randomPairs(20_000, random));
    const { failBuffers, liveBytes } = adapters.latest();
    const most = liveBytes();
    failBuffers(({ size }) => liveBytes() + size > most);
    // Of other sizes, so that nothing that is kept will do.
    for (const length of [1000, 15_000]) {
      const pairs = randomPairs(length, random);
      const onProgress = vi.fn();
      await sortPairs(backend, pairs, onProgress);
      assertSorted('pairs', pairs);
      const uploads = onProgress.mock.calls.filter(([{ phase }]) => phase === 'upload');
      // A second try, but no parts.
      expect(uploads.length).toBe(2);
      await sortsWell(backend, randomPairs(20_000, random));
    }
    failBuffers(() => true);
    await isRejected(randomPairs(15_000, random), 'the GPU has no memory for it: ');
    await sortsWell(backend);
    expect(adapters.devices.length).toBe(2);
  });

  it('for the least: rejection, whole arrays, another try at the next sort', async () => {
    onOpened = ({ failBuffers }) => failBuffers(({ label }) => label !== KEPT[0]);
    await isRejected(fewPairs(), 'the GPU has no memory for it: ');
    // Nor for what all sorts share.
    onOpened = ({ failBuffers }) => failBuffers(() => true);
    await isRejected(fewPairs(), 'no device could be opened: ', []);
    onOpened = () => {};
    await sortsWell(backend);
  });
});
