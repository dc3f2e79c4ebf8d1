/** Pauses of long work, in which the thread does its other work, such as to draw a page. */

import { nextTask } from './next-task.js';

// Pages, workers and Node all have it, but the types of none of them are used here.
const { performance } = globalThis as unknown as { performance: { now(): number } };

/** Called between slices. Returns undefined to go on at once, or what to wait for first. */
export type Pause = () => Promise<unknown> | undefined;

/** Runs `steps` to its end. Waits, wherever it yields, for what `pause` returns. */
export async function runInSlices<T>(steps: Generator<unknown, T>, pause: Pause): Promise<T> {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    const pausing = pause();
    if (pausing !== undefined) await pausing;
  }
}

/** Milliseconds of work between two pauses: a third of a frame at 60 a second. */
const WORK_SLICE = 5;

/** Pauses of a thread that has other things to do: once it has worked for 5 ms. */
export function pauses(): Pause {
  let since = performance.now();
  return () => {
    if (performance.now() - since < WORK_SLICE) return undefined;
    return nextTask().then(() => {
      since = performance.now();
    });
  };
}
