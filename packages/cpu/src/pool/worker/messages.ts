/** The messages between a page and its workers. */

import type { KeyArray, Progress, RequestShape, SortOutcome, ValueArray } from '@keysweep/core';
import type { Task, TaskResult, WorkerSetup } from '../task.js';

/** A request on its way to a worker; its arrays are copies, which the worker then owns. */
export interface RequestCopy {
  readonly shape: RequestShape;
  readonly columns: readonly [KeyArray, ...KeyArray[]];
  readonly values: ValueArray | undefined;
  readonly segments: Uint32Array | undefined;
  /** Whether the worker does without WebAssembly. */
  readonly plain: boolean;
  /** Whether the caller listens to progress. */
  readonly reportsProgress: boolean;
}

/** What comes back: the copies, sorted. */
export interface SortedCopy {
  readonly outcome: SortOutcome;
  /** The sorted keys; undefined for argsort. */
  readonly keys: KeyArray | undefined;
  readonly values: ValueArray | undefined;
}

/** Calls that a worker answers, in the order in which they were made. */
export interface Calls {
  /** Holds the lock of this name for life. Answers whether it is held. */
  readonly hold: { readonly argument: string | undefined; readonly answer: boolean };
  /** Attaches the worker to a pool's memory. */
  readonly attach: { readonly argument: WorkerSetup; readonly answer: undefined };
  /** A task of an attached worker, which is number `thread` of those that do it. */
  readonly task: {
    readonly argument: { readonly task: Task; readonly thread: number };
    readonly answer: TaskResult;
  };
  /** Sorts a whole request. */
  readonly sort: { readonly argument: RequestCopy; readonly answer: SortedCopy };
  /** Takes memory for this many 32-bit keys. */
  readonly takePages: { readonly argument: number; readonly answer: undefined };
}

/** A call as it is posted. */
export type Call = {
  [Kind in keyof Calls]: { readonly kind: Kind; readonly argument: Calls[Kind]['argument'] };
}[keyof Calls];

/** What a worker posts: progress of the first call that waits, that call's answer, or its end. */
export type Reply =
  | { readonly progress: Progress }
  | {
      readonly answer: Calls[keyof Calls]['answer'];
    }
  | { readonly error: string };
