/** Pauses of a thread that has other things to do, a page to paint above all. */

import { nextTask, type Pause } from '@keysweep/core';

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
