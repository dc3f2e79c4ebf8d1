/** What the backend hands large requests to: threads over one arena, or one worker with copies. */

import {
  BackendFailedError,
  type RequestShape,
  type SortOutcome,
  type SortRequest,
} from '@keysweep/core';

/** The `threads` option takes no more: memory feeds far fewer. */
export const MAX_THREADS = 256;

/** Serves whole requests off the calling thread, one at a time. */
export interface Executor {
  /** Whether a thread has failed: no further request can be served. */
  readonly failed: boolean;
  /** Bytes of working memory that it holds. */
  readonly bytes: number;
  /** Resolves when no thread has anything left to do with the request before. */
  idle(): Promise<unknown>;
  /** Serves a request, once idle. */
  sort(request: SortRequest): Promise<SortOutcome>;
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
}

/** The threads of a platform: one module for Node, another for pages. */
export interface ThreadSupport {
  /** How many threads an executor would have; 0 where there can be none. */
  count(options: ThreadOptions): number;
  /** Whether they work in one memory; otherwise arrays are copied to one worker. */
  readonly shareMemory: boolean;
  /** From this many keys on, an executor serves a request. */
  threadsFrom(shape: RequestShape): number;
  /** @throws whatever keeps threads from starting. */
  start(options: ThreadOptions): Promise<Executor>;
}

/** The error of a sort whose worker thread was lost. */
export const threadFailure = (cause: unknown): BackendFailedError =>
  new BackendFailedError('cpu', `a worker thread stopped: ${String(cause)}`, { cause });
