/**
 * What the backend hands large requests to: threads over one arena, one worker with copies, or the
 * calling thread in slices.
 */

import {
  BackendFailedError,
  type GatherRequest,
  type SortOutcome,
  type SortRequest,
  type SpellRequest,
} from '@keysweep/core';
import type { Arena } from '../arena/arena.js';

/** The `threads` option takes no more: memory feeds far fewer. */
export const MAX_THREADS = 256;

/** Serves whole requests without blocking the calling thread, one at a time. */
export interface LargeSorter {
  /** What made a thread fail; undefined while requests can be served. */
  readonly failure: unknown;
  /** Whether a thread failed before it had loaded its code: it cannot be had this way. */
  readonly failedToStart: boolean;
  /** Resolves when its threads have loaded their code; rejects when one is lost before. */
  readonly started: Promise<unknown>;
  /** Bytes of working memory that it holds. */
  readonly bytes: number;
  /** Resolves when no thread has anything left to do with the request before. */
  idle(): Promise<unknown>;
  /** Serves a request, once idle. */
  sort(request: SortRequest): Promise<SortOutcome>;
  /** Moves rows, once idle: see `Backend.gather`. Only threads over one memory have it. */
  gather?(request: GatherRequest): Promise<boolean>;
  /** Spells strings, once idle: see `Backend.spell`. The same threads have it. */
  spell?(request: SpellRequest): Promise<boolean>;
  /** Takes memory for `length` 32-bit keys. */
  warmUp(length: number): Promise<void>;
  /** Ends the threads. */
  close(): Promise<void>;
}

/** The caller's options that decide which threads there are. */
export interface ThreadOptions {
  readonly threads: number | undefined;
  /** Whether the threads do without WebAssembly. */
  readonly plain: boolean;
  readonly createWorker: (() => Worker) | undefined;
  readonly workerUrl: string | URL | undefined;
}

/** One way to get threads. */
export interface Way {
  /** For people: "a Blob URL". */
  readonly name: string;
  /** Whether the caller asked for this way. */
  readonly isNamed?: boolean;
  /**
   * Starts threads, over the memory of `arena` where they share one. @throws whatever keeps them
   * from starting, where that is known at once.
   */
  start(options: ThreadOptions, arena: () => Arena): Promise<LargeSorter>;
}

/** The fewest keys of a request that threads serve. */
interface ThreadLengths {
  /** The fewest keys of up to 32 bits, without payloads. */
  readonly narrowKeys: number;
  /** The fewest wider keys, pairs or indices. */
  readonly others: number;
}

/** The threads of a platform: one module for Node, another for pages. */
export interface ThreadSupport {
  /** How many threads a large sorter would have; 0 where the platform has none. */
  count(options: ThreadOptions): number;
  /** Whether they work in one memory; otherwise arrays are copied to one worker. */
  readonly shareMemory: boolean;
  /** A large sorter serves requests of these lengths or more. */
  readonly from: ThreadLengths;
  /** The lengths once more than two threads have started. */
  readonly fromIfMany: ThreadLengths;
  /** What a person can do where no way works. */
  remedy(): string;
  /**
   * The first request waits for threads if it has this many keys or more. The calling thread serves
   * shorter ones.
   */
  readonly awaitedFrom: number;
  /** The ways to get threads, to be tried in this order; none where `count` is 0. */
  ways(options: ThreadOptions): readonly Way[];
}

/** The error of a sort whose worker thread was lost. */
export const threadFailure = (cause: unknown): BackendFailedError =>
  new BackendFailedError('cpu', `a worker thread stopped: ${String(cause)}`, { cause });
