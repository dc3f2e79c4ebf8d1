/** Threads in Node: of piscina, or Node's own where piscina cannot be loaded. */

import { availableParallelism } from 'node:os';
import type { Arena } from '../arena/arena.js';
import {
  type LargeSorter,
  MAX_THREADS,
  type ThreadOptions,
  type ThreadSupport,
  type Way,
} from './large-sorter.js';

/** Keys of a job that takes long enough for threads that are still starting to join it. */
const AWAITED_FROM = 1 << 22;

export const THREADS: ThreadSupport = {
  // Without WebAssembly there would be no memory to share.
  count: ({ threads, plain }) =>
    plain ? 0 : (threads ?? Math.min(availableParallelism(), MAX_THREADS)),
  shareMemory: true,
  /**
   * With fewer keys, waking the threads costs more than they save. Keys of up to 32 bits alone are
   * sorted so fast that the calling thread stays alone for longer: if a scheduler wakes a thread on
   * the caller's own core, two threads are slower than one.
   */
  from: { narrowKeys: 1 << 19, others: 1 << 18 },
  /**
   * Threads that have started already are worth waking for less. On 16 cores, 100,000 narrow keys
   * take one thread 0.86 ms and four 1.07; 300,000 take 4.0 and 1.7.
   */
  fromIfMany: { narrowKeys: 1 << 17, others: 100_000 },
  remedy: () => 'If Node has a permission model, allow worker threads (--allow-worker).',
  awaitedFrom: AWAITED_FROM,
  ways: ({ plain }) => (plain ? [] : [byPiscina, byNode]),
};

/** Starts threads by code that is loaded with them: the first sort goes without both. */
const start = async (
  by: 'startPiscina' | 'startNodeThreads',
  options: ThreadOptions,
  arena: () => Arena,
): Promise<LargeSorter> => {
  const pools = await import('./start-pool-node.js');
  return pools[by]({ threads: THREADS.count(options), awaitedFrom: AWAITED_FROM }, arena);
};

const byPiscina: Way = {
  name: 'piscina',
  start: (options, arena) => start('startPiscina', options, arena),
};

const byNode: Way = {
  name: 'node:worker_threads',
  start: (options, arena) => start('startNodeThreads', options, arena),
};
