/** What a soak watches in a process of Node.js: its threads, listeners and memory. */

import { getEventListeners } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Worker } from 'node:worker_threads';
import type { Memory } from './counts.js';
import type { Host } from './host.js';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** The threads of this process that live. */
export class Threads {
  readonly #live = new Set<Worker>();
  readonly #watch = (worker: Worker): void => {
    this.#live.add(worker);
    worker.once('exit', () => this.#live.delete(worker));
  };

  constructor() {
    process.on('worker', this.#watch);
  }

  get live(): readonly Worker[] {
    return [...this.#live];
  }

  close(): void {
    process.off('worker', this.#watch);
  }
}

/** What the process holds, once what nothing uses was collected. */
export function measureMemory(): Memory {
  collect();
  const { heapUsed, arrayBuffers, rss } = process.memoryUsage();
  return {
    objects: heapUsed,
    arrays: arrayBuffers,
    all: rss,
    descriptors: process.platform === 'linux' ? readdirSync('/proc/self/fd').length : undefined,
    processListeners: process
      .eventNames()
      .reduce((sum, name) => sum + process.listenerCount(name), 0),
  };
}

/** The processes that a process has started; none where the system does not say. */
export function childrenOf(pid: number): number[] {
  try {
    const path = `/proc/${pid}/task/${pid}/children`;
    return readFileSync(path, 'utf8').split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

/** This process. */
export const nodeHost = (threads: Threads): Host => ({
  threadCount: () => threads.live.length,
  endThread: async () => {
    await threads.live[0]?.terminate();
  },
  watchListeners: (signal) => () => getEventListeners(signal, 'abort').length,
  onUnhandled(hear) {
    process.on('unhandledRejection', hear);
    return () => process.off('unhandledRejection', hear);
  },
});
