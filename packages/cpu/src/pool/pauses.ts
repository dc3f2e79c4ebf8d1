/** Pauses of a thread that has other things to do, a page to paint above all. */

import { pauses, runInSlices } from '@keysweep/core';

/** Runs one generator after the other in slices, by one clock. */
export function inSlices(): <T>(steps: Generator<unknown, T>) => Promise<T> {
  const pause = pauses();
  return (steps) => runInSlices(steps, pause);
}
