/**
 * Arrays of the caller's on shared memory, which every thread can copy: a slice into the arena when
 * it is surveyed, and results out of it as soon as they are there. No thread then waits for the
 * calling one to copy all of them.
 */

import type { TypedArray } from '@keysweep/core';
import { copyElements } from '#copy';
import { sliceOf } from '../arena/cuts.js';
import { widening } from '../arena/record-plan.js';
import type { Pausable } from '../arena/work-queue.js';
import type { JobContext, SharedCopies } from './job-context.js';

const isShared = ({ buffer }: TypedArray): boolean =>
  typeof SharedArrayBuffer !== 'undefined' && buffer instanceof SharedArrayBuffer;

/** Arrays as threads copy them, if all are on shared memory; otherwise none. */
export function sharedOf(arrays: readonly TypedArray[]): readonly TypedArray[] {
  return arrays.every(isShared) ? arrays.map(widening) : [];
}

function stageStretch({ job, words, arrays }: JobContext, first: number, n: number): void {
  const places = [job.keysAt, job.valuesAt];
  for (const [i, array] of arrays.staged.entries()) {
    const width = array.length / job.length;
    const stretch = array.subarray(first * width, (first + n) * width);
    copyElements(words, stretch, (places[i] as number) / 4 + first * width);
  }
}

function writeStretch(
  { job, words, arrays }: JobContext,
  i: number,
  at: number,
  first: number,
  n: number,
): void {
  const array = arrays.results[i] as TypedArray;
  const width = array.length / job.length;
  copyElements(array, words.subarray(at / 4, at / 4 + n * width), first * width);
}

function* writeResults(context: JobContext, at: readonly number[]): Pausable<void> {
  const { job, runPhase, arrays, mayWrite, decisions } = context;
  const { arena, length } = job;
  if (mayWrite !== undefined) decisions?.decide(mayWrite({ isSorted: true, at }));
  yield* runPhase(arena.slices, (slice) => {
    if (decisions?.awaitDecision() === 'leave') return;
    const [first, n] = sliceOf(arena, slice, 0, length);
    for (const [i, array] of arrays.results.entries()) {
      const from = (at[i] as number) + 4 * first * (array.length / length);
      writeStretch(context, i, from, first, n);
    }
  });
}

/** Handed to jobs, because a thread that is alone has no use for the code. */
export const SHARED_COPIES: SharedCopies = { stageStretch, writeStretch, writeResults };
