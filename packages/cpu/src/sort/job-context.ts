/** What the phases of a job hand to one another. */

import type { ChosenRows, KeyBits, KeyType, SortRequest, TypedArray } from '@keysweep/core';
import { ABSENT, type CpuKernels, JOB, ORDER, PARTITION_BITS, WINDOW } from '@keysweep/kernels/cpu';
import type { ArenaLayout, Scratch } from '../arena/layout.js';
import type { RecordPlan } from '../arena/record-plan.js';
import type { Pausable, WorkQueue } from '../arena/work-queue.js';
import type { MayWrite, OnPlaced } from './early-commit.js';

/** What every thread is told. Plain data: it crosses to the threads by structured clone. */
export interface Job {
  /** Where its data lies in the arena. */
  readonly arena: ArenaLayout;
  readonly plan: RecordPlan;
  readonly keyType: KeyType;
  readonly keyBits: KeyBits | undefined;
  /** How many leading bits of the keys' range have to decide; undefined for all of them. */
  readonly precision: number | undefined;
  readonly descending: boolean;
  /**
   * Whether the arena has grown for it. To read memory that nothing has touched takes a page fault
   * more than to write it.
   */
  readonly isFresh: boolean;
  /** Number of keys, at least 1. */
  readonly length: number;
  readonly segmentCount: number;
  /** Raw keys, where the survey reads them; for keys alone they are the records. */
  readonly keysAt: number;
  /** Raw payloads, or 0 where the payload is the index. Of chosen rows, where their numbers go. */
  readonly valuesAt: number;
  /** Of how many rows its keys are chosen, if not of as many: see choose.ts. */
  readonly rows: number | undefined;
  /** Whether `arena.indicesAt` holds the order by the columns before. */
  readonly permuted: boolean;
  /** Whether sorted keys are wanted beside the payloads. */
  readonly keysWanted: boolean;
}

/** Arrays that all threads copy for one job. The calling thread copies the others. */
export interface SharedArrays {
  /** The keys, and the payloads where there are some; or none. */
  readonly staged: readonly TypedArray[];
  /** Arrays for the results; or none. */
  readonly results: readonly TypedArray[];
}

export const NONE_SHARED: SharedArrays = { staged: [], results: [] };

/** How threads copy arrays of the caller's: see shared-arrays.ts. */
export interface SharedCopies {
  /** Copies keys `first` to `first` + n - 1, and their payloads, into the arena. */
  stageStretch(context: JobContext, first: number, n: number): void;
  /** Copies elements `first` to `first` + n - 1 of result number `i`, which lie at address `at`. */
  writeStretch(context: JobContext, i: number, at: number, first: number, n: number): void;
  /** Copies all results out of the arena, slice by slice. `at` are their addresses. */
  writeResults(context: JobContext, at: readonly number[]): Pausable<void>;
}

/** How rows are chosen: see choose.ts. */
export interface Choosing {
  /** Bytes that lie where records will be; 0 where no rows are chosen. */
  bytes(request: SortRequest): number;
  /** Stages the bits of a job. Returns which rows are in a slice. */
  stage(
    buffer: ArrayBufferLike,
    job: Job,
    chosen: ChosenRows,
  ): (slice: number) => readonly [first: number, count: number];
  /** Brings chosen keys, and their rows, to where they are staged otherwise. */
  choose(context: JobContext): Pausable<void>;
}

/** What a thread has beside the description of a job. */
export interface ThreadPart {
  /** The caller's arrays that all threads copy; by default none. */
  readonly arrays?: SharedArrays | undefined;
  /** How such arrays are copied; undefined for a thread that is never handed any. */
  readonly copies?: SharedCopies | undefined;
  /** How rows are chosen; undefined for a thread that cannot. */
  readonly choosing?: Choosing | undefined;
  /** Is told of keys that are in place; only a calling thread that takes part has it. */
  readonly onPlaced?: OnPlaced | undefined;
  /** Decides for all threads whether results may be written; only the calling thread has it. */
  readonly mayWrite?: MayWrite | undefined;
  /** Only threads that share a job have it. */
  readonly decisions?: Decisions | undefined;
}

/** The part of the work queue in which it is decided what is written, and when. */
export type Decisions = Pick<
  WorkQueue,
  'decideEarly' | 'earlyDecision' | 'decide' | 'awaitDecision'
>;

/** Keys that were in order already, in exactly the reverse order (keys alone), or neither. */
export type InputOrder = 'sorted' | 'reversed' | 'mixed';

/** The result of a job. All threads compute the same. */
export interface JobResult {
  /** How the keys were found; 'sorted' ones were not moved. */
  readonly inputOrder: InputOrder;
  /** Whether the threads have written the results to the caller's arrays. */
  readonly isWritten: boolean;
  /** Otherwise where the sorted keys and payloads lie, in the formats of the plan. */
  readonly keysAt: number;
  readonly valuesAt: number;
  readonly passesRun: number;
  readonly passesSkipped: number;
  /** Threads that had joined when it was done. */
  readonly threads: number;
}

/** The addresses of a job's results, in the order of the arrays that they are written to. */
export function resultsOf(
  { plan, keysWanted }: Job,
  { keysAt, valuesAt }: Pick<JobResult, 'keysAt' | 'valuesAt'>,
): readonly number[] {
  if (plan.valueFormat === ABSENT) return [keysAt];
  return keysWanted ? [keysAt, valuesAt] : [valuesAt];
}

