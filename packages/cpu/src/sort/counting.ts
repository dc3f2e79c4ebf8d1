/**
 * Rows of keys in a narrow range, or of which 16 bits are to decide: counted by values of up to 17
 * bits, which counted-values.ts chooses, and placed. No key moves.
 *
 *   1. count   each slice, in a table of its own
 *   2. split   each slice: rows go to the rows of the same top digit
 *   3. place   each digit, by the values in it: the result is whole from its beginning up to there
 *
 * Values of few bits are one digit: the split has then placed their rows.
 */

import { ORDER, RUN_COUNTER_BYTES } from '@keysweep/kernels/cpu';
import { MAX_PIECES } from '../arena/cuts.js';
import type { Pausable } from '../arena/work-queue.js';
import {
  type CountedValues,
  type JobContext,
  type JobResult,
  placedPieces,
  writeJob,
} from './job-context.js';
import { firstAt } from './partition.js';

/** Rows of a slice at most, where no thread asks for shorter ones: some milliseconds of work. */
const SLICE_ROWS = 2 ** 20;

/** The most bits of a value that are one digit. */
const UNDIVIDED_BITS = 8;

/** Bits of a digit if rows are few: a first-level cache holds as many places. */
const DIGIT_BITS = 7;

/** The bits of the top digit. The other bits of a value have to go into a word with one of `rows`. */
function digitWidthOf(width: number, rows: number): number {
  if (width <= UNDIVIDED_BITS) return width;
  const rowBits = 32 - Math.clz32(rows - 1);
  return Math.max(DIGIT_BITS, width + rowBits - 32);
}

/**
 * Counts and places the rows of a job. Split rows lie where records would, and placed ones over the
 * keys: that memory is in the caches. The tables lie after the split rows, and have no more
 * counters than there are rows.
 */
export function* countRows(
  context: JobContext,
  { shift, width, least, scale }: CountedValues,
): Pausable<Pick<JobResult, 'keysAt' | 'valuesAt' | 'passesRun'>> {
  const { job, kernels, scratch, runPhase, addDone } = context;
  const { arena, keysAt, valuesAt, rows, length } = job;
  const digitWidth = digitWidthOf(width, rows ?? length);
  const isOneDigit = digitWidth === width;
  const counters = 2 ** width + 2 ** digitWidth;
  const wanted = Math.max(arena.threads, Math.ceil(length / (arena.sliceRecords ?? SLICE_ROWS)));
  const slices = Math.min(wanted, Math.floor(length / counters), MAX_PIECES);
  const firstIn = (slice: number): number => Math.floor((length * slice) / slices);
  const counts = arena.recordsAt + 4 * length;
  writeJob(context, {
    keys: keysAt,
    values: valuesAt,
    shift,
    width,
    digitWidth,
    counts,
    slices,
    order: scratch.order,
    bounds: scratch.counters,
    cursors: scratch.counters + RUN_COUNTER_BYTES / 2,
    spare: arena.recordsAt,
  });
  writeDouble(context, scratch.order + ORDER.least, least);
  writeDouble(context, scratch.order + ORDER.scale, scale);
  // 1.
  yield* runPhase(slices, (slice) => {
    const first = firstIn(slice);
    const table = counts + 4 * counters * slice;
    kernels.countValues(scratch.job, first, firstIn(slice + 1) - first, table);
  });
  // 2.
  yield* runPhase(slices, (slice) => {
    const [first, last] = [firstIn(slice), firstIn(slice + 1)];
    kernels.scanDigits(scratch.job, slice);
    kernels.splitRows(scratch.job, first, last - first);
    if (isOneDigit) addDone(last - first);
  });
  if (isOneDigit) return { keysAt: 0, valuesAt: arena.recordsAt, passesRun: 1 };
  // 3.
  writeJob(context, { records: arena.recordsAt, spare: keysAt });
  yield* placeDigits(context, 2 ** digitWidth);
  return { keysAt: 0, valuesAt: keysAt, passesRun: 2 };
}

/** Writes the bits of a double into this thread's memory. */
function writeDouble({ longs }: JobContext, at: number, value: number): void {
  longs[at / 8] = new BigUint64Array(Float64Array.of(value).buffer)[0] as bigint;
}

/**
 * Places the rows of all digits, several in a piece where they are small. A thread that is alone
 * goes on with a digit in its next piece.
 */
function* placeDigits(context: JobContext, digits: number): Pausable<void> {
  const { job, kernels, scratch, words, runPhase, addDone, onPlaced } = context;
  const { arena, length } = job;
  const pieces = Math.min(MAX_PIECES, Math.ceil(length / arena.pieceRecords));
  const bound = (digit: number): number => words[scratch.counters / 4 + digit] as number;
  const firstIn = (piece: number): number => {
    const first = Math.floor((length * piece) / pieces);
    return arena.threads === 1 ? first : bound(firstAt(first, digits, bound));
  };
  kernels.scanDigits(scratch.job, 0);
  const place = placedPieces(context, pieces);
  yield* runPhase(pieces, (piece) => {
    const [first, last] = [firstIn(piece), firstIn(piece + 1)];
    const digit = firstAt(first + 1, digits, bound) - 1;
    kernels.placeRows(scratch.job, digit, first, last - first);
    addDone(last - first);
    const inOrder = place(piece);
    onPlaced?.(firstIn(inOrder));
  });
}
