/** Threads in a page, or in a worker of one: module workers. */

import { runInSlices } from '@keysweep/core';
import { Arena, compileKernels } from '../sort/arena.js';
import { type Executor, MAX_THREADS, type ThreadOptions, type ThreadSupport } from './executor.js';
import { pauses } from './pauses.js';
import { ThreadPool, type WorkerTransport } from './thread-pool.js';
import { CopyingExecutor } from './worker/copying-executor.js';
import { type CreateWorker, WorkerClient } from './worker/worker-client.js';

/**
 * From this many keys on, workers serve a request. Fewer keys take the calling thread a millisecond
 * at most; messages to workers and back take two or three.
 */
const THREADS_FROM = 1 << 17;

/** Written so that bundlers see which file they have to bring along. */
const ownWorker: CreateWorker = () =>
  new Worker(new URL('./worker-web.js', import.meta.url), { type: 'module', name: 'keysweep' });

/** Only a page that is isolated from other origins can hand memory to a worker. */
const shareMemory = typeof SharedArrayBuffer !== 'undefined';

export const THREADS: ThreadSupport = {
  count({ threads, plain, createWorker }) {
    if (forbidden || (createWorker === undefined && typeof Worker === 'undefined')) return 0;
    if (plain || !shareMemory) return 1;
    return threads ?? Math.min(navigator.hardwareConcurrency, MAX_THREADS);
  },
  shareMemory,
  threadsFrom: () => THREADS_FROM,
  async start(options) {
    watchPolicy();
    const { plain, createWorker = ownWorker } = options;
    return plain || !shareMemory
      ? new CopyingExecutor(new WorkerClient(createWorker), plain)
      : startThreadPool(options);
  },
};

/** Whether the page's content security policy forbids workers: known once it has forbidden one. */
let forbidden = false;
let watched = false;

/** Listens for what the policy forbids: the worker itself says no more than that it failed. */
function watchPolicy(): void {
  if (watched) return;
  watched = true;
  globalThis.addEventListener('securitypolicyviolation', ({ effectiveDirective, disposition }) => {
    if (effectiveDirective === 'worker-src' && disposition === 'enforce') forbidden = true;
  });
}

function startThreadPool(options: ThreadOptions): Executor {
  const { createWorker = ownWorker } = options;
  const threads = THREADS.count(options);
  const arena = new Arena();
  const { memory } = arena;
  const module = compileKernels();
  const clients: WorkerClient[] = [];
  const close = async (): Promise<void> => {
    for (const client of clients) client.close();
  };
  try {
    for (let i = 0; i < threads; i++) clients.push(new WorkerClient(createWorker));
  } catch (error) {
    close();
    throw error;
  }
  const broken = Promise.race(clients.map(({ lost }) => lost));
  broken.catch(() => {});
  // A worker that cannot attach is lost, and `broken` tells of it.
  for (const client of clients) client.call('attach', { module, memory }).catch(() => {});
  const transport: WorkerTransport = {
    threads,
    send: (task) => (clients[task.thread] as WorkerClient).call('task', task),
    broken,
    close,
  };
  // The calling thread never leads: a page's main thread may not wait.
  return new ThreadPool(arena, transport, () => {
    const pause = pauses();
    return (steps) => runInSlices(steps, pause);
  });
}
