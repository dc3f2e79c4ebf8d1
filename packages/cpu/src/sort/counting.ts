/**
 * Rows of keys in a range of 16 bits, or of which 16 bits are to decide: counted by those bits and
 * placed, in one pass that moves no key.
 *
 *   1. count   each slice, in a table of its own
 *   2. scan    one thread, while the others wait: 0.1 ms for each table of 2^16 counters
 *   3. place   each slice
 *
 * Two passes of eight bits each keep their counters and targets in nearer caches, but write every
 * row twice: on two cores of a Xeon a million rows took a tenth to a half longer by them.
 */

import { ABSENT, COUNTED_BITS, placeRows } from '@keysweep/kernels/cpu';
import type { Pausable } from '../pool/work-queue.js';
import {
  type Job,
  type JobContext,
  type JobResult,
  type KeyOrder,
  writeJob,
} from './job-context.js';

/**
 * Whether the rows of a job are counted by so many bits of their keys: one column as it comes, and
 * at least as many rows as counters.
 */
export function canCount(job: Job, bits: number): boolean {
  const { plan, valuesAt, permuted, keysWanted, segmentCount, keyBits, length } = job;
  const areRows = plan.valueFormat !== ABSENT && valuesAt === 0 && !keysWanted && !permuted;
  const isWhole = plan.keyBytes === 4 && segmentCount === 1 && keyBits === undefined;
  return areRows && isWhole && bits <= COUNTED_BITS && length >= 2 ** bits;
}

/** Rows of a slice at most, where no thread asks for shorter ones: some milliseconds of work. */
const SLICE_ROWS = 2 ** 20;

/**
 * Counts and places the rows of a job. Their order then lies where records would. The tables lie
 * behind the keys, and have no more counters than there are rows.
 */
export function* countRows(
  context: JobContext,
  { begin, end }: KeyOrder,
): Pausable<Pick<JobResult, 'keysAt' | 'valuesAt'>> {
  const { job, kernels, scratch, words, runPhase, addDone } = context;
  const { arena, keysAt, length } = job;
  const values = 2 ** (end - begin);
  const wanted = Math.max(arena.threads, Math.ceil(length / (arena.sliceRecords ?? SLICE_ROWS)));
  const slices = Math.min(wanted, Math.floor(length / values));
  const firstIn = (slice: number): number => Math.floor((length * slice) / slices);
  const counts = keysAt + 4 * length;
  const tableAt = (slice: number): number => counts + 4 * values * slice;
  const { order } = scratch;
  writeJob(context, { keys: keysAt, shift: begin, width: end - begin, counts, slices, order });
  // 1.
  yield* runPhase(slices, (slice) => {
    const first = firstIn(slice);
    kernels.countValues(scratch.job, first, firstIn(slice + 1) - first, tableAt(slice));
  });
  // 2.
  yield* runPhase(1, () => kernels.scanValues(scratch.job));
  // 3.
  const placed = words.subarray(arena.recordsAt / 4, arena.recordsAt / 4 + length);
  yield* runPhase(slices, (slice) => {
    const [first, last] = [firstIn(slice), firstIn(slice + 1)];
    const own = new Uint16Array(words.buffer, keysAt + 4 * first, last - first);
    const cursors = new Uint32Array(words.buffer, tableAt(slice), values);
    placeRows(own, cursors, placed, first, last);
    addDone(last - first);
  });
  return { keysAt: 0, valuesAt: arena.recordsAt };
}
