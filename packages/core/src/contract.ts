/**
 * The contract between a caller, the dispatcher and a backend.
 */

import type { KeyArray, KeyType, ValueArray } from './elements.js';

/** The backends a caller can name. */
export type BackendName = 'webgpu' | 'webgl2' | 'cpu' | 'builtin';

export type Operation = 'sort' | 'sortPairs' | 'argsort';

export type Order = 'ascending' | 'descending';

/** The bits [begin, end) of an unsigned key, bit 0 being the lowest: only they decide the order. */
export interface KeyBits {
  readonly begin: number;
  readonly end: number;
}

/** The part of `AbortSignal` that keysweep uses. */
export interface CancelSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** Where a sort's time goes. Backends use the subset that they have. */
export type Phase = 'queue' | 'start' | 'upload' | 'sort' | 'readback';

/** One progress message. `completed` of `total` steps of `phase` are done. */
export interface Progress {
  readonly phase: Phase;
  readonly completed: number;
  readonly total: number;
}

/** Milliseconds by phase; a phase that did not happen is absent. */
export type Milliseconds = { readonly [phase in Phase]?: number } & { readonly total: number };

/** Milliseconds on the GPU, by phase. */
export interface GpuMilliseconds {
  /** From the first kernel to the last, of all columns and parts. */
  readonly sort: number;
}

/** Radix passes over all keys: run, and skipped because every key had the same digit. */
export interface Passes {
  readonly run: number;
  readonly skipped: number;
}

/** A backend that was tried or considered before the one that served the request. */
export interface Fallback {
  readonly backend: BackendName;
  readonly error: Error;
}

/** What a sort did, handed to `onReport`. */
export interface SortReport {
  readonly operation: Operation;
  /** The backend that produced the result. */
  readonly backend: BackendName;
  /** Why that backend was chosen, as a sentence for a person. */
  readonly reason: string;
  /**
   * Milliseconds that the dispatcher had expected of that backend, what it then had to start included: to
   * be held against `milliseconds.total` less `milliseconds.queue`.
   */
  readonly predicted?: number;
  /** The key type; of several columns, the most significant one's. */
  readonly keyType: KeyType;
  /** The key types of all columns, most significant first. */
  readonly keyTypes: readonly KeyType[];
  /** Number of keys. */
  readonly length: number;
  readonly milliseconds: Milliseconds;
  /** What the GPU took by its own clock, where it lets itself be asked; browsers round to 0.1 ms. */
  readonly gpuMilliseconds?: GpuMilliseconds;
  readonly passes: Passes;
  /** Threads that took part, the caller's included; 0 where a GPU did the work. */
  readonly threads: number;
  /** Every backend that failed this request before the one that served it, with its error. */
  readonly fallbacks: readonly Fallback[];
  /**
   * Present for `approximate: true`: two elements whose values differ by more than `bound` are in
   * order. 0 where the backend sorted exactly.
   */
  readonly approximate?: { readonly bound: number };
}

/** Options that every sorting call takes. */
export interface SortOptions {
  /** Default 'ascending'. Ties of pairs and argsort keep input order in both. */
  order?: Order;
  /**
   * Start offsets of segments, each sorted on its own: the first is 0, none is below the one before,
   * none is over the length. Copied when the call is made.
   */
  segments?: Uint32Array;
  /** Unsigned keys only. */
  keyBits?: KeyBits;
  /** Float32 keys only: the order may be off by the bound in the report. */
  approximate?: boolean;
  /** Default 'auto'. */
  backend?: BackendName | 'auto';
  /** Aborting rejects the call with the signal's reason and leaves the caller's arrays as they were. */
  signal?: CancelSignal;
  /** Told at least once a phase of a long sort. An error that it throws rejects the call. */
  onProgress?: (progress: Progress) => void;
  /**
   * Told once, when the result is in place. An error that it throws rejects the call all the same,
   * the one rejection after which the arrays are sorted.
   */
  onReport?: (report: SortReport) => void;
}

