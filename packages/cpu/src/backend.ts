/** The CPU backend: small arrays on the calling thread, large ones on a team of threads. */

import {
  assertGoesOn,
  type Backend,
  BackendFailedError,
  ClosedError,
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
import { type Alone, alone, touch, whyPlain } from './pool/calling-thread.js';
import { MOST_THREADS, type Team, type TeamOptions } from './pool/executor.js';
import { Keeping, showGarbage } from './pool/idle-release.js';
import { pauses } from './pool/pauses.js';
import { exercises } from './pool/warm-up-requests.js';
import { maxKeys } from './sort/arena-layout.js';
import { sortInArena } from './sort/columns.js';
import { planRecords } from './sort/record-layout.js';

/** Options of `cpu`. */
export interface CpuOptions {
  /**
   * Threads that share a large sort, 1 to 256; in Node the calling one is of them. Default: as many as the system lets this process use,
   * in a page `navigator.hardwareConcurrency`. Where arrays are sent to a worker there is one.
   */
  threads?: number;
  /** 'plain' keeps to TypeScript even where WebAssembly is there. */
  kernels?: 'wasm' | 'plain';
  /**
   * Makes a worker that runs `@keysweep/cpu/worker`, for bundlers that do not see
   * `new Worker(new URL(…, import.meta.url))` in a dependency. Called once for each thread, when the
   * first large array comes; what it throws rejects the sort with BackendFailedError. In pages only.
   */
  createWorker?: () => Worker;
  /**
   * Bytes of working memory that are kept for the next sort however long it takes to come, 0 or more. Default 268,435,456
   * (256 MiB). Where it is more, all of it is given back, with the threads, once no sort has come for 30 seconds; the next
   * one starts them again. With Infinity everything is kept until `release()`.
   */
  keepBytes?: number;
  /**
   * Most keys and segments sorted at a time, for tests: longer requests are sorted in parts. Default: as many as an arena
   * holds, in parts of a quarter.
   * @internal
   */
  maxPartLength?: number | undefined;
  /**
   * Keys from which on threads serve a request, for tests. Default: from where they pay on this platform.
   * @internal
   */
  threadsFrom?: number | undefined;
}

/** Every row has an index of 32 bits. */
const MOST_KEYS = 2 ** 32 - 1;

/** Working memory that is kept, by default. */
const KEEP_BYTES = 256 * 2 ** 20;

/** As many keys and segments as this fit into an arena whatever they are: 2^28 bytes of records at most, twice. */
const SURELY_FITS = 2 ** 24;

/** How many parts would fill an arena: each takes a gibibyte at most. */
const PARTS_OF_ARENA = 4;

/**
 * A radix sort on the CPU, stable, all key types.
 *
 * In Node, large arrays are sorted by worker threads over one shared WebAssembly memory: from 2^19 keys
 * of up to 32 bits on, and from 2^18 wider keys, pairs or indices. The calling thread takes part, with a
 * turn for its event loop about every 8 ms. Smaller arrays are sorted on the calling thread.
 *
 * In a page, workers do so from 2^17 keys on, over shared memory if the page is cross-origin isolated;
 * if not, copies are sent to one worker. The calling thread only copies, in slices of about 5 ms with
 * its event loop in between. A result of more than such a slice comes in piece by piece, and then an
 * abort comes too late; an array that is detached or shrunk meanwhile rejects with a TypeError and is
 * written in part. A worker that cannot be loaded or dies rejects with BackendFailedError: at once,
 * where it does not answer after 10 seconds, and after 2 minutes in a page without locks (neither
 * https nor localhost).
 *
 * Keys of 8 and 16 bits alone (16 bits: from 200,000 on) are counted by the calling thread, in slices of about 5 ms, and written anew.
 *
 * Without WebAssembly plain TypeScript does the same, and without workers the calling thread, in slices.
 *
 * O(n) per digit of the range that the keys need. Takes twice the keys and payloads (pairs and
 * permutations of 64-bit keys: 32 bytes a key), kept until `release()`, or as `keepBytes` says.
 * What would take over 4 GiB (2^29 32-bit keys, 2^28 pairs) is sorted in parts that take one, and takes the keys and
 * payloads once more while it is; the calling thread makes the parts, in slices of about 5 ms.
 * @throws RangeError when `threads` is not a whole number from 1 to 256, or `keepBytes` not a number from 0 on; TypeError for
 *   other options that are not what they should be.
 */
export function cpu(options: CpuOptions = {}): Backend {
  const { threads, kernels = 'wasm', createWorker, keepBytes = KEEP_BYTES } = options;
  if (
    threads !== undefined &&
    !(Number.isInteger(threads) && threads >= 1 && threads <= MOST_THREADS)
  ) {
    throw new RangeError(
      `threads must be a whole number from 1 to ${MOST_THREADS}, got ${threads}`,
    );
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
  /** Why plain TypeScript is used, or undefined; decided at the first look. */
  #plain: string | undefined;
  #looked = false;
  readonly #threads: number | undefined;
  readonly #createWorker: (() => Worker) | undefined;
  readonly #maxPartLength: number | undefined;
  readonly #threadsFrom: number | undefined;
  #closed = false;
  /** The calling thread's own kernels and memory. */
  #own: Alone | undefined;
  #team: Promise<Team> | undefined;
  /** The team, once it has started. */
  #started: Team | undefined;
  /** The requests that wait for the team, or for the calling thread to have time. */
  readonly #turns = new RequestQueue();
  readonly #keeping: Keeping;

  constructor(options: CpuOptions & Required<Pick<CpuOptions, 'kernels' | 'keepBytes'>>) {
    const { threads, kernels, createWorker, keepBytes, maxPartLength, threadsFrom } = options;
    this.#plain = kernels === 'plain' ? "the caller asked for 'plain'" : undefined;
    this.#threads = threads;
    this.#createWorker = createWorker;
    this.#maxPartLength = maxPartLength;
    this.#threadsFrom = threadsFrom;
    this.#keeping = new Keeping(
      keepBytes,
      () => this.#heldBytes(),
      () => this.release(),
    );
  }

  async probe(): Promise<Probe> {
    const threads = THREADS.count(this.#teamOptions());
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
    return MOST_KEYS;
  }

  /** Whether an arena holds a request of this shape. */
  #fits(shape: RequestShape): boolean {
    const { length, segmentCount } = shape;
    if (this.#maxPartLength !== undefined) return length <= this.#maxPartLength;
    return length + segmentCount <= SURELY_FITS || length <= this.#mostAtOnce(shape);
  }

  /** How many keys of a request of this shape an arena holds. */
  #mostAtOnce(shape: RequestShape): number {
    if (!this.#wasm()) return MOST_KEYS;
    const plans = shape.keyTypes.map((keyType) => planRecords(shape, keyType));
    const threads = Math.max(THREADS.count(this.#teamOptions()), 1);
    return maxKeys(plans, shape.segmentCount, threads);
  }

  async sort(request: SortRequest): Promise<SortOutcome> {
    if (this.#closed) throw new ClosedError('the cpu backend');
    if (request.signal?.aborted) throw request.signal.reason;
    return this.#keeping.during(() => this.#serve(request));
  }

  async #serve(request: SortRequest): Promise<SortOutcome> {
    // It holds nothing that another request could want: no need to wait.
    if (isCountable(request.shape)) return runInSlices(sortByCounting(request), pauses());
    if (!this.#fits(request.shape)) return this.#sortInParts(request);
    const isLarge = request.shape.length >= this.#payFrom(request.shape);
    if (isLarge && THREADS.count(this.#teamOptions()) > 0) {
      return this.#inTurn(request, () => this.#sortWithTeam(request));
    }
    // Compiled kernels do not pause: without threads they are for arrays that take no time.
    const isQuick = this.#wasm() && !isLarge;
    if (isQuick) return this.#sortHere(request);
    return this.#inTurn(request, () => sortInSlices(request));
  }

  /** Whether the compiled kernels work here: looks once. */
  #wasm(): boolean {
    if (!this.#looked) {
      this.#looked = true;
      this.#plain ??= whyPlain();
    }
    return this.#plain === undefined;
  }

  /** Each part waits for its turn and is served as any other request. */
  #sortInParts(request: SortRequest): Promise<SortOutcome> {
    const undivided = this.#mostAtOnce({ ...request.shape, segmentCount: 1 });
    const most = this.#maxPartLength ?? Math.floor(undivided / PARTS_OF_ARENA);
    return sortInParts(request, most, (part) => this.sort(part));
  }

  /** From how many keys on threads serve a request of this shape. */
  #payFrom(shape: RequestShape): number {
    return this.#threadsFrom ?? THREADS.payFrom(shape);
  }

  #teamOptions(): TeamOptions {
    const [threads, createWorker] = [this.#threads, this.#createWorker];
    return { threads, createWorker, plain: !this.#wasm() };
  }

  async #sortHere(request: SortRequest): Promise<SortOutcome> {
    if (request.shape.length === 0) return emptyOutcome(request);
    // Never within another sort's callback: that one is in the midst of the same memory.
    await undefined;
    if (this.#closed) throw new ClosedError('the cpu backend');
    this.#own ??= alone();
    const { arena, run } = this.#own;
    return sortInArena(request, arena, 1, run);
  }

  /** Waits for the requests before, then serves this one. */
  #inTurn(request: SortRequest, serve: () => Promise<SortOutcome>): Promise<SortOutcome> {
    const queued = performance.now();
    return this.#turns.serve(request, async () => {
      if (this.#closed) throw new ClosedError('the cpu backend');
      const queue = performance.now() - queued;
      const outcome = await serve();
      return { ...outcome, milliseconds: { queue, ...outcome.milliseconds } };
    });
  }

  async #sortWithTeam(request: SortRequest): Promise<SortOutcome> {
    const start = performance.now();
    if (this.#team === undefined) {
      request.onProgress?.({ phase: 'start', completed: 0, total: 1 });
    }
    const sorting = this.#withTeam(async (team) => {
      await untilAborted(team.idle(), request.signal);
      const started = performance.now() - start;
      const outcome = await team.sort(request);
      return { ...outcome, milliseconds: { start: started, ...outcome.milliseconds } };
    });
    return sorting.catch((error) => {
      // That a page's policy forbids workers shows when the first is made.
      const isForbidden = THREADS.count(this.#teamOptions()) === 0;
      if (!(isForbidden && error instanceof BackendFailedError)) throw error;
      assertGoesOn(request);
      return sortInSlices(request);
    });
  }

  /** Does `work` with the team; one that has failed is dismissed after, or before if it was idle. */
  async #withTeam<T>(work: (team: Team) => Promise<T>): Promise<T> {
    if (this.#closed) throw new ClosedError('the cpu backend');
    if ((await this.#team)?.failed) await this.#dismiss();
    this.#team ??= startTeam(this.#teamOptions());
    let team: Team | undefined;
    try {
      team = await this.#team;
      this.#started = team;
      return await work(team);
    } finally {
      // A thread that died is not trusted to have left the others well: the next sort gets new ones.
      if (team === undefined || team.failed) await this.#dismiss();
    }
  }

  /** Ends the threads and drops the memory. */
  async #dismiss(): Promise<void> {
    const [team, bytes] = [this.#team, this.#heldBytes()];
    this.#team = undefined;
    this.#started = undefined;
    this.#own = undefined;
    // A team that could not be started has told whoever asked for it, and left nothing.
    const started = await team?.catch(() => undefined);
    await started?.close();
    showGarbage(bytes);
  }

  #heldBytes(): number {
    return (this.#own?.arena.bytes ?? 0) + (this.#started?.bytes ?? 0);
  }

  async warmUp(maxLength: number): Promise<void> {
    if (this.#closed) throw new ClosedError('the cpu backend');
    return this.#keeping.during(async () => {
      await this.#takeMemory(maxLength);
      if (!this.#wasm()) return;
      const payFrom = (shape: RequestShape): number => this.#payFrom(shape);
      const pause = pauses();
      for (const request of exercises(maxLength, payFrom)) {
        await this.sort(request);
        await pause();
      }
    });
  }

  async #takeMemory(maxLength: number): Promise<void> {
    const threads = THREADS.count(this.#teamOptions());
    if (this.#wasm()) {
      this.#own ??= alone();
      touch(
        this.#own.arena,
        Math.min(maxLength, this.#payFrom(plainShape('sort', 'u32', maxLength))),
      );
    }
    const widest = plainShape('argsort', 'f64', maxLength);
    if (threads === 0 || maxLength < this.#payFrom(widest)) return;
    await this.#turns.after(() =>
      this.#withTeam(async (team) => {
        await team.idle();
        await team.warmUp(maxLength);
      }),
    );
  }

  async release(): Promise<void> {
    await this.#turns.after(() => this.#dismiss());
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.release();
  }
}

/** Serves a request on the calling thread, its event loop in between. */
function sortInSlices(request: SortRequest): Promise<SortOutcome> {
  return runInSlices(sortPlain(request), pauses());
}

/** @throws BackendFailedError when there is no memory, or no thread can be started. */
async function startTeam(options: TeamOptions): Promise<Team> {
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