/** Fields of a job's block: see `Job` in kernels/cpu/wasm/blocks.ts. */
export type JobFields = Partial<Record<Exclude<keyof typeof JOB, 'bytes'>, number>>;

/** One thread's view of a job. */
export interface JobContext {
  readonly job: Job;
  readonly kernels: CpuKernels;
  readonly scratch: Scratch;
  /** The arena, as 32- and 64-bit words. */
  readonly words: Uint32Array;
  readonly longs: BigUint64Array;
  /** Does the next phase together with the other threads. */
  readonly runPhase: (pieces: number, work: (piece: number) => void) => Pausable<void>;
  /**
   * Does a phase that makes counts, like `runPhase`, in one of the tables that take turns, then
   * reads them.
   * @throws CountsOverwritten when the others have gone on to other counts in that table meanwhile.
   */
  readonly runCountPhase: <T>(
    pieces: number,
    work: (piece: number, table: number) => void,
    read: (table: number) => T,
  ) => Pausable<T>;
  readonly addDone: (records: number) => void;
  /** Is told of keys that are in place; only a calling thread that takes part has it. */
  readonly onPlaced: OnPlaced | undefined;
  /** Waits for the caller's first `slices` slices. */
  readonly awaitStaged: (slices: number) => void;
  /** The caller's arrays that all threads copy. */
  readonly arrays: SharedArrays;
  readonly copies: SharedCopies | undefined;
  /** Decides whether results may be written; only a calling thread that takes part has it. */
  readonly mayWrite: MayWrite | undefined;
  /** Undefined for a thread that is alone: it has nothing to decide. */
  readonly decisions: Decisions | undefined;
}

/** Writes fields of this thread's job block, which its kernels read. */
export function writeJob({ words, scratch }: JobContext, fields: JobFields): void {
  for (const [name, value] of Object.entries(fields)) {
    words[(scratch.job + JOB[name as keyof JobFields]) / 4] = value;
  }
}

/**
 * What notes in shared memory that a piece of a phase is in place. It returns how many are, from
 * the first one on.
 */
export function placedPieces(
  { words, job }: JobContext,
  pieces: number,
): (piece: number) => number {
  const placedAt = job.arena.placedAt / 4;
  let placed = 0;
  return (piece) => {
    Atomics.store(words, placedAt + piece, 1);
    while (placed < pieces && Atomics.load(words, placedAt + placed) === 1) placed++;
    return placed;
  };
}

/**
 * How a job's keys are ordered: the bits of a word that decide, and which kernels make the word.
 */
export interface KeyOrder {
  readonly begin: number;
  readonly end: number;
  readonly inputOrder: InputOrder;
  /** The variant that reads whole keys: without FLOAT where the bits themselves are in order. */
  readonly variant: number;
  /** One above the highest bit of the digit that all keys are partitioned by. */
  readonly top: number;
  /** The value with which the order of that digit begins: it goes up from there and around. */
  readonly firstValue: number;
  readonly descending: boolean;
  /**
   * The variant within buckets of a partition. Without FLOAT, the buckets of negative keys, which
   * are the lower half, are sorted the other way round.
   */
  readonly bucketVariant: number;
  /** The values by which rows are counted and placed, where they are: see counting.ts. */
  readonly counted: CountedValues | undefined;
}

/** How a word becomes the value that rows are counted by: see kernels/cpu/wasm/counting.ts. */
export interface CountedValues {
  /** Lowest bit of a word that decides. */
  readonly shift: number;
  /** Bits of a value. */
  readonly width: number;
  /** The least key, and steps per unit; a scale of 0 where words decide on their own. */
  readonly least: number;
  readonly scale: number;
}

/** A split into 2^width values. */
export interface Split {
  /** The variant of the kernels that count and scatter by it. */
  readonly variant: number;
  /** The digit's lowest bit, or how many bits of mantissa a magnitude has. */
  readonly shift: number;
  readonly width: number;
  /** The word that a window begins with; 0 for other splits. */
  readonly low: bigint;
  /** The value with which the order begins; it goes up from there and around. */
  readonly firstValue: number;
}

/** The most significant digit of bits [begin, top): bits [shift, shift + width). */
export function topDigit(begin: number, top: number): { shift: number; width: number } {
  const shift = Math.max(begin, top - PARTITION_BITS);
  return { shift, width: top - shift };
}

/** The split of records that agree in all bits from `top` up, by their digit below. */
export function splitByDigit(order: KeyOrder, top: number): Split {
  const { shift, width } = topDigit(order.begin, top);
  const firstValue = top === order.top ? order.firstValue : 0;
  return { variant: order.variant, shift, width, low: 0n, firstValue };
}

/** Writes a split into this thread's blocks. */
export function writeSplit(context: JobContext, split: Split): void {
  const { variant, shift, width, firstValue, low } = split;
  const { order } = context.scratch;
  writeJob(context, { variant, shift, width, firstValue, order });
  // No kernel of integers but a window's reads the gap.
  if ((variant & WINDOW) !== 0) context.longs[(order + ORDER.gap) / 8] = low;
}
