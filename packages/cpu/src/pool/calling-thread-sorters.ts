/** Large sorters without threads: the calling one works in slices, its event loop in between. */

import { pauses, runInSlices, type SortOutcome, type SortRequest } from '@keysweep/core';
import { type Arena, compileKernels, linkKernels } from '../arena/arena.js';
import { touchSteps } from '../arena/pages.js';
import { sortPlain } from '../fallback/plain.js';
import type { LargeSorter } from './large-sorter.js';
import { inSlices } from './pauses.js';
import { ThreadPool, type WorkerTransport } from './thread-pool.js';

/** The calling thread with its kernels over `arena`, in pieces of about a millisecond. */
export function callingThreadSorter(arena: Arena): LargeSorter {
  const { memory } = arena;
  const leader = {
    kernels: linkKernels(compileKernels(), memory),
    // It waits for no other thread.
    timeout: Number.POSITIVE_INFINITY,
    isHelped: () => false,
    pauses,
  };
  let touched: Promise<unknown> | undefined;
  const transport: WorkerTransport = {
    threads: 1,
    started: Promise.resolve(),
    failedToStart: () => false,
    send({ pages }) {
      if (pages !== undefined) touched = runInSlices(touchSteps(memory, pages), pauses());
    },
    async ended() {
      await touched;
      return [];
    },
    broken: new Promise<never>(() => {}),
    close: async () => {},
  };
  return new ThreadPool(arena, transport, inSlices, leader);
}

/** The calling thread in plain TypeScript. */
export class PlainSorter implements LargeSorter {
  readonly failure = undefined;
  readonly failedToStart = false;
  readonly started: Promise<unknown> = Promise.resolve();
  /** What a sort takes is ordinary memory, and no sort keeps it. */
  readonly bytes = 0;

  async idle(): Promise<void> {}

  sort(request: SortRequest): Promise<SortOutcome> {
    return runInSlices(sortPlain(request), pauses());
  }

  async warmUp(): Promise<void> {}

  async close(): Promise<void> {}
}
