/** The CPU backend: small arrays on the calling thread, large ones on several threads. */

import {
  assertGoesOn,
  type Backend,
  BackendFailedError,
  ClosedError,
  type GlobalInstance,
  type Probe,
  plainShape,
  RequestQueue,
  type RequestShape,
  runInSlices,
  type SortOutcome,
  type SortRequest,
  untilAborted,
} from '@keysweep/core';
import { THREADS } from '#threads';
import { sortInParts } from './divide/divide.js';
import { isCountable, sortByCounting } from './fallback/counting.js';
import { sortPlain } from './fallback/plain.js';
import {
  type CallingThread,
  linkCallingThread,
  reasonForPlain,
  takePages,
} from './pool/calling-thread.js';
import { type Executor, MAX_THREADS, type ThreadOptions } from './pool/executor.js';
import { IdleRelease, promptCollector } from './pool/idle-release.js';
import { pauses } from './pool/pauses.js';
import { warmUpRequests } from './pool/warm-up-requests.js';
import { maxKeys, planRecords } from './sort/arena-layout.js';

/** Options of `cpu`. */
export interface CpuOptions {
  /**
   * Threads that share a large sort, 1 to 256; in Node the calling one is one of them. Default: as
   * many as the system lets this process use, in a page `navigator.hardwareConcurrency`. In a page
   * that is not cross-origin isolated there is one worker, whatever this says.
   */
  threads?: number;
  /** 'plain' keeps to TypeScript even where WebAssembly is there. Default 'wasm'. */
  kernels?: 'wasm' | 'plain';
  /**
   * Makes a worker that runs `@keysweep/cpu/worker`, for bundlers that do not see `new Worker(new
   * URL(…, import.meta.url))` in a dependency. Called once for each thread, when the first large
   * array comes; what it throws rejects the sort with BackendFailedError. In pages only.
   */
  createWorker?: () => GlobalInstance<'Worker', unknown>;
  /**
   * Bytes of working memory that are kept for the next sort however long it takes to come, 0 or
   * more. Default 268,435,456 (256 MiB). More than that is given back, with the threads, once no
   * sort has come for 30 seconds; the next one starts them again. With Infinity everything is kept
   * until `release()`.
   */
  keepBytes?: number;
  /**
   * Most keys and segments sorted at a time, for tests: longer requests are sorted in parts.
   * Default: as many as an arena holds, in parts of a quarter.
   * @internal
   */
  maxPartLength?: number | undefined;
  /**
   * Keys from which on threads serve a request, for tests. Default: from where they pay on this
   * platform.
   * @internal
   */
  threadsFrom?: number | undefined;
}

/** Every row has an index of 32 bits. */
const MAX_KEYS = 2 ** 32 - 1;

/** Working memory that is kept, by default. */
const KEEP_BYTES = 256 * 2 ** 20;

/** So many keys and segments fit into an arena whatever they are: at most 2^28 bytes, twice. */
const ALWAYS_FITS = 2 ** 24;

/**
 * Parts that would fill an arena. A part takes a gibibyte at most; larger ones would save nothing.
 */
const PARTS_OF_ARENA = 4;

