/** Requests that are served as by a leader of threads, and keys for them. */

import { makeRequest } from '@keysweep/conformance/suite';
import {
  type KeyArray,
  type Order,
  runAtOnce,
  type SortOutcome,
  type SortRequest,
} from '@keysweep/core';
import { cpu } from '@keysweep/cpu';
import { expect } from 'vitest';
import { testRandom } from '../../../tools/test/random.js';
import { type Arena, compileKernels, linkKernels } from '../src/arena/arena.js';
import type { Threading } from '../src/arena/cuts.js';
import type { Decision } from '../src/arena/work-queue.js';
import type { RunJob } from '../src/sort/arena-threads.js';
import { CHOOSING } from '../src/sort/choose.js';
import type { OnPlaced } from '../src/sort/early-commit.js';
import { type JobQueue, runJob } from '../src/sort/job.js';
import type { Decisions, JobResult } from '../src/sort/job-context.js';
import { SHARED_COPIES } from '../src/sort/shared-arrays.js';
import { sortInArena } from '../src/sort/stage.js';
import { writeShared } from '../src/sort/writers.js';

export const random = testRandom();

export const LENGTH = 600_000;

/** Layouts are those of two threads, of which one does all. */
const THREADING: Threading = { threads: 2, pauses: false };

/** The queue of a thread that is alone; `early` is what becomes of keys while others are sorted. */
const queueOf = (early: Decision): JobQueue & Decisions => ({
  joined: 1,
  *runPhase(_phase, pieces, work) {
    for (let piece = 0; piece < pieces; piece++) {
      work(piece);
      yield;
    }
  },
  awaitSorted: () => expect.unreachable(),
  awaitStaged() {},
  decideEarly() {},
  earlyDecision: () => early,
  decide() {},
  awaitDecision: () => 'write',
  markCounted() {},
  assertCounted() {},
  markSorted() {},
  addDone() {},
});

/** Serves a request as a pool with a leader does. */
export const serve = (request: SortRequest, arena: Arena, run: RunJob): Promise<SortOutcome> =>
  sortInArena(request, arena, {
    threading: THREADING,
    run,
    runSteps: runAtOnce,
    choosing: CHOOSING,
    writing: writeShared,
  });

export const words = (): Uint32Array<ArrayBuffer> => random.fill(new Uint32Array(LENGTH));

export const KEYS: Readonly<Record<string, () => KeyArray>> = {
  'random words': words,
  'words of few values': () => words().map((word) => word % 5000),
  'words whose low bits alone differ': () => words().map((word) => word & 0xf80003ff),
  Int16Array: () => new Int16Array(words().buffer, 0, LENGTH),
  'floats of both signs': () => Float32Array.from(words(), (word) => word / 2 ** 20 - 2048),
  'floats with NaNs and zeros': () =>
    Float32Array.from(words(), (word) => [Number.NaN, -0, 0, word][word & 3] as number),
  'words of 64 bits': () => new BigUint64Array(words().buffer),
};

export const bytesOf = (keys: KeyArray): Buffer =>
  Buffer.from(keys.buffer, keys.byteOffset, keys.byteLength);

/** What another arena makes of the keys, at once. */
export async function sortedBy(order: Order, keys: KeyArray): Promise<KeyArray> {
  const copy = keys.slice();
  const backend = cpu({ kernels: 'plain', threads: 1 });
  await backend.sort(makeRequest('sort', [copy], { order }));
  await backend.close();
  return copy;
}

/** Sorts with kernels, as a leader that tells `onPlaced`, or writes arrays that are shared. */
export function kernelRun(arena: Arena, onPlaced?: OnPlaced, early: Decision = 'write'): RunJob {
  const kernels = linkKernels(compileKernels(), arena.memory);
  return async (job, stage, _report, writing): Promise<JobResult> => {
    await stage(() => {});
    const { arrays, commit } = writing ?? {};
    const part = { arrays, onPlaced, mayWrite: commit?.mayWrite };
    const queue = queueOf(early);
    const others = { copies: SHARED_COPIES, choosing: CHOOSING, decisions: queue };
    return runAtOnce(runJob(job, kernels, arena.memory, queue, 0, { ...part, ...others }));
  };
}

/** The same elements on shared memory. */
export function onSharedMemory<T extends KeyArray>(keys: T): T {
  const Keys = keys.constructor as new (buffer: SharedArrayBuffer) => T;
  const shared = new Keys(new SharedArrayBuffer(keys.byteLength));
  shared.set(keys as never);
  return shared;
}
