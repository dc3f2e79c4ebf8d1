/**
 * The jobs of a sort. A parent, 'sort', adds the children of a stage, waits for them, adds the
 * children of the next, and writes the output. Each child writes one object to the shared folder,
 * under a name of its own for each attempt. The name in a job's result is the one that counts:
 * BullMQ takes the result of one attempt only.
 */

import type { Layout } from '@keysweep/external/internal';
import type { ClusterReport } from '../options.js';

/** The stages that have jobs of their own, in their order. */
export type Stage = 'sample' | 'partition' | 'sort';

/** The name of the parent's job. */
export const PARENT = 'whole sort';

/** Seconds for which jobs of a submitter that died stay in the store after their end. */
export const KEPT = 86_400;

/** How often a job may be tried. */
export const MAX_ATTEMPTS = 100;

/** Milliseconds for which a job that failed waits, then for twice as many, and so on. */
export const BACKOFF = { type: 'exponential', delay: 500 } as const;

/** Files of an input, each of which is looked up and opened by every job. */
export const MAX_FILES = 10_000;
/** Characters of a file's name or version, as many as a path of Linux has bytes. */
export const LONGEST_NAME = 4096;

/** The description of a sort, which all its jobs share. */
export interface SortSpec {
  readonly input: readonly string[];
  /** The versions of the input's files: none may change meanwhile. */
  readonly versions: readonly string[];
  /** Bytes of the input. */
  readonly size: number;
  readonly output: string;
  readonly layout: Layout;
  /** Bytes that a job may take. */
  readonly memory: number;
  readonly parts: number;
  /** How many pieces the input is partitioned in, and the records of one; the last has fewer. */
  readonly pieces: number;
  readonly pieceRecords: number;
  readonly attempts: number;
  /** The shared folder of this sort. */
  readonly folder: string;
}

/** The parent's data. */
export interface ParentData {
  readonly spec: SortSpec;
  /** Set by the submitter: nothing more is done. */
  readonly cancelled?: boolean;
}

/** A child's data. */
export interface ChildData {
  /** The id of the parent. */
  readonly parent: string;
  readonly index: number;
  /** The file from the stage before, which holds splitters, or says where the parts are. */
  readonly from: string | undefined;
}

/** A child's result. */
export interface ChildResult {
  /** The object that the attempt wrote. */
  readonly path: string;
  /** Bytes of each part in it, in their order; for a sorted part, its own size. */
  readonly sizes: readonly number[];
  readonly worker: string;
  /** How often the job was started before. */
  readonly retries: number;
  /** Milliseconds since 1970. */
  readonly started: number;
  readonly ended: number;
  readonly read: number;
  readonly written: number;
}

/** The parent's result: the report without the total time, which only the submitter knows. */
export type ParentResult = Omit<ClusterReport, 'milliseconds'> & {
  readonly milliseconds: Omit<ClusterReport['milliseconds'], 'total'>;
};

/** Objects that hold the parts of a sort, each part one range of each object. */
export type Shuffle = readonly Pick<ChildResult, 'path' | 'sizes'>[];

export const childId = (parent: string, stage: Stage, index: number): string =>
  `${parent}-${stage}-${index}`;

/** How many children each stage has: one part is sorted at once, as it lies in the input. */
export const childrenOf = ({ parts, pieces }: SortSpec): Readonly<Record<Stage, number>> =>
  parts === 1
    ? { sample: 0, partition: 0, sort: 1 }
    : { sample: 1, partition: pieces, sort: parts };
