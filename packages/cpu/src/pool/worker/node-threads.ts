/**
 * Threads of Node's own, whose code is a text: they need neither piscina nor a file, so that they
 * work in a bundle. Tasks and results go by messages.
 */

import { Worker } from 'node:worker_threads';
import type { Task, TaskResult, WorkerSetup } from '../task.js';

/** Threads beside the calling one. */
export interface OtherThreads {
  /** Has a thread do a task; rejects when the task fails. */
  send(task: Task): Promise<TaskResult>;
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

/** Starts `count` threads. While idle they do not hold the process. */
export async function openNodeThreads(setup: WorkerSetup, count: number): Promise<OtherThreads> {
  const { NODE_WORKER_SOURCE } = await import('./node-worker-source.js');
  let isClosing = false;
  let reportLost: (error: Error) => void = () => {};
  const lost = new Promise<never>((_, reject) => {
    reportLost = reject;
  });
  lost.catch(() => {});
  const threads = Array.from({ length: count }, () => {
    // The process's own flags are for its own code: one makes modules of texts such as this.
    const options = { eval: true, execArgv: [], workerData: setup };
    const thread = new Thread(new Worker(NODE_WORKER_SOURCE, options));
    thread.lost.catch((error) => isClosing || reportLost(error));
    return thread;
  });
  return {
    send: (task) => (threads[task.thread % count] as Thread).send(task),
    lost,
    async close() {
      isClosing = true;
      await Promise.all(threads.map((thread) => thread.close()));
    },
  };
}

/** A task that waits for its result. */
interface Waiting {
  readonly resolve: (result: TaskResult) => void;
  readonly reject: (error: Error) => void;
}

class Thread {
  readonly #worker: Worker;
  readonly #waiting: Waiting[] = [];
  readonly #loaded: Promise<unknown>;
  #end: Error | undefined;
  readonly lost: Promise<never>;

  constructor(worker: Worker) {
    this.#worker = worker;
    worker.unref();
    this.#loaded = new Promise((resolve) => {
      // The first message that a thread sends says that it is ready.
      for (const event of ['message', 'error', 'exit']) worker.once(event, resolve);
    });
    worker.on('message', (result: TaskResult) => {
      this.#waiting.shift()?.resolve(result);
      if (this.#waiting.length === 0) worker.unref();
    });
    this.lost = new Promise((_, reject) => {
      const fail = (error: Error): void => {
        this.#end ??= error;
        for (const waiting of this.#waiting.splice(0)) waiting.reject(this.#end);
        reject(this.#end);
      };
      worker.on('error', fail);
      worker.on('exit', (code) => fail(new Error(`a thread ended with exit code ${code}`)));
    });
  }

  send(task: Task): Promise<TaskResult> {
    if (this.#end !== undefined) return Promise.reject(this.#end);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.#worker.ref();
      this.#worker.postMessage(task);
    });
  }

  /** Ends the thread once it has loaded: Node 20 aborts a process that ends it before. */
  async close(): Promise<void> {
    this.#worker.ref();
    await loadedInTime(this.#loaded);
    await this.#worker.terminate();
  }
}
