/** Two ways to an order on the CPU: `sort(view, spare)` resolves to it, written into `spare`. */

import { argsort } from 'keysweep';
import { FAR_TO_NEAR, writeDepths } from './depths.js';

/** `argsortSync` in a worker of the page's own. */
export function sortInWorker({ positions }) {
  const worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
  worker.postMessage({ positions });
  return {
    sort: (view, spare) =>
      new Promise((resolve, reject) => {
        worker.onmessage = ({ data }) => resolve(data);
        worker.onerror = reject;
        worker.postMessage({ view, spare }, [spare.buffer]);
      }),
    close: () => worker.terminate(),
  };
}

/** `argsort` on all cores, by the threads of keysweep. */
export function sortOnThreads({ count, positions }) {
  const depths = new Float32Array(count);
  return {
    sort(view, spare) {
      writeDepths(positions, view, depths);
      return argsort(depths, { ...FAR_TO_NEAR, backend: 'cpu', out: spare });
    },
    close() {},
  };
}
