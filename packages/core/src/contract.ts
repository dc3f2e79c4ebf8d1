/**
 * The contract between a caller, the dispatcher and a backend.
 */

import type { KeyArray, KeyType, OnArrayBuffer, ValueArray } from './elements.js';
import type { TypedArray } from './intrinsics.js';

/**
 * Every backend that a caller can name. A new one is added here first: the compiler then points out
 * the places that still need figures or a title for it.
 */
export const BACKEND_NAMES = ['webgpu', 'webgl2', 'cpu', 'builtin'] as const;

/** A backend that a caller can name. */
export type BackendName = (typeof BACKEND_NAMES)[number];

/** What is sorted: keys alone, keys with values, or the order of keys as indices. */
export type Operation = 'sort' | 'sortPairs' | 'argsort';

/** From the least key to the greatest, or the other way round. Ties keep their order in both. */
export type Order = 'ascending' | 'descending';

/** The bits [begin, end) of an unsigned key, bit 0 being the lowest: only they decide the order. */
export interface KeyBits {
  /** The lowest bit that counts, from 0 on. */
  readonly begin: number;
  /** The bit behind the highest that counts, at most the width of a key. */
  readonly end: number;
}

/** The part of `AbortSignal` that keysweep uses. */
export interface CancelSignal {
  /** Whether the call is to end. */
  readonly aborted: boolean;
  /** What the call rejects with, once aborted. */
  readonly reason: unknown;
  /** Calls `listener` when it aborts. */
  addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean }): void;
  /** Takes a listener away again. */
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** Where a sort's time goes. Backends use the subset that they have. */
export type Phase = 'queue' | 'start' | 'upload' | 'sort' | 'readback';

/** One progress message. `completed` of `total` steps of `phase` are done. */
export interface Progress {
  /** What the call is at. */
  readonly phase: Phase;
  /** Steps of the phase that are done, from 0 to `total`. */
  readonly completed: number;
  /** All steps of the phase, such as keys, or keys times passes. */
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
  /** Passes that were run. */
  readonly run: number;
  /** Passes that were left out. */
  readonly skipped: number;
}

/** A backend that was tried or considered before the one that served the request. */
export interface Fallback {
  /** The backend that failed. */
  readonly backend: BackendName;
  /** What it failed with. */
  readonly error: Error;
}

/**
 * What a sorter may lose:
 * - 'worker-not-usable': the worker that the caller named; another one is used
 * - 'no-threads': all threads; the calling thread sorts, in slices
 * - 'no-webassembly': the compiled kernels; plain TypeScript sorts
 * - 'gpu-not-trusted': the fast kernels of a GPU, which sorted wrongly in a trial
 * - 'webgpu-failed' and its like: a backend broke, and another one served the request
 */
export type WarningCode =
  | 'worker-not-usable'
  | 'no-threads'
  | 'no-webassembly'
  | 'gpu-not-trusted'
  | `${BackendName}-failed`;

/** A loss that costs speed. Results are right all the same. */
export interface SortWarning {
  /** What was lost, as a word for programs. docs/codes.md has a section for each. */
  readonly code: WarningCode;
  /** What was lost, why, and the remedy, in sentences for people. */
  readonly message: string;
  /** The error behind it; an AggregateError where several ways were tried. */
  readonly cause?: unknown;
}

/** What a sort did, handed to `onReport`. */
export interface SortReport {
  /** What was sorted. */
  readonly operation: Operation;
  /** The backend that produced the result. */
  readonly backend: BackendName;
  /** Why that backend was chosen, as a sentence for people. */
  readonly reason: string;
  /**
   * Milliseconds that were expected of that backend, with what it had to start. To be compared with
   * `milliseconds.total` less `milliseconds.queue`.
   */
  readonly predicted?: number;
  /** The key type; of several columns, the most significant one's. */
  readonly keyType: KeyType;
  /** The key types of all columns, most significant first. */
  readonly keyTypes: readonly KeyType[];
  /** Number of keys. */
  readonly length: number;
  /** Milliseconds by phase, and in all. */
  readonly milliseconds: Milliseconds;
  /** Milliseconds by the GPU's own clock, where it has timestamps; browsers round to 0.1 ms. */
  readonly gpuMilliseconds?: GpuMilliseconds;
  /** Radix passes that were run and skipped. */
  readonly passes: Passes;
  /** Threads that took part, the caller's included; 0 for a GPU. */
  readonly threads: number;
  /** Every backend that failed this request before the one that served it, with its error. */
  readonly fallbacks: readonly Fallback[];
  /**
   * Present for `approximate: true`: two elements whose values differ by more than `bound` are in
   * order. 0 where the backend sorted exactly.
   */
  readonly approximate?: { readonly bound: number };
}

