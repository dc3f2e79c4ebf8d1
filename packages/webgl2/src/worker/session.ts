/** Sessions: sorting in a worker, or in the caller's own realm. */

import { BackendUnavailableError } from '@keysweep/core';
import { Engine, type Stage } from '../context/engine.js';
import { loadLibrary } from '../context/library.js';
import { Failure } from '../failure.js';
import type { Job, Sorted } from '../job.js';
import type { SlotBits } from '../network/plan.js';
import type { Greeting, News, Question, Trouble } from './messages.js';

/** Milliseconds to wait for a worker's first message. */
const LONGEST_START = 10_000;

/** One context, until it is lost or closed. */
export interface Session {
  /** Whether it can no longer be used. */
  readonly isLost: boolean;
  /**
   * Does `job`, after those before it. Calls `onStage` before each stage.
   * @throws what Engine.sort throws.
   */
  sort(job: Job, onStage: (stage: Stage) => void): Promise<Sorted>;
  /** Releases memory; the session stays usable. */
  release(): void;
  /** Releases everything. */
  close(): void;
}

/**
 * Opens a session in the caller's own realm.
 * @throws BackendUnavailableError where WebGL2 or gpu.js is missing.
 */
export async function openHere(
  load: () => Promise<object>,
  slotBits?: SlotBits | undefined,
): Promise<Session> {
  return Engine.open(await loadLibrary(load), slotBits);
}

/**
 * Opens a session in a worker: gpu.js then leaves the caller's globals alone, and the caller's
 * realm can do other work. Resolves to undefined where no worker can start. There may be no
 * workers, or none with OffscreenCanvas; a policy of the page may forbid them; the worker's file
 * may not be where the bundler should have put it.
 * @throws BackendUnavailableError where a worker starts, and WebGL2 or gpu.js is missing in it.
 */
export async function openWorker(): Promise<Session | undefined> {
  if (typeof Worker === 'undefined' || typeof OffscreenCanvas === 'undefined') return undefined;
  let worker: Worker;
  try {
    // One expression, so that bundlers see it. Where a bundler has moved this file alone, another
    // file may have the worker's name: hence an unusual name, and a limit to the wait.
    worker = new Worker(new URL('./webgl2-worker.js', import.meta.url), { type: 'module' });
  } catch {
    return undefined;
  }
  const greeting = await new Promise<Greeting | undefined>((resolve) => {
    worker.onmessage = ({ data }: MessageEvent<Greeting>) => resolve(data);
    worker.onerror = (event) => {
      // Not an error of the page: the sort goes on in its own realm.
      event.preventDefault();
      resolve(undefined);
    };
    setTimeout(resolve, LONGEST_START, undefined);
  });
  if (greeting?.kind === 'ready') return new WorkerSession(worker);
  worker.terminate();
  if (greeting === undefined) return undefined;
  throw errorOf(greeting);
}

const errorOf = ({ kind, reason }: Trouble): Error =>
  kind === 'unavailable' ? new BackendUnavailableError('webgl2', reason) : new Failure(reason);

class WorkerSession implements Session {
  readonly #worker: Worker;
  #isLost = false;
  #jobs = 0;
  #fail: (error: Error) => void = () => {};

  constructor(worker: Worker) {
    this.#worker = worker;
    worker.onerror = (event) => {
      event.preventDefault();
      this.#isLost = true;
      this.#fail(new Failure(`the worker failed: ${event.message}`));
    };
  }

  get isLost(): boolean {
    return this.#isLost;
  }

  sort(job: Job, onStage: (stage: Stage) => void): Promise<Sorted> {
    const id = ++this.#jobs;
    return new Promise<Sorted>((resolve, reject) => {
      this.#fail = reject;
      this.#worker.onmessage = ({ data }: MessageEvent<News>) => {
        // Of an earlier job that was given up.
        if (data.id !== id) return;
        try {
          if (data.kind === 'stage') onStage(data.stage);
          else if (data.kind === 'sorted') resolve(data.sorted);
          else reject(errorOf(data));
        } catch (error) {
          reject(error);
        }
      };
      const words = job.columns.map((column) => column.words.buffer);
      this.#worker.postMessage({ kind: 'sort', id, job } satisfies Question, words);
    });
  }

  release(): void {
    this.#worker.postMessage({ kind: 'release' } satisfies Question);
  }

  close(): void {
    this.#isLost = true;
    this.#worker.terminate();
  }
}
