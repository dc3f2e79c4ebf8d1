/** Threads in Node over one arena. Loaded when they start: a first sort does without them. */

import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { setImmediate } from 'node:timers';
import { fileURLToPath } from 'node:url';
import type { Worker } from 'node:worker_threads';
import { type Pause, readClock, runAtOnce } from '@keysweep/core';
import type { Piscina } from 'piscina';
import { type Arena, compileKernels, linkKernels } from '../arena/arena.js';
import { isNode } from '../sort/copy-node.js';
import { type Leader, ThreadPool, type WorkerTransport } from './thread-pool.js';
import { CrewLeader, type CrewSetup, linkCrew } from './worker/crew.js';
import {
  loadedInTime,
  type OtherThreads,
  openNodeThreads,
  watchThreads,
  whenLoaded,
} from './worker/text-threads-node.js';

/**
 * Milliseconds that the calling thread works before its event loop gets a turn. It works with the
 * others because it is awake. When it slept instead, Linux on two cores left the threads that it
 * woke on one of them for about 10 ms.
 */
const WORK_SLICE = 8;

/**
 * Milliseconds that the leader waits for another thread's piece, which takes two. A thread that
 * ends is noticed at once; this is for one that hangs. With eight busy threads a core, the system
 * has kept one from its core for 2 seconds.
 */
const PIECE_TIMEOUT = 10_000;

/** What a pool is made of. */
export interface PoolOptions {
  /** How many threads, the calling one among them. */
  readonly threads: number;
  /** Keys of a job that takes long enough for threads that are still starting to join it. */
  readonly awaitedFrom: number;
}

/** A pool of piscina's threads. @throws if the worker's file or piscina isn't found. */
export const startPiscina = (options: PoolOptions, arena: () => Arena): Promise<ThreadPool> =>
  startThreadPool(options, openPiscina, arena);

/** A pool of Node's own threads. */
export const startNodeThreads = (options: PoolOptions, arena: () => Arena): Promise<ThreadPool> =>
  startThreadPool(options, openNodeThreads, arena);

/** A pool whose threads, but for the calling one, neither use a core while idle nor hold Node. */
async function startThreadPool(
  { threads, awaitedFrom }: PoolOptions,
  open: (setup: CrewSetup, count: number) => OtherThreads | Promise<OtherThreads>,
  arenaOf: () => Arena,
): Promise<ThreadPool> {
  // A thread of Node's would end the process.
  if (typeof SharedArrayBuffer === 'undefined') {
    throw new Error('threads need SharedArrayBuffer, which this program has deleted');
  }
  const arena = arenaOf();
  const module = compileKernels();
  const kernels = linkKernels(module, arena.memory);
  // One at least: memory is touched on another thread than the calling one.
  const count = Math.max(threads - 1, 1);
  const crew = linkCrew(count);
  const { joined, lost, close } = await open({ module, memory: arena.memory, crew }, count);
  // Threads take tens of milliseconds to start. Until then short jobs are the calling thread's
  // alone: tasks that they have not begun would make the next job wait.
  let hasStarted = false;
  let failedToStart = false;
  joined.then(
    () => {
      hasStarted = true;
    },
    () => {},
  );
  const broken = Promise.race([lost, joined.then(() => lost)]);
  broken.catch(() => {
    failedToStart = !hasStarted;
  });
  const leader: Leader = {
    kernels,
    timeout: PIECE_TIMEOUT,
    isHelped: ({ length }) => hasStarted || length >= awaitedFrom,
    // A job done without the others pauses at once, so that the event loop hears of started
    // threads.
    pauses: () => pauses(hasStarted ? readClock() : Number.NEGATIVE_INFINITY),
  };
  const crewLeader = new CrewLeader(crew);
  const transport: WorkerTransport = {
    threads,
    started: joined,
    send: (task, count, arrays) => crewLeader.send(task, count, arrays),
    ended: () => crewLeader.ended(),
    // Threads that have yet to join would not get the arrays, those that are left out would keep
    // them, and in other runtimes channels cannot be read at once.
    takesArrays: (count) => hasStarted && isNode && count > 1 && count === threads,
    failedToStart: () => failedToStart,
    broken,
    close: () => {
      crewLeader.close();
      return close();
    },
  };
  return new ThreadPool(arena, transport, () => runAtOnce, leader);
}

/**
 * Threads of piscina. It is required from where the worker's file is, and not imported: a bundler
 * would put it into the bundle, apart from the file of its own that its threads run.
 * @throws where the worker's file or piscina is not to be found, as in a bundle.
 */
function openPiscina(setup: CrewSetup, count: number): OtherThreads {
  const filename = fileBeside(import.meta.url);
  if (!existsSync(filename)) throw new Error(`there is no file ${filename}`);
  const { Piscina } = createRequire(filename)('piscina') as typeof import('piscina');
  const pool = new Piscina<undefined, void>({
    filename,
    minThreads: count,
    maxThreads: count,
    idleTimeout: Number.POSITIVE_INFINITY,
    // Its threads wait for its messages only until they join their crew.
    atomics: 'disabled',
    recordTiming: false,
    // The process's own flags are for its own code: one says that its text is a module.
    execArgv: [],
    workerData: setup,
  });
  let isClosing = false;
  // Errors of threads are seen below.
  pool.on('error', () => {});
  const lost = watchThreads(pool.threads, () => isClosing);
  const joined = Promise.all(Array.from({ length: count }, () => pool.run(undefined)));
  const end = closeWhenLoaded(pool);
  const close = (): Promise<void> => {
    isClosing = true;
    return end();
  };
  return { joined, lost, close };
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
function closeWhenLoaded(pool: Piscina<undefined, void>): () => Promise<void> {
  const loaded = new WeakMap<Worker, Promise<unknown>>();
  const follow = (): void => {
    for (const thread of pool.threads) {
      if (loaded.has(thread)) continue;
      loaded.set(thread, whenLoaded(thread));
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
    if (readClock() - since < WORK_SLICE) return undefined;
    return new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      since = readClock();
    });
  };
}