/** What the dispatcher and a backend need to know of a request to judge it without its data. */
export interface RequestShape {
  readonly operation: Operation;
  /** Most significant column first; exactly one unless `operation` is 'argsort'. */
  readonly keyTypes: readonly KeyType[];
  /** Bytes of a value for 'sortPairs', else 0. */
  readonly valueBytes: 0 | 1 | 2 | 4 | 8;
  /** Number of keys. */
  readonly length: number;
  readonly order: Order;
  /** Number of segments; 1 for an undivided array. */
  readonly segmentCount: number;
  readonly keyBits: KeyBits | undefined;
  readonly approximate: boolean;
}

/** One whole request, validated: a backend need not check it again. */
export interface SortRequest {
  readonly shape: RequestShape;
  /** Key columns of `shape.length` keys each, most significant first. */
  readonly columns: readonly [KeyArray, ...KeyArray[]];
  /** Payloads for 'sortPairs'. */
  readonly values: ValueArray | undefined;
  /** A private copy of the caller's offsets, or undefined for one segment. */
  readonly segments: Uint32Array | undefined;
  readonly signal: CancelSignal | undefined;
  readonly onProgress: ((progress: Progress) => void) | undefined;
  /**
   * Told before the first write to the caller's arrays by whoever writes them in slices: from then on
   * the request is finished whatever its signal says, and nobody may take it for one that hangs.
   */
  readonly onCommit?: (() => void) | undefined;
}

/** What a backend says of a request that it served. */
export interface SortOutcome {
  /** The result of 'argsort', else undefined: keys and values are sorted in place. */
  readonly permutation: Uint32Array | undefined;
  readonly milliseconds: { readonly [phase in Phase]?: number };
  readonly gpuMilliseconds?: GpuMilliseconds | undefined;
  readonly passes: Passes;
  readonly threads: number;
  /** The bound for an approximate request, 0 if the order is exact. */
  readonly bound: number;
}

/** What a backend found on this machine. */
export interface Capabilities {
  /** For a person: "WebAssembly over shared memory, up to 2 threads". */
  readonly description: string;
  /** True for a software GPU adapter, which 'auto' counts as none. */
  readonly software: boolean;
  /** Threads that a large sort uses; 0 on a GPU. */
  readonly threads: number;
}

export type Probe =
  | { readonly available: true; readonly capabilities: Capabilities }
  | { readonly available: false; readonly reason: string };

/**
 * One way to sort. Made by a factory; holds no thread, device or memory before its first use.
 */
export interface Backend {
  readonly name: BackendName;
  /** Finds out whether the backend works here. Cheap to repeat; never rejects. */
  probe(): Promise<Probe>;
  /**
   * The most keys that a request of this shape may have; 0 when no length of it can be served.
   * Looks at everything in `shape` but its length.
   */
  maxLength(shape: RequestShape): number;
  /**
   * Serves one request whole. The caller's arrays are written once, at the end, with nothing that
   * can fail in between: a rejection means that they are as they were.
   *
   * Nothing is written once the signal has aborted, unless `onCommit` was told before: the dispatcher
   * aborts what hangs, and has another backend serve the same arrays.
   *
   * Rejects with the signal's reason on abort, ClosedError after close(), TypeError when an array
   * was detached or resized meanwhile, BackendFailedError when the backend itself broke.
   */
  sort(request: SortRequest): Promise<SortOutcome>;
  /** Starts threads or compiles pipelines now, with memory for `maxLength` 32-bit keys. */
  warmUp(maxLength: number): Promise<void>;
  /** Gives pooled memory back once running sorts are done; the backend stays usable. */
  release(): Promise<void>;
  /** Gives everything back. Waiting requests reject with ClosedError; resolves when all is freed. */
  close(): Promise<void>;
}
