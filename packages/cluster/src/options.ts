/** The options of `submitSort` and `runWorker`, their progress and their reports. */

import type { FileInput, RecordLayout } from '@keysweep/external';
import type { Storage } from '@keysweep/external/storage';
import type { KeyType, Order, Sorter } from 'keysweep';

/** How far a sort is, in jobs of a stage. */
export interface ClusterProgress {
  /** The stage. */
  readonly phase: 'sample' | 'partition' | 'sort' | 'write';
  /** Jobs of the stage that are done. */
  readonly completed: number;
  /** All jobs of the stage. */
  readonly total: number;
}

/** What a sort did. */
export interface ClusterReport {
  /** Bytes of the input, and of the output. */
  readonly bytes: number;
  /** Parts that were sorted. */
  readonly parts: number;
  /** Pieces of the input that were partitioned. */
  readonly pieces: number;
  /** Bytes of the largest part over their mean. */
  readonly imbalance: number;
  /** Bytes that the jobs whose results count have read. */
  readonly bytesRead: number;
  /** Bytes that these jobs have written, the output included. */
  readonly bytesWritten: number;
  /** How often a job was started again: after a failure, or because its worker fell silent. */
  readonly retries: number;
  /** Jobs whose results count, by the worker that did them. */
  readonly workers: Readonly<Record<string, number>>;
  /** From the start of a stage's first job to the end of its last, by the workers' clocks. */
  readonly milliseconds: {
    readonly sample: number;
    readonly partition: number;
    readonly sort: number;
    readonly write: number;
    /** From the submission to the end, by the submitter's clock. */
    readonly total: number;
  };
}

/** A sort to submit: exactly one of `type` and `record`. */
export interface SortPlan {
  /** Files one after the other. Every worker reaches them by the same absolute paths. */
  readonly input: FileInput | readonly FileInput[];
  /** Written whole, or left as it was. */
  readonly output: FileInput;
  /** The type of the numbers, if the file is bare little-endian numbers. */
  readonly type?: KeyType;
  /** The layout of a record, if the file is records of a fixed size. */
  readonly record?: RecordLayout;
  /** Default 'ascending'. For records, the order of keys that have none of their own. */
  readonly order?: Order;
  /** Bytes that one job may take: a worker runs several. Default: 268,435,456. */
  readonly memory?: number;
  /** How many parts are sorted at least, up to 256. Default: as many as `memory` asks for. */
  readonly parts?: number;
  /** A folder that all workers share, for the data between stages. Default: the output's folder. */
  readonly tmp?: string;
  /** Serves addresses, as for `sortFile`. Give the workers the same. */
  readonly storage?: Storage;
  /** How often a job that fails is tried. Default: 5. */
  readonly attempts?: number;
  /** The name of the queue in the store. Default: 'keysweep'. */
  readonly queue?: string;
  /** An abort ends the sort on all workers. The output is then as it was. */
  readonly signal?: AbortSignal;
  /** Called when a job of the sort is done. */
  readonly onProgress?: (progress: ClusterProgress) => void;
  /** Called once, when the output is in place. */
  readonly onReport?: (report: ClusterReport) => void;
}

/** Options of `runWorker`. */
export interface WorkerOptions {
  /**
   * Folders, and beginnings of addresses such as 's3://bucket/prefix'. The worker reads and writes
   * only files in them, and refuses jobs that name any other.
   */
  readonly roots: readonly FileInput[];
  /** Jobs at a time, each with the `memory` of its sort. Default: 1. */
  readonly concurrency?: number;
  /** The name of the queue in the store. Default: 'keysweep'. */
  readonly queue?: string;
  /** The name of this worker in reports. Default: host and process. */
  readonly name?: string;
  /** The sorter for the parts. Default: the worker makes one and closes it at the end. */
  readonly sorter?: Pick<Sorter, 'sort' | 'argsort' | 'gather'>;
  /** Serves addresses, as for `sortFile`. */
  readonly storage?: Storage;
  /**
   * Milliseconds without a sign of life after which another worker takes the jobs of this one.
   * Default: 30,000.
   */
  readonly lockDuration?: number;
  /** An abort ends the worker: what it was doing goes to others. */
  readonly signal?: AbortSignal;
  /** Called with each error after which the worker tries again. Default: does nothing. */
  readonly onError?: (error: Error) => void;
}
