/**
 * Long work in slices: a generator that yields now and then. It is run at once, or with pauses, in
 * which the thread does its other work, such as to draw a page.
 */

import type { TypedArray } from '../intrinsics.js';
import { setArray, subarrayOf } from '../intrinsics.js';
import { nextTask } from './next-task.js';
import { readClock } from './time.js';

/** Runs `steps` to its end without a pause. */
export function runAtOnce<T>(steps: Generator<unknown, T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

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

/** When the last slice of this thread began, whatever work it was of. */
let sliceBegan = 0;

/**
 * Pauses of a thread that has other things to do: before a step that would end more than 5 ms after
 * the slice began, if it takes as long as the one before. Work that follows other work goes on with
 * its slice, because they may be in one task.
 */
export function pauses(): Pause {
  let asked = readClock();
  // Tests may set the clock back.
  if (Math.abs(asked - sliceBegan) > WORK_SLICE) sliceBegan = asked;
  return () => {
    const now = readClock();
    const step = now - asked;
    asked = now;
    if (now - sliceBegan + step <= WORK_SLICE) return undefined;
    return nextTask().then(() => {
      asked = readClock();
      sliceBegan = asked;
    });
  };
}

/** Takes steps and calls `check` after each of them. An error that it throws ends them. */
export function* checked<T>(
  steps: Generator<unknown, T>,
  check: () => void,
): Generator<undefined, T> {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    yield;
    check();
  }
}

/** Yields the bounds of slices of `size` of 0 to `length`, the last one shorter. */
export function* slicesOf(
  length: number,
  size: number,
): Generator<readonly [from: number, to: number], void> {
  for (let from = 0; from < length; from += size) yield [from, Math.min(from + size, length)];
}

/** Elements of 4 bytes in a page of memory, of 4 KiB at least. */
const PAGE = 1024;

/** Elements between two pauses while pages are touched: about a millisecond. */
const TOUCHED = 2 ** 18;

/**
 * Has the system hand out the pages of fresh memory, while other threads sort: that takes longer
 * than a copy to them. Writes zeros.
 */
export function* touchPages(array: TypedArray): Generator<undefined, void> {
  for (const [from, to] of slicesOf(array.length, TOUCHED)) {
    if (from > 0) yield;
    for (let i = from; i < to; i += PAGE) (array as Uint32Array)[i] = 0;
  }
}

/** Bytes of a slice of a copy: a tenth of a millisecond, or one where the memory is fresh. */
export const COPY_BYTES: number = 2 ** 20;

/** Copies the integers of `source` to `target` from element `at` on. */
export type CopyElements = (target: TypedArray, source: TypedArray, at: number) => void;

/**
 * Copies `source` to `target` from element `at` on by `copy`, yielding between mebibytes of the
 * wider one.
 */
export function* copySteps(
  target: TypedArray,
  source: TypedArray,
  at = 0,
  copy: CopyElements = setArray,
): Generator<undefined, void> {
  const size = COPY_BYTES / Math.max(target.BYTES_PER_ELEMENT, source.BYTES_PER_ELEMENT);
  for (const [from, to] of slicesOf(source.length, size)) {
    if (from > 0) yield;
    copy(target, subarrayOf(source, from, to), at + from);
  }
}
