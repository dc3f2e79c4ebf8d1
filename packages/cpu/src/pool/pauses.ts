/** Pauses of a thread that has other things to do, a page to paint above all. */

import type { Pause } from '@keysweep/core';

/** How long it works at a stretch, in milliseconds: a third of what a picture takes at 60 a second. */
const STINT = 5;

/** Pauses once the thread has worked for 5 ms; what comes between two of them is one piece of work. */
export function pauses(): Pause {
  let since = performance.now();
  return () => {
    if (performance.now() - since < STINT) return undefined;
    return nextTask().then(() => {
      since = performance.now();
    });
  };
}

/**
 * Resolves in a task of its own. By a message, which is neither held back in a page out of sight, as
 * timers are, nor served before everything else that waits.
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
