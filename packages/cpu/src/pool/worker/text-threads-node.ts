/**
 * Threads of Node's own, whose code is a text: they need neither piscina nor a file, so that they
 * work in a bundle.
 */

import { Worker } from 'node:worker_threads';
import type { CrewSetup } from './crew.js';

/** Threads beside the calling one. */
export interface OtherThreads {
  /** Resolves when all have joined their crew. */
  readonly joined: Promise<unknown>;
  /** Rejects when a thread is lost. */
  readonly lost: Promise<never>;
  /** Ends the threads. */
  close(): Promise<void>;
}

/** Milliseconds that an end waits for threads to load. One that takes longer hangs. */
const LOAD_TIMEOUT = 10_000;

/**
 * Resolves when threads have loaded, or after 10 seconds: then they are ended all the same, for a
 * thread that hangs would hold the process for ever.
 */
export async function loadedInTime(loaded: Promise<unknown>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, LOAD_TIMEOUT);
  });
  await Promise.race([loaded, late]);
  clearTimeout(timer);
}

/** Resolves when a thread has loaded its code, or will not. */
export function whenLoaded(thread: Worker): Promise<unknown> {
  return new Promise((resolve) => {
    // The first message that a thread sends says that it is ready.
    for (const event of ['message', 'error', 'exit']) thread.once(event, resolve);
  });
}

/** Rejects when one of `threads` fails or ends, until the caller has it that they shall. */
export function watchThreads(threads: readonly Worker[], shallEnd: () => boolean): Promise<never> {
  const lost = new Promise<never>((_, reject) => {
    for (const thread of threads) {
      thread.once('error', reject);
      thread.once('exit', (code) => {
        if (!shallEnd()) reject(new Error(`a thread ended with exit code ${code}`));
      });
    }
  });
  lost.catch(() => {});
  return lost;
}

/** Starts `count` threads. While idle they do not hold the process. */
export async function openNodeThreads(setup: CrewSetup, count: number): Promise<OtherThreads> {
  const { NODE_WORKER_SOURCE } = await import('./node-worker-source.js');
  let isClosing = false;
  const threads = Array.from({ length: count }, () => {
    // The process's own flags are for its own code: one makes modules of texts such as this.
    const options = { eval: true, execArgv: [], workerData: setup };
    return new Worker(NODE_WORKER_SOURCE, options);
  });
  const loaded = threads.map(whenLoaded);
  const joined = (thread: Worker): Promise<void> =>
    new Promise((resolve) => {
      // The first message says that it has loaded its code, the second that it has joined.
      thread.once('message', () => thread.once('message', () => resolve()));
      thread.unref();
    });
  return {
    joined: Promise.all(threads.map(joined)),
    lost: watchThreads(threads, () => isClosing),
    async close() {
      isClosing = true;
      for (const thread of threads) thread.ref();
      await loadedInTime(Promise.all(loaded));
      await Promise.all(threads.map((thread) => thread.terminate()));
    },
  };
}