/**
 * A radix sort on the CPU, stable, for all key types. O(n) per digit of the range that the keys
 * need.
 *
 * In Node, worker threads over one shared WebAssembly memory sort large arrays: from 2^19 keys of
 * up to 32 bits on, and from 2^18 wider keys, pairs or indices. The calling thread takes part, with
 * a turn for its event loop about every 8 ms. Smaller arrays are sorted on the calling thread.
 *
 * In a page, workers do so from 2^17 keys on: over shared memory if the page is cross-origin
 * isolated, otherwise one worker that copies are sent to. The calling thread only copies, in slices
 * of about 5 ms with its event loop in between. A result of more than one such slice is written
 * piece by piece. Then an abort comes too late, and an array that is detached or shrunk meanwhile
 * rejects with a TypeError and is written in part.
 *
 * A worker that cannot be loaded or dies rejects with BackendFailedError: at once, or after 10
 * seconds where it does not answer, or after 2 minutes in a page without locks (neither https nor
 * localhost).
 *
 * Keys of 8 bits, and from 200,000 on those of 16 bits, are counted by the calling thread and
 * written anew, in slices of about 5 ms: keys alone, undivided and by all their bits.
 *
 * Without WebAssembly plain TypeScript does the same; without workers the calling thread does it,
 * in slices.
 *
 * Memory: twice the keys and payloads (pairs and permutations of 64-bit keys: 32 bytes a key), kept
 * until `release()`, or as `keepBytes` says. What would take over 4 GiB (2^29 32-bit keys, 2^28
 * pairs) is sorted in parts; that takes the keys and payloads once more, and the calling thread
 * makes the parts, in slices of about 5 ms.
 *
 * ```ts
 * const sorter = await createSorter({ backends: [cpu({ threads: 4 }), builtin()] });
 * await sorter.sort(Float32Array.of(3, -0, NaN, 0)); // -0, 0, 3, NaN
 * ```
 * @throws RangeError when `threads` is not a whole number from 1 to 256, or `keepBytes` is not a
 *   number from 0 on; TypeError for other options that are not what they should be.
 */
export function cpu(options: CpuOptions = {}): Backend {
  const { threads, kernels = 'wasm', createWorker, keepBytes = KEEP_BYTES } = options;
  if (
    threads !== undefined &&
    !(Number.isInteger(threads) && threads >= 1 && threads <= MAX_THREADS)
  ) {
    throw new RangeError(`threads must be a whole number from 1 to ${MAX_THREADS}, got ${threads}`);
  }

  if (kernels !== 'wasm' && kernels !== 'plain') {
    throw new TypeError(`kernels must be 'wasm' or 'plain', got ${String(kernels)}`);
  }

  if (createWorker !== undefined && typeof createWorker !== 'function') {
    throw new TypeError(`createWorker must be a function, got ${String(createWorker)}`);
  }

  if (typeof keepBytes !== 'number' || !(keepBytes >= 0)) {
    throw new RangeError(`keepBytes must be a number of bytes from 0 on, got ${String(keepBytes)}`);
  }

  return new CpuBackend({ ...options, kernels, keepBytes });
}