/** Options that every sorting call takes. An option that is undefined counts as absent. */
export interface SortOptions {
  /**
   * Default 'ascending'. 'descending' is the exact reverse order of keys: NaNs first, +0 before −0.
   * Pairs and indices of equal keys keep their input order in both.
   */
  order?: Order;
  /**
   * Start offsets of segments, each sorted on its own: `[0, 2]` of 5 keys are two segments of 2
   * and 3. The first is 0, none is below the one before (a repeat makes an empty segment), and
   * none is over the length. Copied when the call is made.
   */
  segments?: Uint32Array;
  /**
   * For unsigned integer keys: only these bits decide the order. `{ begin: 8, end: 16 }` is the
   * second byte; 0 <= begin <= end <= the width of a key. Keys that agree in them are ties.
   */
  keyBits?: KeyBits;
  /**
   * For Float32Array keys: allows a backend to sort by 24 bits of a normalised key (Ha, Krüger and
   * Silva, "Implicit radix sorting on GPUs"). Two keys that differ by more than the report's
   * `approximate.bound` are in order. Default false.
   */
  approximate?: boolean;
  /**
   * 'auto', the default, takes the backend that should be the quickest, and another where it fails.
   * A backend that is named serves the request or the call rejects.
   */
  backend?: BackendName | 'auto';
  /**
   * An abort rejects the call with the signal's reason, and the caller's arrays are as they were.
   * Once results are being written the call is finished instead, unless they can be taken back.
   */
  signal?: CancelSignal;
  /**
   * Called at least once a phase of a sort of over 100 ms. An error that it throws rejects the
   * call.
   */
  onProgress?: (progress: Progress) => void;
  /**
   * Called once, when the result is in place. An error that it throws rejects the call, whose
   * arrays are then sorted.
   */
  onReport?: (report: SortReport) => void;
}

/** A request without its data: what decides whether a backend can serve it, and at which cost. */
export interface RequestShape {
  /** What is sorted. */
  readonly operation: Operation;
  /** Most significant column first; exactly one unless `operation` is 'argsort'. */
  readonly keyTypes: readonly KeyType[];
  /** Bytes of a value for 'sortPairs', else 0. */
  readonly valueBytes: 0 | 1 | 2 | 4 | 8;
  /** Number of keys. */
  readonly length: number;
  /** The order of all columns. */
  readonly order: Order;
  /** Number of segments; 1 for an array without segments. */
  readonly segmentCount: number;
  /** The bits that decide, of every column; undefined for all. */
  readonly keyBits: KeyBits | undefined;
  /** Whether `f32` keys may be ordered by 24 bits. */
  readonly approximate: boolean;
  /**
   * Of an 'argsort' of one column, all that has to decide: with words w in key order the leading
   * bits `(w − least) >>> skipped` of their range, where `skipped` leaves so many bits; and between
   * numbers, whether they are further from each other than 2^-precision of the way from the least
   * to the largest. A backend may go by more.
   */
  readonly precision?: 16 | 24 | undefined;
}

