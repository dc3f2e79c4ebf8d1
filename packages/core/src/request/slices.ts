/**
 * Long work in slices: a generator that yields now and then. It is run at once, or with pauses in
 * which the thread does its other work, such as to draw a page.
 */

/** Called between slices. Returns undefined to go on at once, or what to wait for first. */
export type Pause = () => Promise<unknown> | undefined;

/** Runs `steps` to its end without a pause. */
export function runAtOnce<T>(steps: Generator<unknown, T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** Runs `steps` to its end. Waits, wherever it yields, for what `pause` returns. */
export async function runInSlices<T>(steps: Generator<unknown, T>, pause: Pause): Promise<T> {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    const pausing = pause();
    if (pausing !== undefined) await pausing;
  }
}

/** The same steps, with `check` called after each. What it throws ends them. */
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

/** Bytes of a slice of a copy: a tenth of a millisecond, or one where the memory is fresh. */
const COPY_BYTES = 2 ** 20;

/** The part of an integer array that a copy needs. */
interface Integers<Self> extends ArrayLike<number> {
  readonly BYTES_PER_ELEMENT: number;
  subarray(from: number, to: number): Self;
}

/**
 * Copies `source` to `target` from element `at` on, yielding between mebibytes of the wider
 * one.
 */
export function* copySteps<S extends Integers<S>>(
  target: { readonly BYTES_PER_ELEMENT: number; set(source: S, at: number): void },
  source: S,
  at = 0,
): Generator<undefined, void> {
  const size = COPY_BYTES / Math.max(target.BYTES_PER_ELEMENT, source.BYTES_PER_ELEMENT);
  for (const [from, to] of slicesOf(source.length, size)) {
    if (from > 0) yield;
    target.set(source.subarray(from, to), at + from);
  }
}
