/** A consumer's program in a page, with a DOM and without WebGPU's types. */

import { cpu } from '@keysweep/cpu';
import { argsort, sort, toSorted } from 'keysweep';

export async function download(keys: Float32Array, signal: AbortSignal): Promise<Blob> {
  // A Blob, a fetch and a WebSocket take arrays on an ArrayBuffer only.
  const order = await argsort(keys, { signal });
  await sort(order);
  return new Blob([order, await toSorted(keys)]);
}

export const backend = cpu({
  createWorker: () => new Worker(new URL('./worker.js', location.href), { type: 'module' }),
});

// @ts-expect-error: a function that makes a worker, not a worker
cpu({ createWorker: new Worker('worker.js') });
