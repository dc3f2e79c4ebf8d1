/** Pauses of a thread that has other things to do, a page to paint above all. */

import { nextTask, type Pause, runInSlices } from '@keysweep/core';

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

/** Runs one generator after the other in slices, by one clock. */
export function inSlices(): <T>(steps: Generator<unknown, T>) => Promise<T> {
  const pause = pauses();
  return (steps) => runInSlices(steps, pause);
}