/** One whole request. Its arguments were checked: a backend need not check them again. */
export interface SortRequest {
  /** What decides whether a backend can serve it. */
  readonly shape: RequestShape;
  /** Key columns of `shape.length` keys each, most significant first. */
  readonly columns: readonly [KeyArray, ...KeyArray[]];
  /** Payloads for 'sortPairs'. */
  readonly values: ValueArray | undefined;
  /** A private copy of the caller's offsets, or undefined for one segment. */
  readonly segments: Uint32Array | undefined;
  /**
   * Where an 'argsort' may write its result, of `shape.length` indices, once it is whole. The
   * outcome's permutation is then this array; a backend may also return another one.
   */
  readonly out?: Uint32Array | undefined;
  /**
   * What the calling thread has to find out before the result counts, in steps of some tenths of a
   * millisecond. A backend takes all of them before it writes `out`, best while threads sort; one
   * that returns another array may leave them to its caller. What they throw ends the request.
   */
  readonly meanwhile?: (() => Generator<undefined, void>) | undefined;
  /** An abort ends the request with its reason. */
  readonly signal: CancelSignal | undefined;
  /** Is told of steps of a phase; what it throws ends the request. */
  readonly onProgress: ((progress: Progress) => void) | undefined;
  /**
   * A backend that writes results in slices calls this before its first write to the caller's
   * arrays. From then on it finishes the request, whatever the signal says, and has no
   * time-out.
   */
  readonly onCommit?: (() => void) | undefined;
}

/** What a backend did for a request that it served. */
export interface SortOutcome {
  /** The result of 'argsort', else undefined: keys and values are sorted in place. */
  readonly permutation: OnArrayBuffer<Uint32Array> | undefined;
  /** Milliseconds by phase, for the report. */
  readonly milliseconds: { readonly [phase in Phase]?: number };
  /** Milliseconds by the GPU's own clock, where it has one. */
  readonly gpuMilliseconds?: GpuMilliseconds | undefined;
  /** Radix passes that were run and skipped. */
  readonly passes: Passes;
  /** Threads that took part, the calling one included; 0 for a GPU. */
  readonly threads: number;
  /** The bound for an approximate request, 0 if the order is exact. */
  readonly bound: number;
  /**
   * What the backend has lost on this machine, now or in earlier requests. The dispatcher says each
   * code once a sorter.
   */
  readonly warnings?: readonly SortWarning[];
}

/** What a probe found on this machine. */
export interface Capabilities {
  /** A text for people: "WebAssembly over shared memory, up to 2 threads". */
  readonly description: string;
  /** True for a software GPU adapter, which 'auto' counts as none. */
  readonly software: boolean;
  /** Threads that a large sort uses; 0 on a GPU. */
  readonly threads: number;
  /** Of the CPU's backend: WebAssembly, or plain TypeScript. */
  readonly kernels?: 'wasm' | 'plain';
  /** Of the CPU's backend: whether large sorts are the calling thread's alone. */
  readonly onCallingThread?: boolean;
}

/** Whether a backend works on this machine: what it found, or why not, as a clause for people. */
export type Probe =
  | { readonly available: true; readonly capabilities: Capabilities }
  | {
      readonly available: false;
      readonly reason: string;
      /** Present where its code broke; absent where the machine lacks what it needs. */
      readonly cause?: unknown;
    };

/** Rows to be moved: row `order[i]` of each source to row i of its target. */
export interface GatherRequest {
  /** Row numbers of the sources. */
  readonly order: Uint32Array;
  /** The arrays whose rows are moved, all by one order. */
  readonly moves: readonly Move[];
}

/** Integers of at most 32 bits. */
export type Integers =
  | Int8Array
  | Uint8Array
  | Uint8ClampedArray
  | Int16Array
  | Uint16Array
  | Int32Array
  | Uint32Array;

/**
 * Rows of a slice that {@link FieldKernels} and {@link FindKeys} take at most: some tenths of a
 * millisecond.
 */
export const FIELD_ROWS: number = 2 ** 15;

/**
 * Loops over a slice of a table's columns, on the calling thread. Every number counts as 32 bits,
 * those of narrower signed integers as many as their sign.
 */
export interface FieldKernels {
  /** The least and the largest of at least one number, each with the bits of `flip` inverted. */
  range(numbers: Integers, flip: number): readonly [least: number, most: number];
  /**
   * Of each row the sum of `base` and its number in every column, times the factor of that column,
   * modulo 2^32. There is at least one column. Good until the next call.
   */
  sum(columns: readonly Integers[], factors: readonly number[], base: number): Uint32Array;
  /**
   * Numbers as integers of 32 bits with the bits of `flip` inverted, or undefined where one is not
   * whole; −0 is whole where `isZero` says so. Good until the next call. Plain TypeScript lacks it.
   */
  whole?(numbers: Float64Array, flip: number, isZero: boolean): Uint32Array | undefined;
}

