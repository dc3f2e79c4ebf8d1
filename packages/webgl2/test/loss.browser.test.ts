/** A context that is lost: rejection, whole arrays, and a new one for the next sort. */

import { sample } from '@keysweep/conformance/data';
import {
  assertSorted,
  assertUntouched,
  makeRequest,
  type Pairs,
  randomPairs,
} from '@keysweep/conformance/suite';
import { type Backend, BackendFailedError } from '@keysweep/core';
import { webgl2 } from '@keysweep/webgl2';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { cdp } from 'vitest/browser';
import { testRandom } from '../../../tools/test/random.js';
import { load } from './load.js';
import { WatchedContexts } from './watched-contexts.js';

const random = testRandom();

const sortPairs = (
  backend: Backend,
  { keys, values }: Pairs,
  onProgress?: () => void,
): Promise<unknown> => backend.sort(makeRequest('sortPairs', [keys], { values, onProgress }));

async function sortsWell(backend: Backend): Promise<void> {
  const pairs = randomPairs(1000, random);
  await sortPairs(backend, pairs);
  assertSorted('pairs', pairs);
}

async function failsByLoss(sorting: Promise<unknown>, pairs: Pairs): Promise<void> {
  const error = await sorting.catch((error: unknown) => error);
  expect(error).toBeInstanceOf(BackendFailedError);
  expect(String(error)).toContain("'webgl2' failed: the WebGL2 context was lost");
  assertUntouched('a sort whose context was lost', pairs);
}

/** WebGL2's own ways to get there. */
const STAGES = [
  'texSubImage2D',
  'drawArrays',
  'readPixels',
  'fenceSync',
  'clientWaitSync',
  'getBufferSubData',
];

describe('a context that is lost', () => {
  const contexts = new WatchedContexts();
  const backend = webgl2({ load });
  let opened = 0;

  /** Loses the context when it comes to `stage` for the `times`th time. */
  function loseAt(stage: string, times: number): void {
    let left = times;
    contexts.before = (name, gl) => {
      if (name === 'createProgram') opened++;
      if (name !== stage || --left !== 0) return;
      gl.getExtension('WEBGL_lose_context')?.loseContext();
    };
  }

  afterEach(() => {
    contexts.before = () => {};
  });
  afterAll(async () => {
    await backend.close();
    contexts.restore();
  });

  it.each(sample(STAGES, 3))('at %s', async (stage) => {
    await sortsWell(backend);
    const pairs = randomPairs(1000, random);
    loseAt(stage, stage === 'drawArrays' ? 20 : 1);
    const sorting = sortPairs(backend, pairs);
    const waiting = sortsWell(backend);
    await failsByLoss(sorting, pairs);
    await waiting;
    expect(opened).toBeGreaterThan(0);
  });

  it('between two sorts: the next has a new one', async () => {
    let lost: WebGL2RenderingContext | undefined;
    contexts.before = (name, gl) => {
      if (name === 'fenceSync') lost = gl;
    };
    await sortsWell(backend);
    contexts.before = () => {};
    lost?.getExtension('WEBGL_lose_context')?.loseContext();
    expect(lost?.isContextLost()).toBe(true);
    await sortsWell(backend);
  });
});

describe('a context that is lost with the GPU process', () => {
  const backend = webgl2({ load });
  afterAll(() => backend.close());

  it('during a sort: rejection, whole arrays, a new one', async () => {
    await sortsWell(backend);
    // A short sort may be done before the process has ended.
    for (let length = 100_000, isDone = true; isDone; length *= 2) {
      const pairs = randomPairs(length, random);
      let isCrashed = false;
      const sorting = sortPairs(backend, pairs, () => {
        if (!isCrashed) cdp().send('Browser.crashGpuProcess');
        isCrashed = true;
      });
      const ended = sorting.then(
        () => true,
        () => false,
      );
      isDone = length < 1_000_000 && (await ended);
      if (!isDone) await failsByLoss(sorting, pairs);
    }
    await sortsWell(backend);
  });

  it('between two sorts: the next has a new one, or rejects before the event', async () => {
    await sortsWell(backend);
    const canvas = document.createElement('canvas');
    const isLost = new Promise((resolve) => canvas.addEventListener('webglcontextlost', resolve));
    // Kept until it is lost.
    const own = canvas.getContext('webgl2');
    await cdp().send('Browser.crashGpuProcess');
    await isLost;
    expect(own?.isContextLost()).toBe(true);
    const pairs = randomPairs(1000, random);
    const error = await sortPairs(backend, pairs).catch((error: unknown) => error);
    if (error instanceof Error) await failsByLoss(Promise.reject(error), pairs);
    else assertSorted('pairs', pairs);
    await sortsWell(backend);
  });
});

it('a context with an error: rejection, whole arrays, a new one for the next sort', async () => {
  const contexts = new WatchedContexts();
  const backend = webgl2({ load });
  await sortsWell(backend);
  let programs = 0;
  let isPlanted = false;
  contexts.before = (name, gl) => {
    if (name === 'createProgram') programs++;
    if (name !== 'fenceSync' || isPlanted) return;
    isPlanted = true;
    // There is no such capability.
    gl.enable(0);
  };
  const pairs = randomPairs(1000, random);
  const error = await sortPairs(backend, pairs).catch((error: unknown) => error);
  expect(error).toBeInstanceOf(BackendFailedError);
  expect(String(error)).toContain('WebGL2 error');
  assertUntouched('a sort whose context had an error', pairs);
  expect([isPlanted, programs]).toEqual([true, 0]);
  await sortsWell(backend);
  expect(programs).toBeGreaterThan(0);
  await backend.close();
  contexts.restore();
});
