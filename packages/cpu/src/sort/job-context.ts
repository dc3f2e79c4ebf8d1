/** What the parts of a job hand to one another. */

import type { KeyBits, KeyType } from '@keysweep/core';
import type { CpuKernels } from '@keysweep/kernels/cpu';
import type { Pausable } from '../pool/work-queue.js';
import type { Places, Scratch } from './arena-layout.js';
import type { RecordPlan } from './record-layout.js';

/** What every thread is told. Plain data: it crosses to the threads by structured clone. */
export interface Job {
  readonly places: Places;
  readonly plan: RecordPlan;
  readonly keyType: KeyType;
  readonly keyBits: KeyBits | undefined;
  readonly descending: boolean;
  /** Number of keys, at least 1. */
  readonly length: number;
  readonly segmentCount: number;
  /** Raw keys, where the survey reads them; for keys alone they are the records. */
  readonly keysAt: number;
  /** Raw payloads, or 0 where the payload is the index. */
  readonly valuesAt: number;
  /** Whether `places.indicesAt` holds the order by the columns before. */
  readonly permuted: boolean;
  /** Whether sorted keys are asked for beside the payloads. */
  readonly keysWanted: boolean;
}

/** Keys that were in order already, in exactly the reverse order (keys alone), or neither. */
export type Found = 'sorted' | 'reversed' | 'mixed';

/** What a job came to. All threads compute the same. */
export interface JobResult {
  /** How the keys were found; only 'mixed' ones were moved and unpacked. */
  readonly found: Found;
  /** Where the sorted keys and payloads lie, in the formats of the plan. */
  readonly keysAt: number;
  readonly valuesAt: number;
  readonly passesRun: number;
  readonly passesSkipped: number;
  /** Threads that had come when it was done. */
  readonly threads: number;
}

/** One thread's view of a job. */
export interface Seat {
  readonly job: Job;
  readonly kernels: CpuKernels;
  readonly scratch: Scratch;
  readonly words: Uint32Array;
  readonly longs: BigUint64Array;
  /** Does the next phase together with the others. */
  readonly share: (pieces: number, work: (piece: number) => void) => Pausable<void>;
  /**
   * Does a phase that makes counts, like `share`, in one of the tables that take turns, then reads them.
   * @throws FellBehind when the others have gone on to other counts in that table meanwhile.
   */
  readonly shareCounts: <T>(
    pieces: number,
    work: (piece: number, table: number) => void,
    read: (table: number) => T,
  ) => Pausable<T>;
  readonly advance: (records: number) => void;
  /** Waits for the caller's first `slices` slices. */
  readonly awaitStaged: (slices: number) => void;
}

/** How a job's keys are ordered: the bits of a word that decide, and which kernels make the word. */
export interface KeyOrder {
  readonly begin: number;
  readonly end: number;
  readonly found: Found;
  /** The layout that reads whole keys: without FLOAT where the bits themselves are in order. */
  readonly layout: number;
  /** One above the highest bit of the digit that all keys are partitioned by. */
  readonly top: number;
  /** The value with which the order of that digit begins: it goes up from there and around. */
  readonly first: number;
  readonly descending: boolean;
  /**
   * The layout within buckets of a partition. Without FLOAT those of negative keys, the lower half, are sorted the other
   * way round.
   */
  readonly bucketLayout: number;
}
