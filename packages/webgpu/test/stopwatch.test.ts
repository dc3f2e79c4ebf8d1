/** What the GPU took, by its own clock. */

import { makeRequest } from '@keysweep/conformance/suite';
import './software-gpu.js';
import type { Backend, SortRequest } from '@keysweep/core';
import { webgpu } from '@keysweep/webgpu';
import { afterEach, describe, expect, it } from 'vitest';
import { testRandom } from '../../../tools/test/random.js';
import { Readback } from '../src/transfer/readback.js';
import { watchedAdapters } from './watched-adapters.js';

const random = testRandom();

const keys = (length: number): Uint32Array => Uint32Array.from({ length }, () => random.bits());

/** Requests that the GPU has something to do for. */
const REQUESTS: readonly { readonly name: string; readonly make: () => SortRequest }[] = [
  { name: 'what one workgroup sorts', make: () => makeRequest('sort', [keys(1000)]) },
  { name: 'several passes', make: () => makeRequest('sort', [keys(5000)]) },
  { name: 'several columns', make: () => makeRequest('argsort', [keys(900), keys(900)]) },
  {
    name: 'segments',
    make: () => makeRequest('sort', [keys(900)], { segments: Uint32Array.of(0, 300, 300, 500) }),
  },
];

describe('the time on the GPU', () => {
  let backend: Backend;
  afterEach(() => backend.close());

  it.each(REQUESTS)('of $name', async ({ make }) => {
    const adapters = watchedAdapters();
    backend = webgpu({ requestAdapter: adapters.requestAdapter });
    const start = performance.now();
    const { gpuMilliseconds } = await backend.sort(make());
    const total = performance.now() - start;
    // Software adapters have timestamps, too; what they took is part of what the host waited for.
    expect(gpuMilliseconds?.sort).toBeGreaterThan(0);
    expect(gpuMilliseconds?.sort).toBeLessThan(total);
    await adapters.assertClean();
  });

  it('is not told by a device without timestamps', async () => {
    const adapters = watchedAdapters();
    const requestAdapter = async (): Promise<GPUAdapter | null> => {
      const adapter = await adapters.requestAdapter();
      Object.defineProperty(adapter, 'features', { value: new Set() });
      return adapter;
    };
    backend = webgpu({ requestAdapter });
    const outcome = await backend.sort(makeRequest('sort', [keys(1000)]));
    expect(outcome.gpuMilliseconds).toBeUndefined();
    await adapters.assertClean();
  });
});

it.each([
  [undefined, 1, false],
  [64, 32, true],
  [64, 33, false],
  [64, 64, false],
  [2, 1, true],
  [1, 1, false],
])('of %s timestamps, two are for each of %i columns: %s', (count, columns, areEnough) => {
  const timestamps = count === undefined ? undefined : { count };
  const of = (rest: unknown) => rest as never;
  const readback = new Readback(of({ timestamps }), columns, of(undefined), of(undefined));
  const writes = [0, columns - 1].map((column) => readback.timestampWrites(column));
  if (!areEnough) return expect(writes).toEqual([undefined, undefined]);
  expect(writes).toMatchObject([
    { beginningOfPassWriteIndex: 0, endOfPassWriteIndex: 1 },
    { endOfPassWriteIndex: 2 * columns - 1 },
  ]);
});
