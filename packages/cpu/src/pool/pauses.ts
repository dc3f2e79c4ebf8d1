/** Pauses of a thread that has other things to do, a page to paint above all. */

import type { Pause } from '@keysweep/core';

/** Milliseconds of work between two pauses: a third of a frame at 60 a second. */
const WORK_SLICE = 5;

/** Pauses once the thread has worked for 5 ms. */
export function pauses(): Pause {
  let since = performance.now();
  return () => {
    if (performance.now() - since < WORK_SLICE) return undefined;
    return nextTask().then(() => {
      since = performance.now();
    });
  };
}

/**
 * Resolves in a task of its own. By a message: timers are held back in a page out of sight, and
 * microtasks are served before everything else that waits.
 */
function nextTask(): Promise<void> {
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(undefined);
  });
}
