/** Threads in Node: a piscina pool bound to one arena. */

import { availableParallelism } from 'node:os';
import { type KeyType, keyTraits, type RequestShape, runAtOnce } from '@keysweep/core';
import { Arena, compileKernels, linkKernels } from './arena.js';
import { type Crew, type Leader, makeCrew } from './crew.js';
import { runJob } from './job.js';
import type { CrewData, Share, Stretch, Task } from './task.js';
import { arenaTeam, type Threads } from './team.js';

/**
 * From this many keys on, waking the threads costs less than they save. Keys of up to 32 bits alone
 * are done so fast that the calling thread is better left alone with them for longer: a scheduler
 * that wakes a thread on the caller's own core makes two threads slower than one.
 */
const PAY_FROM = 1 << 17;
const PAY_FROM_FOR_NARROW_KEYS = 1 << 20;

/**
 * Up to this many keys the calling thread leads: it is awake and its core is warm, while threads
 * that have slept need a millisecond or two to come up to speed. At this length it is busy for 9 ms
 * with 32-bit integers and 32 with a permutation of 64-bit floats (2 cores of a Zen 5). Beyond, it
 * only copies in and out, and its event loop runs on.
 */
const LEAD_UP_TO = 1 << 21;

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

/** Starts `threads` threads over `arena`. Idle, they neither use a core nor hold the process. */
async function startCrew({ memory }: Arena, threads: number): Promise<Crew> {
  // Loaded here, for whoever only asks how many threads there are pays nothing.
  const { Piscina } = await import('piscina');
  const module = compileKernels();
  const kernels = linkKernels(module, memory);
  const workerData: CrewData = { module, memory };
  const pool = new Piscina<Task, Share>({
    filename: new URL('./worker.js', import.meta.url).href,
    minThreads: threads,
    maxThreads: threads,
    idleTimeout: Number.POSITIVE_INFINITY,
    atomics: 'sync',
    workerData,
  });
  // Threads take tens of milliseconds to come up. Until then a leader works alone instead of leaving
  // tasks in the queue that the next job would have to wait for.
  let up = false;
  const coming = Array.from({ length: threads }, (_, thread) =>
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
    upTo: LEAD_UP_TO,
    patience: LEADERS_PATIENCE,
    isHelped: () => up,
    lead: (job, board) => runJob(job, kernels, memory, board, 0),
  };
  const send = (task: Task): Promise<Share> => pool.run(task);
  return makeCrew({ threads, memory, send, broken, close: () => pool.destroy() }, leader);
}
