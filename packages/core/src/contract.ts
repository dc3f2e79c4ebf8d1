/**
 * The contract between a caller, the dispatcher and a backend.
 */

import type { CancelSignal } from './cancel-signal.js';
import type { KeyArray, KeyType, OnArrayBuffer, ValueArray } from './elements.js';
import type { KeyBits, Order } from './keys/order.js';
import type { ChosenRows } from './rows.js';
import type { SpellRequest } from './spelling-contract.js';
import type { FieldKernels, GatherRequest, KeyFinder } from './table-contract.js';

/**
 * Every backend that a caller can name. A new one is added here first: the compiler then points out
 * the places that still need figures or a title for it.
 */
export const BACKEND_NAMES = ['webgpu', 'webgl2', 'cpu', 'builtin'] as const;

/** A backend that a caller can name. */
export type BackendName = (typeof BACKEND_NAMES)[number];

/** Sorts bare keys, sorts keys with values, or finds the order of keys as indices. */
export type Operation = 'sort' | 'sortPairs' | 'argsort';

/**
 * The parts of a sort's time. Backends report those that they have. 'start' is whatever has to be
 * there before a sort: code, threads, pipelines, a plan; 'pack' is the work on rows before and
 * after sorts, such as to make keys of the columns of a table.
 */
export type Phase = 'queue' | 'start' | 'pack' | 'upload' | 'sort' | 'readback';

/** One progress message: `completed` of `total` steps of `phase` are done. */
export interface Progress {
  /** The phase that the call is in. */
  readonly phase: Phase;
  /** Steps of the phase that are done, from 0 to `total`. */
  readonly completed: number;
  /** All steps of the phase. A step may be a key, or a key in one pass. */
  readonly total: number;
}

/** Progress of a whole call. */
export interface CallProgress extends Progress {
  /** How much of the call is done, from 0 to 1. Never falls, and is 1 the last time. */
  readonly fraction: number;
}

/** Milliseconds by phase; a phase that did not happen is absent. */
export type Milliseconds = { readonly [phase in Phase]?: number } & { readonly total: number };

/** Milliseconds on the GPU, by phase. */
export interface GpuMilliseconds {
  /** From the first kernel to the last, added up over all columns and parts. */
  readonly sort: number;
}

/** Radix passes over all keys: run, and skipped because every key had the same digit. */
export interface Passes {
  /** Passes that were run. */
  readonly run: number;
  /** Passes that were skipped. */
  readonly skipped: number;
}

/** A backend that failed a request before another one served it. */
export interface Fallback {
  /** The backend that failed. */
  readonly backend: BackendName;
  /** The error that it failed with. */
  readonly error: Error;
}

/**
 * What went wrong, as a word for programs. docs/errors.md has a section for each.
 * - 'worker-not-usable': the worker that you named could not be used, so another one is
 * - 'no-threads': no thread could be started; the calling thread sorts, in slices
 * - 'no-webassembly': there are no compiled kernels; plain TypeScript sorts
 * - 'gpu-not-trusted': the fast kernels of a GPU sorted wrongly in a trial, so others are used
 * - 'gpu-features-unused': your device lacks a feature of its GPU's that sorts are faster with
 * - 'webgpu-failed', 'cpu-failed' and so on: a backend broke, and another one served the request
 */
export type WarningCode =
  | 'worker-not-usable'
  | 'no-threads'
  | 'no-webassembly'
  | 'gpu-not-trusted'
  | 'gpu-features-unused'
  | `${BackendName}-failed`;

/** Tells you of a loss that costs speed. Results are right all the same. */
export interface SortWarning {
  /** What was lost, as a word for programs. docs/errors.md has a section for each. */
  readonly code: WarningCode;
  /** What was lost, why, and the remedy, in sentences for people. */
  readonly message: string;
  /** The error that caused it; an AggregateError if several ways were tried. */
  readonly cause?: unknown;
}

/** Says what a sort did and why. Handed to `onReport`. */
export interface SortReport {
  /** What was sorted. */
  readonly operation: Operation;
  /** The backend that produced the result. */
  readonly backend: BackendName;
  /** Why that backend was chosen, as a sentence for people. */
  readonly reason: string;
  /**
   * Milliseconds that were expected of that backend, its start included. Compare them with
   * `milliseconds.total` less `milliseconds.queue`.
   */
  readonly predicted?: number;
  /** The key type; for several columns, the type of the most significant one. */
  readonly keyType: KeyType;
  /** The key types of all columns, most significant first. */
  readonly keyTypes: readonly KeyType[];
  /** Number of keys. */
  readonly length: number;
  /** Milliseconds by phase, and in total, which is their sum. */
  readonly milliseconds: Milliseconds;
  /** Milliseconds by the GPU's own clock, if it has timestamps. Browsers round them to 0.1 ms. */
  readonly gpuMilliseconds?: GpuMilliseconds;
  /** How many radix passes were run, and how many skipped. */
  readonly passes: Passes;
  /** Threads that took part, including the caller's; 0 for a GPU. */
  readonly threads: number;
  /** Every backend that failed this request before the one that served it, with its error. */
  readonly fallbacks: readonly Fallback[];
  /**
   * Only for `approximate: true`. Two elements whose values differ by more than `bound` are in
   * order; 0 if the backend sorted exactly.
   */
  readonly approximate?: { readonly bound: number };
}

