/** What the backend holds, and what it says of itself. */

import { isThorough, randomKeys } from '@keysweep/conformance/data';
import { makeRequest, verifyBoundaries } from '@keysweep/conformance/suite';
import type { Backend } from '@keysweep/core';
import { webgl2 } from '@keysweep/webgl2';
import { expect, it } from 'vitest';
import { testRandom } from '../../../tools/test/random.js';
import { load } from './load.js';
import { WatchedContexts } from './watched-contexts.js';

const random = testRandom();

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
  const backend = webgl2({ load });
  await verifyBoundaries(backend);
  await backend.close();
});

it('many sorts leave as many GPU objects as there were; close gives the context back', async () => {
  const contexts = new WatchedContexts();
  let used: WebGL2RenderingContext | undefined;
  contexts.before = (name, gl) => {
    if (name === 'fenceSync') used = gl;
  };
  const backend = webgl2({ load });
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

it('memory for long sorts is given back by release, of textures and of buffers', async () => {
  const contexts = new WatchedContexts();
  const backend = webgl2({ load });
  const held = (): number => [...contexts.sizes.values()].reduce((sum, size) => sum + size, 0);
  await sortsWell(backend, 100);
  await backend.release();
  const least = held();
  await sortsWell(backend, 5000);
  expect(held()).toBeGreaterThan(2 * least);
  await backend.release();
  expect(held()).toBe(least);
  await backend.close();
  contexts.restore();
});

// Of a million keys, which a software GPU sorts for seconds.
if (isThorough) {
  it('takes words in several pieces', async () => {
    const backend = webgl2({ load });
    // Somewhat more than one of 2^20.
    const keys = randomKeys(2 ** 20 + 10_000 + random.below(10_000), random);
    const expected = keys.slice().sort();
    await backend.sort(makeRequest('sort', [keys]));
    expect(keys.findIndex((key, i) => key !== expected[i])).toBe(-1);
    await backend.close();
  });
}

it('tells of software, and of its limit', async () => {
  const backend = webgl2({ load });
  const probe = await backend.probe();
  expect(probe).toMatchObject({ available: true, capabilities: { software: true, threads: 0 } });
  const { shape } = makeRequest('sort', [new Uint32Array(1)]);
  const most = backend.maxLength(shape);
  expect(JSON.stringify(probe)).toContain(`up to ${most} keys`);
  const tooLong = makeRequest('sort', [new Uint8Array(most + 1)]);
  await expect(backend.sort(tooLong)).rejects.toThrow(/over its limit/);
  await backend.close();
});
