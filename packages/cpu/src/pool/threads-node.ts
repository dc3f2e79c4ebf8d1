/** Threads in Node: a piscina pool bound to one arena. */

import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Worker } from 'node:worker_threads';
import { type KeyType, keyTraits, type Pause, type RequestShape, runAtOnce } from '@keysweep/core';
import type { Piscina } from 'piscina';
import { Arena, compileKernels, linkKernels } from '../sort/arena.js';
import { runJob } from '../sort/job.js';
import { arenaTeam, type Threads } from './executor.js';
import type { CrewData, Share, Stretch, Task } from './task.js';
import { type Crew, type Leader, makeCrew } from './thread-pool.js';

/**
 * From this many keys on, waking the threads costs less than they save. Keys of up to 32 bits alone
 * are done so fast that the calling thread is better left alone with them for longer: a scheduler
 * that wakes a thread on the caller's own core makes two threads slower than one.
 */
const PAY_FROM = 1 << 18;
const PAY_FROM_FOR_NARROW_KEYS = 1 << 19;

/** A job of so many keys takes long enough for threads to join it that are still coming up. */
const AWAITS_THREADS_FROM = 1 << 22;

/**
 * How long the calling thread works before its event loop gets a turn, in milliseconds. It works with the others, because
 * it is awake: where it slept instead, a system of two cores left the threads that it woke on one of them for some 10 ms.
 */
const STINT = 8;

/** How long a leading thread waits for a piece of another's, in milliseconds: a thousand times its due. */
const LEADERS_PATIENCE = 2000;

const NOTHING: Stretch = { from: 0, to: 0 };

export const THREADS: Threads = {
  // Without WebAssembly there would be no memory to share.
  count: ({ threads, plain }) => (plain ? 0 : (threads ?? availableParallelism())),
  shareMemory: true,
  payFrom({ operation, keyTypes }: RequestShape): number {
    const isNarrow = operation === 'sort' && keyTraits(keyTypes[0] as KeyType).bits <= 32;
    return isNarrow ? PAY_FROM_FOR_NARROW_KEYS : PAY_FROM;
  },
  async start(options) {
    const arena = new Arena();
    return arenaTeam(arena, await startCrew(arena, THREADS.count(options)), () => runAtOnce);
  },
};

/** A crew of `threads` threads over `arena`, the calling one among them. Idle, the others neither use a core nor hold the process. */
async function startCrew({ memory }: Arena, threads: number): Promise<Crew> {
  // Loaded here, for whoever only asks how many threads there are pays nothing.
  const { Piscina } = await import('piscina');
  const module = compileKernels();
  const kernels = linkKernels(module, memory);
  const workerData: CrewData = { module, memory };
  // One at least: memory is taken elsewhere than on the calling thread.
  const others = Math.max(threads - 1, 1);
  const pool = new Piscina<Task, Share>({
    filename: fileURLToPath(new URL('./worker/node-worker.js', import.meta.url)),
    minThreads: others,
    maxThreads: others,
    idleTimeout: Number.POSITIVE_INFINITY,
    atomics: 'sync',
    recordTiming: false,
    workerData,
  });
  const end = endingWhenLoaded(pool);
  // Threads take tens of milliseconds to come up. Until then short jobs are the calling thread's alone, instead of
  // leaving tasks in the queue that the next job would have to wait for.
  let up = false;
  const coming = Array.from({ length: others }, (_, thread) =>
    pool.run({ thread, touch: NOTHING }),
  );
  const broken = new Promise<never>((_, reject) => {
    pool.on('error', reject);
    Promise.all(coming).then(() => {
      up = true;
    }, reject);
  });
  broken.catch(() => {});
  const leader: Leader = {
    patience: LEADERS_PATIENCE,
    spin: kernels.spin,
    isHelped: ({ length }) => up || length >= AWAITS_THREADS_FROM,
    lead: (job, board) => runJob(job, kernels, memory, board, 0),
    // A job that was done without the others lets the event loop hear of those that have come up.
    pauses: () => pauses(up ? performance.now() : Number.NEGATIVE_INFINITY),
  };
  const send = (task: Task): Promise<Share> => pool.run(task);
  return makeCrew({ threads, memory, send, broken, close: end }, leader);
}

/**
 * What ends a pool's threads, once all have loaded their code: Node 20 aborts the process where one is terminated while it
 * does. piscina replaces threads that die, so that there may be some at any time.
 */
function endingWhenLoaded(pool: Piscina<Task, Share>): () => Promise<void> {
  const loaded = new WeakMap<Worker, Promise<void>>();
  const follow = (): void => {
    for (const thread of pool.threads) {
      if (loaded.has(thread)) continue;
      const whenLoaded = new Promise<void>((resolve) => {
        // The first thing that it says is that it is ready.
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
    await Promise.all(threads.map((thread) => loaded.get(thread)));
    await pool.destroy();
  };
}

/** Pauses for the event loop, which had its last turn at `since` and then does what has come up meanwhile. */
function pauses(since: number): Pause {
  return () => {
    if (performance.now() - since < STINT) return undefined;
    return new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      since = performance.now();
    });
  };
}
