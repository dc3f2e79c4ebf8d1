/** One thread with kernels and memory of its own: the caller's, or a worker that arrays are sent to. */

import { plainShape, type RequestShape, runAtOnce } from '@keysweep/core';
import { Arena, compileKernels, linkKernels } from '../sort/arena.js';
import { layOut } from '../sort/arena-layout.js';
import type { RunJob, Stage } from '../sort/columns.js';
import { runJob } from '../sort/job.js';
import type { Job, JobResult } from '../sort/job-context.js';
import { planRecords } from '../sort/record-layout.js';
import { Board } from './work-queue.js';

/** Why the compiled kernels can't be used on this thread, or undefined when they can. */
export function whyPlain(): string | undefined {
  if (typeof WebAssembly === 'undefined') return 'WebAssembly is missing';
  try {
    compileKernels();
  } catch (error) {
    return `the kernels do not compile here: ${String(error)}`;
  }
  try {
    // Memory of the kind that the kernels need, though in a page that is not cross-origin isolated
    // no other thread can be given it.
    new Arena();
  } catch (error) {
    return `shared memory is missing: ${String(error)}`;
  }
  return undefined;
}

/** Kernels and memory of one thread. */
export interface Alone {
  readonly arena: Arena;
  readonly run: RunJob;
}

/** Links kernels to a memory of their own. */
export function alone(): Alone {
  const arena = new Arena();
  const { memory } = arena;
  const kernels = linkKernels(compileKernels(), memory);
  const run = (job: Job, stage: Stage): JobResult => {
    const { boardAt, phases } = job.places;
    const board = new Board(memory, boardAt, phases, Number.POSITIVE_INFINITY);
    board.reset();
    board.arrive();
    // Who sorts alone stages without a pause: another request would use the same memory.
    stage((slices) => board.stage(slices));
    return runAtOnce(runJob(job, kernels, memory, board, 0));
  };
  return { arena, run };
}

/** Bytes of an arena that serves a request of this shape with `threads` threads. */
export function bytesFor(shape: RequestShape, threads: number): number {
  const plans = shape.keyTypes.map((keyType) => planRecords(shape, keyType));
  return layOut(plans, shape.length, shape.segmentCount, threads).end;
}

/** Reserves memory for `length` 32-bit keys and has the system hand out the pages that are new. */
export function touch(arena: Arena, length: number): void {
  const from = arena.bytes;
  arena.reserve(bytesFor(plainShape('sort', 'u32', length), 1));
  new Uint8Array(arena.memory.buffer, from).fill(0);
}