/** Options of every call that sorts. An option that is undefined counts as absent. */
export interface SortOptions {
  /**
   * Default 'ascending'. 'descending' is the exact reverse: NaNs first, and +0 before −0. Pairs and
   * indices of equal keys keep their input order in both.
   */
  order?: Order;
  /**
   * Sorts each segment of the array on its own. For example, `[0, 2]` divides 5 keys into segments
   * of 2 and 3: each number is where a segment starts. The first must be 0, none may be below the
   * one before it (a repeat makes an empty segment) or above the length. Copied when you call.
   */
  segments?: Uint32Array;
  /**
   * For unsigned integer keys: lets only these bits decide the order. `{ begin: 8, end: 16 }` is
   * the second byte, with 0 <= begin <= end <= the width of a key. Keys that agree in these bits
   * tie.
   */
  keyBits?: KeyBits;
  /**
   * For Float32Array keys: allows a backend to be less exact if that is faster. It may sort by 24
   * bits of a normalised key (Ha, Krüger and Silva, "Implicit radix sorting on GPUs"). Two keys
   * that differ by more than the report's `approximate.bound` are still in order. Default false.
   */
  approximate?: boolean;
  /**
   * 'auto', the default, takes the backend that it expects to be fastest, and another one if that
   * fails. If you name a backend, it serves the request or the call rejects.
   */
  backend?: BackendName | 'auto';
  /**
   * An abort rejects the call with the signal's reason, and your arrays are as they were. If
   * results are being written already and cannot be taken back, the call is finished instead.
   */
  signal?: CancelSignal;
  /**
   * Called at least once in each phase of a sort that takes over 100 ms, and about every 50 ms with
   * a `fraction` of the whole call that has grown, as long as the thread has turns: the runtime's
   * own sort gives it none. An error that it throws rejects the call.
   */
  onProgress?: (progress: CallProgress) => void;
  /**
   * Called once, when the result is in place. An error that it throws rejects the call, but your
   * arrays are sorted by then.
   */
  onReport?: (report: SortReport) => void;
}

/** A request without its data: enough to tell whether a backend can serve it, and at which cost. */
export interface RequestShape {
  /** Which operation it is. */
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
  /** The bits that decide, the same for every column; undefined for all bits. */
  readonly keyBits: KeyBits | undefined;
  /** Whether `f32` keys may be ordered by 24 bits. */
  readonly approximate: boolean;
  /**
   * How exact an 'argsort' of one column has to be. Let p be this number. Two keys must be in order
   * if they differ in the p leading bits of the range of words, or if they are further apart than
   * 2^-p of the range of values. A backend may be more exact.
   */
  readonly precision?: 16 | 24 | undefined;
}

/** One whole request. Its arguments have been checked, so a backend need not check them again. */
export interface SortRequest {
  /** Everything about it but the data. */
  readonly shape: RequestShape;
  /** Key columns of `shape.length` keys each, or `chosen.rows`, most significant first. */
  readonly columns: readonly [KeyArray, ...KeyArray[]];
  /** Payloads for 'sortPairs'. */
  readonly values: ValueArray | undefined;
  /** A private copy of the caller's offsets, or undefined for one segment. */
  readonly segments: Uint32Array | undefined;
  /**
   * The `shape.length` rows of the column that an 'argsort' orders; the column has others, which
   * have no value. The indices are of rows of the column. Only backends that have `sortsChosen` are
   * given it.
   */
  readonly chosen?: ChosenRows | undefined;
  /**
   * An 'argsort' may write its `shape.length` indices here, once they are all known. The outcome's
   * permutation is then this array. A backend may also return another one.
   */
  readonly out?: Uint32Array | undefined;
  /**
   * Work for the calling thread that must be done before the result counts, in steps of some tenths
   * of a millisecond. A backend takes all of them before it writes `out`, ideally while threads
   * sort. If it returns another array, it may leave them to its caller. It may be called several
   * times: a backend that starts anew, or another one that takes over, begins with the first step
   * again. An error in one ends the request.
   */
  readonly meanwhile?: (() => Generator<undefined, void>) | undefined;
  /** An abort ends the request with its reason. */
  readonly signal: CancelSignal | undefined;
  /** Called with the progress of a phase. An error that it throws ends the request. */
  readonly onProgress: ((progress: Progress) => void) | undefined;
  /**
   * A backend that writes results in slices calls this before its first write to the caller's
   * arrays. From then on it has to finish the request, whatever the signal says, and has no
   * time-out.
   */
  readonly onCommit?: (() => void) | undefined;
}

