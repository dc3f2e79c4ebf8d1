/** The kernels for GPUs that write eight textures at a time, on one that writes four. */

import { isThorough, Random, runSeed } from '@keysweep/conformance/data';
import { CHECKS, makeRequest, runCheck } from '@keysweep/conformance/suite';
import type { Backend } from '@keysweep/core';
import { webgl2 } from '@keysweep/webgl2';
import { expect, it } from 'vitest';
import { showEightTargets } from './eight-targets.js';
import { load } from './load.js';

const seed = runSeed();
/** Keys alone, and with positions; in two parts; by an order that came before. */
const CHECKED = ['sorts Uint32Array keys of every length', 'argsorts several columns'];

it('sort as those for four do, in fewer passes', async () => {
  const restore = showEightTargets();
  const create = (): Backend => webgl2({ load });
  const backend = create();
  const checks = CHECKS.filter(({ name }) => CHECKED.some((start) => name.startsWith(start)));
  expect(checks.length).toBe(CHECKED.length);
  const effort = isThorough ? 'most' : 'sample';
  for (const check of checks) {
    const random = new Random(seed);
    await runCheck(check, { backend, create, random, lengths: [], effort }, seed);
  }
  const { passes } = await backend.sort(makeRequest('sort', [new Uint32Array(2 ** 12)]));
  // 12 bits: the first five stages are in the load, and the next three take two passes each. Then
  // each pass does three steps, over the bits of an element's number that are not its place in a
  // texel.
  expect(passes.run).toBe(1 + 3 * 2 + Math.ceil((7 + 8 + 9 + 10) / 3) + 1);
  await backend.close();
  restore();
});

it('are not used if the GPU cannot draw to all of them at a time', async () => {
  const restore = showEightTargets();
  const { prototype } = WebGL2RenderingContext;
  const { checkFramebufferStatus } = prototype;
  prototype.checkFramebufferStatus = () => prototype.FRAMEBUFFER_UNSUPPORTED;
  const backend = webgl2({ load });
  const { passes } = await backend.sort(makeRequest('sort', [new Uint32Array(2 ** 12)]));
  // Four stages in the load, a fifth in two passes, the others in half as many as they have steps.
  expect(passes.run).toBe(1 + 2 + Math.ceil((4 + 5 + 6 + 7 + 8 + 9 + 10) / 2) + 1);
  await backend.close();
  prototype.checkFramebufferStatus = checkFramebufferStatus;
  restore();
});
