/** Where sorting goes on: in a worker of its own, or in the realm of the caller. */

import { BackendUnavailableError } from '@keysweep/core';
import { Engine, type Stage } from '../context/engine.js';
import { loadLibrary } from '../context/library.js';
import { Failure } from '../failure.js';
import type { Job, Sorted } from '../job.js';
import type { SlotBits } from '../network/plan.js';
import type { Greeting, News, Question, Trouble } from './messages.js';

/** Milliseconds after which a worker that says nothing is given up. */
const LONGEST_START = 10_000;

/** One context while it lasts. */
export interface Session {
  /** Whether it is of no use any more. */
  readonly isLost: boolean;
  /** Does `job`; tells of each stage before it begins. Jobs are done one after the other. @throws as Engine.sort. */
  sort(job: Job, onStage: (stage: Stage) => void): Promise<Sorted>;
  /** Gives memory back. */
  release(): void;
  /** Gives everything back. */
  close(): void;
}

/** Sorting in the caller's own realm. @throws BackendUnavailableError */
export async function openHere(
  load: () => Promise<object>,
  slotBits?: SlotBits | undefined,
): Promise<Session> {
  return Engine.open(await loadLibrary(load), slotBits);
}

/**
 * Sorting in a worker. gpu.js then leaves the caller's globals alone, and the caller's realm goes on meanwhile. Undefined where a
 * worker can't be had: there are none, they have no OffscreenCanvas, a policy of the page forbids them, or its file is not where
 * the bundler should have put it.
 * @throws BackendUnavailableError where there is a worker, and WebGL2 or gpu.js is missing in it.
 */
export async function openWorker(): Promise<Session | undefined> {
  if (typeof Worker === 'undefined' || typeof OffscreenCanvas === 'undefined') return undefined;
  let worker: Worker;
  try {
    // In one piece, for bundlers to see. Where one has moved this file alone, another's may have the other's name: hence a
    // name that nobody has, and a limit to the wait.
    worker = new Worker(new URL('./webgl2-worker.js', import.meta.url), { type: 'module' });
  } catch {
    return undefined;
  }
  const greeting = await new Promise<Greeting | undefined>((resolve) => {
    worker.onmessage = ({ data }: MessageEvent<Greeting>) => resolve(data);
    worker.onerror = (event) => {
      // Nobody needs to hear of it: there is another way.
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
        // Of a job before, which nobody waits for.
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
