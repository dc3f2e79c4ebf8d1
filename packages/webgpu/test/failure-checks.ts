/** What holds of a backend whose device is lost, in Node and in a page. */

import { sample } from '@keysweep/conformance/data';
import {
  assertSorted,
  assertUntouched,
  makeRequest,
  type Pairs,
  randomPairs,
} from '@keysweep/conformance/suite';
import { type Backend, BackendFailedError, type Phase, type Progress } from '@keysweep/core';
import { webgpu } from '@keysweep/webgpu';
import { describe, expect, it } from 'vitest';
import { testRandom } from '../../../tools/test/random.js';
import { type WatchedAdapters, watchedAdapters } from './watched-adapters.js';
import type { WatchedDevice } from './watched-device.js';

const random = testRandom();

/** So few that one workgroup sorts them: one pipeline is enough, and a new device soon ready. */
export const fewPairs = (): Pairs => randomPairs(1000, random);

/** So many that the GPU has something to do for a while. */
export const manyPairs = (): Pairs => randomPairs(200_000, random);

export const sortPairs = (
  backend: Backend,
  { keys, values }: Pairs,
  onProgress?: (progress: Progress) => void,
): Promise<unknown> => backend.sort(makeRequest('sortPairs', [keys], { values, onProgress }));

/** Sorts pairs, and expects that it goes well. */
export async function sortsWell(backend: Backend, pairs: Pairs = fewPairs()): Promise<void> {
  await sortPairs(backend, pairs);
  assertSorted('pairs', pairs);
}

/** Expects that a sort ends because the device was lost, and leaves `pairs` as they were. */
export async function failsByLoss(
  sorting: Promise<unknown>,
  pairs: Pairs,
  loss: string,
): Promise<void> {
  const error = await sorting.catch((error: unknown) => error);
  expect(error).toBeInstanceOf(BackendFailedError);
  expect(String(error)).toContain(`'webgpu' failed: the GPU device was lost (${loss}`);
  assertUntouched('a sort whose device was lost', pairs);
}

/** Stages of a sort, in their order; some are phases that onProgress tells of. */
type Stage = 'opened' | 'submitted' | 'mapping' | Phase;

const STAGES: readonly Stage[] = ['opened', 'upload', 'submitted', 'mapping', 'sort', 'readback'];

/** Adapters whose devices tell what stage a sort is at. */
function stagedAdapters(reach: (stage: Stage, watched: WatchedDevice) => void): WatchedAdapters {
  return watchedAdapters((watched) => {
    const { device } = watched;
    const { queue } = device;
    const submit = queue.submit.bind(queue);
    queue.submit = (commands) => {
      submit(commands);
      reach('submitted', watched);
    };
    const create = device.createBuffer.bind(device);
    device.createBuffer = (descriptor) => {
      const buffer = create(descriptor);
      const map = buffer.mapAsync.bind(buffer);
      buffer.mapAsync = (...range) => {
        const mapping = map(...range);
        reach('mapping', watched);
        return mapping;
      };
      return buffer;
    };
    reach('opened', watched);
  }, 'own');
}

/** Declares the checks, at `count` of the stages unless all are tried. */
export function describeLoss(where: string, count: number): void {
  describe(`a device that is destroyed ${where}`, () => {
    let lossAt: Stage | undefined;
    const reach = (stage: Stage, { device }: WatchedDevice): void => {
      if (stage !== lossAt) return;
      lossAt = undefined;
      device.destroy();
    };
    const adapters = stagedAdapters(reach);
    const backend = webgpu({ requestAdapter: adapters.requestAdapter });

    it.each(sample(STAGES, count))(
      'at the stage %s: rejection, whole arrays, a new device',
      async (stage) => {
        const pairs = fewPairs();
        lossAt = stage;
        const sorting = sortPairs(backend, pairs, ({ phase }) => {
          // While a session starts there is no device yet.
          if (phase !== 'start') reach(phase, adapters.latest());
        });
        const waiting = sortsWell(backend);
        await failsByLoss(sorting, pairs, 'destroyed');
        const opened = adapters.devices.length;
        await waiting;
        expect(adapters.devices.length).toBe(opened + 1);
        await adapters.assertClean();
      },
    );

    it('between two sorts: the next has a new one', async () => {
      const opened = adapters.devices.length;
      const { device } = adapters.latest();
      device.destroy();
      await device.lost;
      await sortsWell(backend);
      expect(adapters.devices.length).toBe(opened + 1);
      await backend.close();
      await adapters.assertClean();
    });
  });
}
