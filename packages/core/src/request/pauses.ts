/** Pauses of long work, in which the thread does its other work, such as to draw a page. */

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
  const { performance } = globalThis as unknown as Globals;
  let since = performance.now();
  return () => {
    if (performance.now() - since < WORK_SLICE) return undefined;
    return nextTask().then(() => {
      since = performance.now();
    });
  };
}

/** The part of a message channel that is used here. */
interface Port {
  onmessage: (() => void) | null;
  postMessage(message: undefined): void;
  close(): void;
}

interface Globals {
  readonly performance: { now(): number };
  readonly MessageChannel?: new () => { readonly port1: Port; readonly port2: Port };
  setTimeout(work: () => void): unknown;
}

/**
 * Resolves in a task of its own, after the tasks that wait now. It uses a message: a page that
 * is not visible delays timers, and visible pages delay them too when they are nested. Where there
 * are no messages, as in some test environments, it uses a timer.
 */
export function nextTask(): Promise<void> {
  // Of neither the DOM nor Node alone: pages, workers and Node all have it.
  const { MessageChannel, setTimeout } = globalThis as unknown as Globals;
  if (MessageChannel === undefined) return new Promise((resolve) => setTimeout(resolve));
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(undefined);
  });
}
