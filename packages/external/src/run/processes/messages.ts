/** What the process of a sort and its child processes say to each other. */

import type { MemoryPlan } from '../../divide/memory-plan.js';
import type { Part } from '../../divide/part.js';
import type { Pairs } from '../../divide/splitters.js';
import type { Layout } from '../../open/layout.js';
import type { SortProcess } from '../../options.js';
import type { Names } from '../../storage/live.js';

/** Parts that a child has at a time: one is read, one sorted, and one written. */
export const AT_ONCE = 3;

/** The first message to a child. */
export interface Setup {
  readonly layout: Layout;
  readonly memoryPlan: MemoryPlan;
  /** Threads that divide a stretch at most. */
  readonly dividers: number;
  readonly process: Required<Pick<SortProcess, 'threads'>> & SortProcess;
  /** How the child reaches temporary folders and files. */
  readonly names: Names;
}

/** Divides a stretch of files, one after the other, into files of parts in a new folder. */
export interface DivideTask {
  readonly kind: 'divide';
  readonly paths: readonly string[];
  /** The first byte of the stretch, and the one behind it. */
  readonly from: number;
  readonly end: number;
  readonly splitters: Pairs;
  readonly folder: string;
}

/** Sorts the records of files and writes them to a place of a file. */
export interface SortTask {
  readonly kind: 'sort';
  readonly paths: readonly string[];
  /** Bytes of them all. */
  readonly size: number;
  readonly output: string;
  readonly at: number;
}

export type Task = DivideTask | SortTask;

/** A task and its number. */
export interface Order {
  readonly id: number;
  readonly task: Task;
}

/** What a child says of a task. */
export interface Done {
  readonly id: number;
  /** What a stretch is divided into; empty for a sort. */
  readonly parts: readonly Part[];
  /** How many threads divided it; 0 for a sort. */
  readonly threads: number;
  readonly read: number;
  readonly written: number;
}

export type Reply =
  | { readonly kind: 'done'; readonly done: Done }
  /** `bytes` more of a task that divides are done. */
  | { readonly kind: 'told'; readonly bytes: number }
  /** `isPlain`: the message says all, and needs no stack. */
  | { readonly kind: 'failed'; readonly message: string; readonly isPlain: boolean };
