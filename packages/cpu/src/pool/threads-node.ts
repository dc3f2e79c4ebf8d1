/** Threads in Node over one arena: of piscina, or Node's own where piscina cannot be loaded. */

import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { setImmediate } from 'node:timers';
import { fileURLToPath } from 'node:url';
import type { Worker } from 'node:worker_threads';
import { type KeyType, keyTraits, type Pause, type RequestShape, runAtOnce } from '@keysweep/core';
import type { Piscina } from 'piscina';
import { Arena, compileKernels, linkKernels } from '../sort/arena.js';
import type { ThreadSupport, Way } from './executor.js';
import type { ByteRange, Task, TaskResult, WorkerSetup } from './task.js';
import { type Leader, ThreadPool } from './thread-pool.js';
import { loadedInTime, type OtherThreads, openNodeThreads } from './worker/node-threads.js';

/**
 * From this many keys on, waking the threads costs less than they save. Keys of up to 32 bits alone
 * are sorted so fast that the calling thread stays alone for longer: where a scheduler wakes a
 * thread on the caller's own core, two threads are slower than one.
 */
const THREADS_FROM = 1 << 18;
const THREADS_FROM_NARROW_KEYS = 1 << 19;

/** A job of so many keys takes long enough for threads that are still starting to join it. */
const AWAITS_THREADS_FROM = 1 << 22;

/**
 * Milliseconds that the calling thread works before its event loop gets a turn. It works with the
 * others because it is awake. Where it slept instead, Linux on two cores left the threads that it
 * woke on one of them for about 10 ms.
 */
const WORK_SLICE = 8;

/**
 * Milliseconds that the leader waits for another thread's piece, which takes two. A thread that
 * ends is noticed at once; this is for one that hangs. With eight busy threads a core, the system
 * has kept one from its core for 2 seconds.
 */
const PIECE_TIMEOUT = 10_000;

const NO_PAGES: ByteRange = { from: 0, to: 0 };

export const THREADS: ThreadSupport = {
  // Without WebAssembly there would be no memory to share.
  count: ({ threads, plain }) => (plain ? 0 : (threads ?? availableParallelism())),
  shareMemory: true,
  threadsFrom({ operation, keyTypes }: RequestShape): number {
    const isNarrow = operation === 'sort' && keyTraits(keyTypes[0] as KeyType).bits <= 32;
    return isNarrow ? THREADS_FROM_NARROW_KEYS : THREADS_FROM;
  },
  ways: ({ plain }) => (plain ? [] : [byPiscina, byNode]),
};

const byPiscina: Way = {
  name: 'piscina',
  start: (options) => startThreadPool(THREADS.count(options), openPiscina),
};

const byNode: Way = {
  name: 'node:worker_threads',
  start: (options) => startThreadPool(THREADS.count(options), openNodeThreads),
};

/**
 * A pool of `threads` threads, the calling one among them. The others, while idle, neither use a
 * core nor hold the process.
 */
async function startThreadPool(
  threads: number,
  open: (setup: WorkerSetup, count: number) => OtherThreads | Promise<OtherThreads>,
): Promise<ThreadPool> {
  // A thread of Node's would end the process.
  if (typeof SharedArrayBuffer === 'undefined') {
    throw new Error('threads need SharedArrayBuffer, which this program has deleted');
  }
  const arena = new Arena();
  const module = compileKernels();
  const kernels = linkKernels(module, arena.memory);
  // One at least: memory is touched on another thread than the calling one.
  const count = Math.max(threads - 1, 1);
  const others = await open({ module, memory: arena.memory }, count);
  // Threads take tens of milliseconds to start. Until then short jobs are the calling thread's
  // alone: tasks that they have not begun would make the next job wait.
  let started = false;
  let failedToStart = false;
  const starting = Array.from({ length: count }, (_, thread) =>
    others.send({ thread, pages: NO_PAGES }),
  );
  const broken = new Promise<never>((_, reject) => {
    others.lost.catch(reject);
    Promise.all(starting).then(() => {
      started = true;
    }, reject);
  });
  broken.catch(() => {
    failedToStart = !started;
  });
  const leader: Leader = {
    kernels,
    timeout: PIECE_TIMEOUT,
    isHelped: ({ length }) => started || length >= AWAITS_THREADS_FROM,
    // A job done without the others pauses at once, so that the event loop hears of started
    // threads.
    pauses: () => pauses(started ? performance.now() : Number.NEGATIVE_INFINITY),
  };
  const transport = { ...others, threads, failedToStart: () => failedToStart, broken };
  return new ThreadPool(arena, transport, () => runAtOnce, leader);
}

/**
 * Threads of piscina. It is required from where the worker's file is, and not imported: a bundler
 * would put it into the bundle, apart from the file of its own that its threads run.
 * @throws where the worker's file or piscina is not to be found, as in a bundle.
 */
function openPiscina(setup: WorkerSetup, count: number): OtherThreads {
  const filename = fileBeside(import.meta.url);
  if (!existsSync(filename)) throw new Error(`there is no file ${filename}`);
  const { Piscina } = createRequire(filename)('piscina') as typeof import('piscina');
  const pool = new Piscina<Task, TaskResult>({
    filename,
    minThreads: count,
    maxThreads: count,
    idleTimeout: Number.POSITIVE_INFINITY,
    atomics: 'sync',
    recordTiming: false,
    workerData: setup,
  });
  const lost = new Promise<never>((_, reject) => {
    pool.on('error', reject);
  });
  lost.catch(() => {});
  return { send: (task) => pool.run(task), lost, close: closeWhenLoaded(pool) };
}

/**
 * The worker's file; `base` is this module's address. Written so that bundlers do not see it: they
 * would bring the file along, but not what it imports.
 */
const fileBeside = (base: string): string =>
  fileURLToPath(new URL('./worker/node-worker.js', base));

/**
 * Ends a pool's threads once all have loaded their code: Node 20 aborts the process where a thread
 * is terminated while it loads. piscina replaces threads that die, so there may be loading ones at
 * any time.
 */
function closeWhenLoaded(pool: Piscina<Task, TaskResult>): () => Promise<void> {
  const loaded = new WeakMap<Worker, Promise<void>>();
  const follow = (): void => {
    for (const thread of pool.threads) {
      if (loaded.has(thread)) continue;
      const whenLoaded = new Promise<void>((resolve) => {
        // The first message that a thread sends says that it is ready.
        for (const event of ['message', 'error', 'exit']) thread.once(event, () => resolve());
      });
      loaded.set(thread, whenLoaded);
    }
  };
  follow();
  // The substitute is there when the event is over.
  pool.on('workerDestroy', () => queueMicrotask(follow));
  return async () => {
    const { threads } = pool;
    // They do not hold the process otherwise.
    for (const thread of threads) thread.ref();
    await loadedInTime(Promise.all(threads.map((thread) => loaded.get(thread))));
    await pool.destroy();
  };
}

/** Gives the event loop a turn every WORK_SLICE milliseconds; it had its last one at `since`. */
function pauses(since: number): Pause {
  return () => {
    if (performance.now() - since < WORK_SLICE) return undefined;
    return new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      since = performance.now();
    });
  };
}
