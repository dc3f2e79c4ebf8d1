/**
 * A thread with kernels and memory of its own: the caller's, or a worker that arrays are sent to.
 */

import {
  plainShape,
  type RequestShape,
  runAtOnce,
  type SortOutcome,
  type SortRequest,
} from '@keysweep/core';
import { Arena, compileKernels, linkKernels } from '../arena/arena.js';
import { AT_ONCE, type Threading } from '../arena/cuts.js';
import { layOut } from '../arena/layout.js';
import { planRecords } from '../arena/record-plan.js';
import type { Pausable } from '../arena/work-queue.js';
import type { ArenaThreads } from '../sort/arena-threads.js';
import { type JobQueue, runJob } from '../sort/job.js';
import type { Choosing } from '../sort/job-context.js';
import { sortInArenaAtOnce } from '../sort/stage.js';

/** Why the compiled kernels cannot be used on this thread, or undefined when they can. */
export function reasonForPlain(): string | undefined {
  if (typeof WebAssembly === 'undefined') return 'WebAssembly is missing';
  try {
    compileKernels();
  } catch (error) {
    return `the kernels do not compile here: ${String(error)}`;
  }
  try {
    // The kernels need shared memory, even where the page cannot hand it to another thread because
    // it is not cross-origin isolated.
    new Arena();
  } catch (error) {
    return `shared memory is missing: ${String(error)}`;
  }
  return undefined;
}

/** Kernels and memory of one thread. */
export interface CallingThread {
  readonly arena: Arena;
  /** Serves a request at once: another one would use the same memory. */
  sort(request: SortRequest): SortOutcome;
}

/** The work queue of a thread that is alone: whatever it waits for is there. */
class AloneQueue implements JobQueue {
  readonly joined = 1;

  *runPhase(_phase: number, pieces: number, work: (piece: number) => void): Pausable<void> {
    for (let piece = 0; piece < pieces; piece++) {
      work(piece);
      yield;
    }
  }

  awaitStaged(): void {}
  markCounted(): void {}
  assertCounted(): void {}
  markSorted(): void {}
  addDone(): void {}

  awaitSorted(): never {
    throw new Error('no thread overwrote counts');
  }
}

/** Links kernels to a memory of their own; they may be able to choose rows. */
export function linkCallingThread(choosing?: Choosing): CallingThread {
  const arena = new Arena();
  const { memory } = arena;
  const kernels = linkKernels(compileKernels(), memory);
  const threads: ArenaThreads = {
    threading: AT_ONCE,
    run(job, stage) {
      stage(() => {});
      return runAtOnce(runJob(job, kernels, memory, new AloneQueue(), 0, { choosing }));
    },
    runSteps: runAtOnce,
    choosing,
  };
  return { arena, sort: (request) => sortInArenaAtOnce(request, arena, threads) };
}

/** Bytes of an arena that serves a request of this shape. */
export function arenaBytes(shape: RequestShape, threading: Threading): number {
  const plans = shape.keyTypes.map((keyType) => planRecords(shape, keyType));
  return layOut(plans, shape.length, shape.segmentCount, threading).end;
}

/** Reserves memory for `length` 32-bit keys and has the system hand out the pages that are new. */
export function takePages(arena: Arena, length: number): void {
  const from = arena.bytes;
  arena.reserve(arenaBytes(plainShape('sort', 'u32', length), AT_ONCE));
  new Uint8Array(arena.memory.buffer, from).fill(0);
}