/** Keys that are sought among others, by their words: see {@link orderWords}. */
export interface Sought {
  /** The type of the keys. */
  readonly keyType: KeyType;
  /** The order that words have. */
  readonly order: Order;
  /** The first word that is sought. */
  readonly first: bigint;
  /** The last one, which is sought as well. */
  readonly last: bigint;
}

/** What a slice of keys holds of those that are sought. */
export interface FoundKeys {
  /** The numbers of those that are wanted, as they come. Good until any next call. */
  readonly rows: Uint32Array;
  /** How many keys have a word before the first one. */
  readonly before: number;
  /** How many keys have the last word. */
  readonly ties: number;
}

/**
 * Finds keys in a slice of at most FIELD_ROWS, on the calling thread; `row` is the number of its
 * first key. Of keys with the last word at most `mostTies` are wanted.
 */
export type FindKeys = (keys: KeyArray, row: number, mostTies: number) => FoundKeys;

/** Makes what finds the keys that are sought. */
export type KeyFinder = (sought: Sought) => FindKeys;

/** An array whose rows are moved. */
export interface Move {
  /** Where rows are read. */
  readonly source: TypedArray;
  /** Of the class of `source`, with room for all rows. It overlaps no other array. */
  readonly target: TypedArray;
  /** Elements of a row. */
  readonly stride: number;
  /** Whether the target holds nothing yet, so that it may be written at any time. */
  readonly isNew: boolean;
}

/**
 * One way to sort, made by a factory. Holds no thread, device or memory before its first use.
 *
 * A backend may be given several requests at once. It serves them one after the other, or together.
 * No two of them use the same memory, unless both only read it.
 */
export interface Backend {
  /** What callers and reports call it. */
  readonly name: BackendName;
  /**
   * Whether the backend works here, and what it found, or the reason why not. May start what it
   * needs for that answer. Cheap to repeat; never rejects.
   */
  probe(): Promise<Probe>;
  /**
   * The most keys that a request of this shape may have; 0 where no length of it can be served.
   * Depends on everything in `shape` but its length. Called before the first probe, too.
   */
  maxLength(shape: RequestShape): number;
  /**
   * Serves one whole request, of any length up to `maxLength`, 0 included. Pairs and
   * permutations are stable in both orders.
   *
   * The caller's arrays are written once, at the end, and nothing can fail in between. Or they are
   * written earlier, and put back where the request fails. A rejection means that they are as they
   * were. Nothing is written once the signal has aborted, unless `onCommit` was called before: the
   * dispatcher aborts a backend that hangs, and gives the same arrays to another one. So what is
   * put back is there when the signal's listeners have been called.
   * @throws the signal's reason on abort; ClosedError after `close()`; TypeError when an array
   *   was detached or resized meanwhile; BackendFailedError when the backend itself broke; what
   *   `onProgress` throws.
   */
  sort(request: SortRequest): Promise<SortOutcome>;
  /**
   * Moves rows by threads over one memory. Resolves to false, with nothing written, where there are
   * none, where the rows do not fit into their memory, or where an index is beyond a source. After
   * a rejection targets may be written in part. Only backends on the CPU have it.
   * @throws as `sort`.
   */
  gather?(request: GatherRequest): Promise<boolean>;
  /**
   * Compiled loops for tables, or undefined where there is no WebAssembly, or no memory for them.
   * Takes 448 KiB until `release` or `close`. Only backends on the CPU have it.
   * @throws ClosedError after `close()`.
   */
  fieldKernels?(): Promise<FieldKernels | undefined>;
  /**
   * Finds keys by compiled loops, or undefined as `fieldKernels`. Takes 448 KiB until `release` or
   * `close`. Only backends on the CPU have it.
   * @throws ClosedError after `close()`.
   */
  keyFinder?(): Promise<KeyFinder | undefined>;
  /** Starts threads or compiles pipelines now, and takes memory for `maxLength` 32-bit keys. */
  warmUp(maxLength: number): Promise<void>;
  /** Gives pooled memory back once running sorts are done. The backend stays usable. */
  release(): Promise<void>;
  /**
   * Gives everything back. Waiting requests reject with ClosedError, and so do later ones. Resolves
   * when all is freed. May be called more than once.
   */
  close(): Promise<void>;
}