class CpuBackend implements Backend {
  readonly name = 'cpu';
  /** Why plain TypeScript is used, or undefined; known once `#wasmChecked`. */
  #plain: string | undefined;
  #wasmChecked = false;
  readonly #threads: number | undefined;
  readonly #createWorker: (() => Worker) | undefined;
  readonly #maxPartLength: number | undefined;
  readonly #threadsFrom: number | undefined;
  #closed = false;
  /** The calling thread's own kernels and memory. */
  #own: CallingThread | undefined;
  #executor: Promise<Executor> | undefined;
  /** The executor, once it has started. */
  #started: Executor | undefined;
  /** The requests that wait for the executor, or for the calling thread to have time. */
  readonly #queue = new RequestQueue();
  readonly #idleRelease: IdleRelease;
  constructor(options: CpuOptions & Required<Pick<CpuOptions, 'kernels' | 'keepBytes'>>) {
    const { threads, kernels, createWorker, keepBytes, maxPartLength, threadsFrom } = options;
    this.#plain = kernels === 'plain' ? "the caller asked for 'plain'" : undefined;
    this.#threads = threads;
    this.#createWorker = createWorker;
    this.#maxPartLength = maxPartLength;
    this.#threadsFrom = threadsFrom;
    this.#idleRelease = new IdleRelease(
      keepBytes,
      () => this.#heldBytes(),
      () => this.release(),
    );
  }

  async probe(): Promise<Probe> {
    const threads = THREADS.count(this.#threadOptions());
    const kernels = this.#wasm() ? 'WebAssembly' : 'plain TypeScript';
    const sharing = this.#wasm() && THREADS.shareMemory && threads > 0;
    const place = threads === 0 ? ' on the calling thread' : ' in a worker that arrays are sent to';
    const why = this.#plain ?? (THREADS.shareMemory ? '' : 'the page is not cross-origin isolated');
    const means = `${kernels}${sharing ? ' over shared memory' : place}${why && `: ${why}`}`;
    const description = `${means}, ${threads <= 1 ? '1 thread' : `up to ${threads} threads`}`;
    const capabilities = { description, software: false, threads: Math.max(threads, 1) };
    return { available: true, capabilities };
  }

  maxLength(_shape: RequestShape): number {
    return MAX_KEYS;
  }

  /** Whether an arena holds a request of this shape. */
  #fits(shape: RequestShape): boolean {
    const { length, segmentCount } = shape;
    if (this.#maxPartLength !== undefined) return length <= this.#maxPartLength;
    return length + segmentCount <= ALWAYS_FITS || length <= this.#maxAtOnce(shape);
  }

  /** How many keys of a request of this shape an arena holds. */
  #maxAtOnce(shape: RequestShape): number {
    if (!this.#wasm()) return MAX_KEYS;
    const plans = shape.keyTypes.map((keyType) => planRecords(shape, keyType));
    const threads = Math.max(THREADS.count(this.#threadOptions()), 1);
    return maxKeys(plans, shape.segmentCount, threads);
  }

  async sort(request: SortRequest): Promise<SortOutcome> {
    if (this.#closed) throw new ClosedError('the cpu backend');
    if (request.signal?.aborted) throw request.signal.reason;
    return this.#idleRelease.during(() => this.#serve(request));
  }

  async #serve(request: SortRequest): Promise<SortOutcome> {
    // It uses no memory that another request uses: no need to wait.
    if (isCountable(request.shape)) return runInSlices(sortByCounting(request), pauses());
    if (!this.#fits(request.shape)) return this.#sortInParts(request);
    const isLarge = request.shape.length >= this.#threadsFromLength(request.shape);
    if (isLarge && THREADS.count(this.#threadOptions()) > 0) {
      return this.#inTurn(request, () => this.#sortWithThreads(request));
    }
    // Compiled kernels do not pause: on the calling thread they are for short arrays.
    if (this.#wasm() && !isLarge) return this.#sortHere(request);
    return this.#inTurn(request, () => sortInSlices(request));
  }

  /** Whether the compiled kernels work here; found out once. */
  #wasm(): boolean {
    if (!this.#wasmChecked) {
      this.#wasmChecked = true;
      this.#plain ??= reasonForPlain();
    }
    return this.#plain === undefined;
  }

  /** Each part waits for its turn and is served as any other request. */
  #sortInParts(request: SortRequest): Promise<SortOutcome> {
    const undivided = this.#maxAtOnce({ ...request.shape, segmentCount: 1 });
    const most = this.#maxPartLength ?? Math.floor(undivided / PARTS_OF_ARENA);
    return sortInParts(request, most, (part) => this.sort(part));
  }

  /** From how many keys on threads serve a request of this shape. */
  #threadsFromLength(shape: RequestShape): number {
    return this.#threadsFrom ?? THREADS.threadsFrom(shape);
  }

  #threadOptions(): ThreadOptions {
    const [threads, createWorker] = [this.#threads, this.#createWorker];
    return { threads, createWorker, plain: !this.#wasm() };
  }

  async #sortHere(request: SortRequest): Promise<SortOutcome> {
    if (request.shape.length === 0) return emptyOutcome(request);
    // Never within another sort's callback: that sort still uses the same memory.
    await undefined;
    if (this.#closed) throw new ClosedError('the cpu backend');
    this.#own ??= linkCallingThread();
    return this.#own.sort(request);
  }

  /** Waits for the requests before, then serves this one. */
  #inTurn(request: SortRequest, serve: () => Promise<SortOutcome>): Promise<SortOutcome> {
    const queued = performance.now();
    return this.#queue.serve(request, async () => {
      if (this.#closed) throw new ClosedError('the cpu backend');
      const queue = performance.now() - queued;
      const outcome = await serve();
      return { ...outcome, milliseconds: { queue, ...outcome.milliseconds } };
    });
  }

  async #sortWithThreads(request: SortRequest): Promise<SortOutcome> {
    const start = performance.now();
    if (this.#executor === undefined) {
      request.onProgress?.({ phase: 'start', completed: 0, total: 1 });
    }
    const sorting = this.#withExecutor(async (executor) => {
      await untilAborted(executor.idle(), request.signal);
      const started = performance.now() - start;
      const outcome = await executor.sort(request);
      return { ...outcome, milliseconds: { start: started, ...outcome.milliseconds } };
    });
    return sorting.catch((error) => {
      // Only a first worker shows that the page's policy forbids them.
      const isForbidden = THREADS.count(this.#threadOptions()) === 0;
      if (!(isForbidden && error instanceof BackendFailedError)) throw error;
      assertGoesOn(request);
      return sortInSlices(request);
    });
  }

  /** Does `work` with the executor. One that has failed is dismissed: after, or before if idle. */
  async #withExecutor<T>(work: (executor: Executor) => Promise<T>): Promise<T> {
    if (this.#closed) throw new ClosedError('the cpu backend');
    if ((await this.#executor)?.failed) await this.#dismiss();
    this.#executor ??= startExecutor(this.#threadOptions());
    let executor: Executor | undefined;
    try {
      executor = await this.#executor;
      this.#started = executor;
      return await work(executor);
    } finally {
      // A thread that died may have left the others in any state: the next sort gets new ones.
      if (executor === undefined || executor.failed) await this.#dismiss();
    }
  }

  /** Ends the threads and drops the memory. */
  async #dismiss(): Promise<void> {
    const [executor, bytes] = [this.#executor, this.#heldBytes()];
    this.#executor = undefined;
    this.#started = undefined;
    this.#own = undefined;
    // The request that started an executor in vain has rejected; nothing is left to close.
    const started = await executor?.catch(() => undefined);
    await started?.close();
    promptCollector(bytes);
  }

  #heldBytes(): number {
    return (this.#own?.arena.bytes ?? 0) + (this.#started?.bytes ?? 0);
  }

  async warmUp(maxLength: number): Promise<void> {
    if (this.#closed) throw new ClosedError('the cpu backend');
    return this.#idleRelease.during(async () => {
      await this.#takeMemory(maxLength);
      if (!this.#wasm()) return;
      const threadsFrom = (shape: RequestShape): number => this.#threadsFromLength(shape);
      const pause = pauses();
      for (const request of warmUpRequests(maxLength, threadsFrom)) {
        await this.sort(request);
        await pause();
      }
    });
  }

  async #takeMemory(maxLength: number): Promise<void> {
    const threads = THREADS.count(this.#threadOptions());
    if (this.#wasm()) {
      this.#own ??= linkCallingThread();
      takePages(
        this.#own.arena,
        Math.min(maxLength, this.#threadsFromLength(plainShape('sort', 'u32', maxLength))),
      );
    }
    const widest = plainShape('argsort', 'f64', maxLength);
    if (threads === 0 || maxLength < this.#threadsFromLength(widest)) return;
    await this.#queue.after(() =>
      this.#withExecutor(async (executor) => {
        await executor.idle();
        await executor.warmUp(maxLength);
      }),
    );
  }

  async release(): Promise<void> {
    await this.#queue.after(() => this.#dismiss());
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.release();
  }
}

/** Serves a request on the calling thread in plain TypeScript, its event loop in between. */
function sortInSlices(request: SortRequest): Promise<SortOutcome> {
  return runInSlices(sortPlain(request), pauses());
}

/** @throws BackendFailedError when there is no memory, or no thread can be started. */
async function startExecutor(options: ThreadOptions): Promise<Executor> {
  try {
    return await THREADS.start(options);
  } catch (cause) {
    throw new BackendFailedError('cpu', `no threads could be started: ${String(cause)}`, { cause });
  }
}

function emptyOutcome({ shape }: SortRequest): SortOutcome {
  return {
    permutation: shape.operation === 'argsort' ? new Uint32Array(0) : undefined,
    milliseconds: {},
    passes: { run: 0, skipped: 0 },
    threads: 1,
    bound: 0,
  };
}