/** A backend's answer to a request that it served. */
export interface SortOutcome {
  /** The result of an 'argsort'. Otherwise undefined: keys and values are sorted in place. */
  readonly permutation: OnArrayBuffer<Uint32Array> | undefined;
  /** Milliseconds by phase, for the report. */
  readonly milliseconds: { readonly [phase in Phase]?: number };
  /** Milliseconds by the GPU's own clock, if it has one. */
  readonly gpuMilliseconds?: GpuMilliseconds | undefined;
  /** Radix passes that were run and skipped. */
  readonly passes: Passes;
  /** Threads that took part, the calling one included; 0 for a GPU. */
  readonly threads: number;
  /** The bound for an approximate request, 0 if the order is exact. */
  readonly bound: number;
  /**
   * What the backend has lost on this machine, now or in earlier requests. The dispatcher gives
   * each code once per sorter.
   */
  readonly warnings?: readonly SortWarning[];
}

/** What a backend's probe found on this machine. */
export interface Capabilities {
  /** A text for people: "WebAssembly over shared memory, up to 2 threads". */
  readonly description: string;
  /** True for a GPU that is emulated in software, which 'auto' treats as none. */
  readonly software: boolean;
  /** Threads that a large sort uses; 0 on a GPU. */
  readonly threads: number;
  /** Only for the CPU backend: whether it runs WebAssembly or plain TypeScript. */
  readonly kernels?: 'wasm' | 'plain';
}

/** Whether a backend works here: what it found, or a clause for people that says why not. */
export type Probe =
  | { readonly available: true; readonly capabilities: Capabilities }
  | {
      readonly available: false;
      readonly reason: string;
      /** Present if its code broke; absent if the machine lacks something that it needs. */
      readonly cause?: unknown;
    };

/**
 * One way to sort, made by a factory. It holds no thread, device or memory before its first use.
 *
 * A backend may be given several requests at once, and may serve them one after the other or
 * together. No two of them use the same memory, unless both only read it.
 */
export interface Backend {
  /** The name by which callers choose it and reports mention it. */
  readonly name: BackendName;
  /** Whether it serves requests that have rows `chosen`. Others get copies of their keys. */
  readonly sortsChosen?: boolean;
  /**
   * Says whether the backend works here, and what it found, or why not. May start whatever it needs
   * to find out. Cheap to repeat. Never rejects.
   */
  probe(): Promise<Probe>;
  /**
   * The most keys that a request of this shape may have; 0 if it cannot be served at any length.
   * Depends on everything in `shape` but its length. May be called before the first probe.
   */
  maxLength(shape: RequestShape): number;
  /**
   * Serves one whole request, of any length from 0 to `maxLength`. Pairs and permutations are
   * stable in both orders.
   *
   * If it rejects, the caller's arrays are as they were. There are two ways to keep that promise:
   * write them once, at the end, when nothing can fail any more; or write them earlier, and put
   * them back if the request fails. Nothing may be written once the signal has aborted, unless
   * `onCommit` was called before, because the dispatcher aborts a backend that hangs and gives the
   * same arrays to another one. So originals must be back by the time the signal's listeners have
   * been called.
   * @throws the signal's reason after an abort; ClosedError after `close()`; TypeError if an array
   *   was detached or resized meanwhile; BackendFailedError if the backend itself broke; whatever
   *   `onProgress` throws.
   */
  sort(request: SortRequest): Promise<SortOutcome>;
  /**
   * Moves rows with threads over one memory. Resolves to false, with nothing written, if there are
   * no such threads, if the rows do not fit into their memory, or if an index is beyond a source.
   * After a rejection, targets may be written in part. Only backends on the CPU have it.
   * @throws as `sort`.
   */
  gather?(request: GatherRequest): Promise<boolean>;
  /**
   * Spells strings with threads over one memory. Resolves to false, with none spelt, if no such
   * threads have started, if another request has them, or if the strings are too few for them. Only
   * backends on the CPU have it.
   * @throws as `sort`.
   */
  spell?(request: SpellRequest): Promise<boolean>;
  /**
   * Compiled loops for tables, or undefined if there is no WebAssembly or no memory for them. Takes
   * 448 KiB until `release` or `close`. Only backends on the CPU have it.
   * @throws ClosedError after `close()`.
   */
  fieldKernels?(): Promise<FieldKernels | undefined>;
  /**
   * A compiled loop that finds keys, or undefined for the same reasons as `fieldKernels`. Takes 448
   * KiB until `release` or `close`. Only backends on the CPU have it.
   * @throws ClosedError after `close()`.
   */
  keyFinder?(): Promise<KeyFinder | undefined>;
  /** Starts threads or compiles pipelines now, and takes memory for `maxLength` 32-bit keys. */
  warmUp(maxLength: number): Promise<void>;
  /** Gives pooled memory back once running sorts are done. The backend stays usable. */
  release(): Promise<void>;
  /**
   * Gives everything back, and resolves when all is freed. Waiting requests reject with
   * ClosedError, and so do later ones. May be called more than once.
   */
  close(): Promise<void>;
}
