/** What a user writes, and a look at whether it was right: the built-in is the oracle. */

import { builtin, createSorter } from 'keysweep';
import { load } from './load.js';

/** For bundlers that do not see the worker in a dependency: it is one of the user's own. */
const createWorker = () =>
  new Worker(new URL('./sort-worker.js', import.meta.url), { type: 'module' });

async function ownBackends(worker) {
  const [{ webgpu }, { cpu }, { webgl2 }] = await Promise.all([
    import('@keysweep/webgpu'),
    import('@keysweep/cpu'),
    import('@keysweep/webgl2'),
  ]);
  const own = worker === 'own' ? { createWorker } : {};
  return { backends: [webgpu(), cpu(own), webgl2({ load }), builtin()] };
}

export async function sortAndCompare({ backend, seed, worker, length = 1_000_000 }) {
  try {
    const isOwn = worker === 'own' || (backend === 'webgl2' && load !== undefined);
    const { sort } = await createSorter(isOwn ? await ownBackends(worker) : {});
    const keys = randomKeys(Number(length), Number(seed));
    const expected = keys.slice().sort();
    let report;
    await sort(keys, {
      backend,
      onReport: (given) => {
        report = given;
      },
    });
    const bits = new Uint32Array(keys.buffer);
    const expectedBits = new Uint32Array(expected.buffer);
    return {
      misplaced: bits.filter((word, i) => word !== expectedBits[i]).length,
      backend: report.backend,
      fallbacks: report.fallbacks.map(({ error }) => String(error)),
      isolated: crossOriginIsolated,
      // gpu.js puts itself in its place.
      webgpu: globalThis.GPU?.prototype.requestAdapter !== undefined,
    };
  } catch (error) {
    return { error: String(error) };
  }
}

/** Floats of both signs and many magnitudes, with zeros of both signs and NaNs between them. */
function randomKeys(length, seed) {
  const special = [0, -0, Number.NaN];
  let state = seed;
  return Float32Array.from({ length }, (_, i) => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    return i % 100 < 3 ? special[i % 100] : state / 2 ** (state & 31);
  });
}
