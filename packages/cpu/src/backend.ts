/** The CPU backend: small arrays on the calling thread, large ones on several threads. */

import {
  type Backend,
  type Capabilities,
  ClosedError,
  type FieldKernels,
  type GatherRequest,
  inTurn,
  type KeyFinder,
  type KeyType,
  keyTraits,
  type Probe,
  pauses,
  plainShape,
  RequestQueue,
  type RequestShape,
  readClock,
  runInSlices,
  type SortOutcome,
  type SortRequest,
  type SpellRequest,
  sortChosen,
  untilAborted,
} from '@keysweep/core';
import { THREADS } from '#threads';
import { ArenaLimits, MAX_KEYS } from './arena/limits.js';
import {
  CallingThreadKernels,
  type KernelState,
  kernelStateFor,
} from './calling-thread-kernels.js';
import { sortInParts } from './divide/divide.js';
import { isCountable, sortByCounting } from './fallback/counting.js';
import { type CheckedOptions, type CpuOptions, checkOptions } from './options.js';
import { takePages } from './pool/calling-thread.js';
import { PlainSorter } from './pool/calling-thread-sorters.js';
import { IdleRelease, promptCollectorSoon } from './pool/idle-release.js';
import type { LargeSorter } from './pool/large-sorter.js';
import { LargeSorterInUse } from './pool/large-sorter-in-use.js';
import { LargeSorterStarter } from './pool/large-sorter-starter.js';
import { warmUpRequests } from './pool/warm-up-requests.js';
import { CHOSEN_SHARE } from './sort/choose.js';

/** Plain TypeScript on the calling thread. */
const SLICES = new PlainSorter();

/**
 * A radix sort on the CPU, stable, for all key types. O(n) per digit of the range that the keys
 * need.
 *
 * In Node, worker threads over one shared WebAssembly memory sort large arrays: 2^19 keys or more
 * of up to 32 bits, and 2^18 or more wider keys, pairs or indices. Once more than two threads have
 * started, they sort 2^17 narrow keys or more, and 100,000 or more of the others; some forty sorts
 * of such lengths start them. The calling thread takes part, and gives its event loop a turn about
 * every 8 ms. Smaller arrays are sorted on the calling thread, which gives its event loop a turn
 * after 8 ms of them. Arrays on a SharedArrayBuffer are copied in and out by all threads.
 *
 * Keys alone, and rows that are counted by 16 bits, are written while later ones are being sorted.
 * Once that has begun, an abort comes too late, and an array that is detached or shrunk rejects
 * with a TypeError and is written in part.
 *
 * In a page, workers sort arrays of 2^17 keys or more: over shared memory if the page is
 * cross-origin isolated, otherwise in one worker that gets copies. The calling thread only copies,
 * in slices of about 5 ms with its event loop in between. A result of more than one such slice is
 * written piece by piece, and then the same holds for aborts and detached arrays.
 *
 * The first sort does not wait for threads: the calling thread serves it alone, in slices of 5 ms,
 * and threads start after it. With 2^22 keys or more, 2^23 in a page, threads come first.
 *
 * If threads cannot start in one way, the next way is tried: `workerUrl` or `createWorker`, the
 * worker's file, the same code in a Blob (in Node: piscina, worker threads without a file), and at
 * last the calling thread with the same kernels, in slices of about 5 ms. A worker that does not
 * answer is given up after 10 seconds. Losses are in `warnings` of the outcome: see `createSorter`.
 *
 * If a worker dies later, the sort rejects with BackendFailedError: at once, or after 2 minutes in
 * a page without locks (neither https nor localhost). The next sort starts new workers.
 *
 * The calling thread counts keys of 8 bits, and 200,000 or more keys of 16 bits, and writes them
 * anew, in slices of about 5 ms. It does so for keys alone, undivided and by all their bits.
 *
 * Without WebAssembly, plain TypeScript does the same, in a worker if there are workers.
 *
 * Memory: twice the keys and payloads (pairs and permutations of 64-bit keys: 32 bytes a key), and
 * for keys alone up to 64 MiB, kept until `release()`, or as `keepBytes` says. What would take over
 * 4 GiB (2^29 32-bit keys, 2^28 pairs) is sorted in parts; that takes the keys and payloads once
 * more, and the calling thread makes the parts, in slices of about 5 ms.
 *
 * ```ts
 * const sorter = await createSorter({ backends: [cpu({ threads: 4 }), builtin()] });
 * await sorter.sort(Float32Array.of(3, -0, NaN, 0)); // -0, 0, 3, NaN
 * ```
 * @throws RangeError when `threads` is not a whole number from 1 to 256, or `keepBytes` is not a
 *   number of 0 or more; TypeError for other options that are not what they should be.
 */
export function cpu(options?: CpuOptions): Backend {
  return new CpuBackend(checkOptions(options));
}

/** Threads that make many: more than two. */
const MANY_THREADS = 3;

/** The fewest keys of a request that threads serve, if `started` of them are there already. */
export function usualThreadsFrom({ operation, keyTypes }: RequestShape, started: number): number {
  const { narrowKeys, others } = started < MANY_THREADS ? THREADS.from : THREADS.fromIfMany;
  const isNarrow = operation === 'sort' && keyTraits(keyTypes[0] as KeyType).bits <= 32;
  return isNarrow ? narrowKeys : others;
}

class CpuBackend implements Backend {
  readonly name = 'cpu';
  readonly sortsChosen = true;
  /** Known once it has been asked for. */
  #knownKernelState: KernelState | undefined;
  readonly #options: CheckedOptions;
  /** The fewest keys that threads serve, if a test has set that. */
  readonly #givenThreadsFrom: number | undefined;
  readonly #limits: ArenaLimits;
  #closed = false;
  readonly #kernels = new CallingThreadKernels();
  /** Made when WebAssembly is known to work, or not to. */
  #starter: LargeSorterStarter | undefined;
  #largeSorter: LargeSorterInUse | undefined;
  /** The requests that wait for the large sorter, or for the calling thread to have time. */
  readonly #queue = new RequestQueue();
  readonly #idleRelease: IdleRelease;

  constructor(options: CheckedOptions) {
    const { keepBytes, maxPartLength, threadsFrom } = options;
    this.#options = options;
    this.#givenThreadsFrom = threadsFrom;
    this.#limits = new ArenaLimits(maxPartLength, () =>
      this.#hasKernels() ? Math.max(this.#largeSorterStarter().threads, 1) : undefined,
    );
    this.#idleRelease = new IdleRelease(
      keepBytes,
      () => this.#heldBytes(),
      () => this.release(),
    );
  }

  async probe(): Promise<Probe> {
    const isWasm = this.#hasKernels();
    const { threads } = this.#largeSorterStarter();
    const shares = isWasm && THREADS.shareMemory;
    const inWorkers = shares ? 'over shared memory' : 'in a worker that arrays are sent to';
    const means = `${isWasm ? 'WebAssembly' : 'plain TypeScript'} ${
      threads === 0 ? 'on the calling thread' : inWorkers
    }`;
    const isAlone = threads > 0 && !THREADS.shareMemory;
    const why = this.#kernelState().plain ?? (isAlone ? whyAlone() : '');
    const count = threads <= 1 ? '1 thread' : `up to ${threads} threads`;
    const capabilities: Capabilities = {
      description: `${means}${why && `: ${why}`}, ${count}`,
      software: false,
      threads: Math.max(threads, 1),
      kernels: isWasm ? 'wasm' : 'plain',
    };
    return { available: true, capabilities };
  }

  maxLength(_shape: RequestShape): number {
    return MAX_KEYS;
  }

  #assertOpen(): void {
    if (this.#closed) throw new ClosedError('the cpu backend');
  }

  async sort(request: SortRequest): Promise<SortOutcome> {
    this.#assertOpen();
    if (request.signal?.aborted) throw request.signal.reason;
    const outcome = await this.#idleRelease.during(() => this.#serve(request));
    const lost = this.#starter?.warnings ?? [];
    const warnings = [this.#knownKernelState?.warning ?? [], lost, outcome.warnings ?? []].flat();
    return warnings.length === 0 ? outcome : { ...outcome, warnings };
  }

  async #serve(request: SortRequest): Promise<SortOutcome> {
    if (request.chosen !== undefined && !this.#chooses(request.shape, request.chosen.rows)) {
      return sortChosen(request, (all) => this.#serve(all));
    }
    // It uses no memory that another request uses: no need to wait.
    const { length } = request.shape;
    if (isCountable(request.shape)) {
      return inTurn(length, () => {
        this.#assertOpen();
        return runInSlices(sortByCounting(request), pauses());
      });
    }
    if (!this.#limits.fits(request.shape)) return this.#sortInParts(request);
    const isLarge = length >= this.#leastForThreads(request.shape);
    if (this.#hasKernels() && !isLarge) {
      if (
        this.#givenThreadsFrom === undefined &&
        length >= usualThreadsFrom(request.shape, this.#largeSorterStarter().threads)
      )
        this.#current().noteAlone(length);
      return this.#sortHere(request);
    }
    // Without WebAssembly the calling thread sorts short arrays as it does where it is alone.
    const sortInSlices = async () => inTurn(length, () => SLICES.sort(request));
    return this.#queued(request, isLarge ? () => this.#sortLarge(request) : sortInSlices);
  }

  /** Finds out, once, whether the compiled kernels work here. */
  #kernelState(): KernelState {
    this.#knownKernelState ??= kernelStateFor(this.#options.kernels);
    return this.#knownKernelState;
  }

  #hasKernels(): boolean {
    return this.#kernelState().plain === undefined;
  }

  #largeSorterStarter(): LargeSorterStarter {
    const { threads, createWorker, workerUrl } = this.#options;
    const plain = !this.#hasKernels();
    this.#starter ??= new LargeSorterStarter({ threads, createWorker, workerUrl, plain });
    return this.#starter;
  }

  /**
   * Whether an arena holds the keys of all `rows` rows to choose from: if this thread copies them
   * there, undivided, and keys that are left out take no more memory than records do.
   */
  #chooses(shape: RequestShape, rows: number): boolean {
    if (!this.#hasKernels() || !this.#limits.fits({ ...shape, length: rows })) return false;
    if (shape.length * CHOSEN_SHARE < rows) return false;
    return THREADS.shareMemory || shape.length < this.#leastForThreads(shape);
  }

  /** Each part waits for its turn and is served as any other request. */
  #sortInParts(request: SortRequest): Promise<SortOutcome> {
    return sortInParts(request, this.#limits.partLength(request.shape), (part) => this.sort(part));
  }

  /** The fewest keys of a request of this shape that threads serve. */
  #leastForThreads(shape: RequestShape): number {
    return this.#givenThreadsFrom ?? usualThreadsFrom(shape, this.#largeSorter?.threads ?? 0);
  }

  async #sortHere(request: SortRequest): Promise<SortOutcome> {
    if (request.shape.length === 0) return emptyOutcome(request);
    // Never within another sort's callback: that sort still uses the same memory.
    await undefined;
    return inTurn(request.shape.length, () => {
      this.#assertOpen();
      return this.#kernels.sorter.sort(request);
    });
  }

  /** Waits for the requests before, then serves this one. */
  #queued(request: SortRequest, serve: () => Promise<SortOutcome>): Promise<SortOutcome> {
    const queued = readClock();
    return this.#queue.serve(request, async () => {
      this.#assertOpen();
      const queue = readClock() - queued;
      const outcome = await serve();
      return { ...outcome, milliseconds: { queue, ...outcome.milliseconds } };
    });
  }

  async #sortLarge(request: SortRequest): Promise<SortOutcome> {
    const start = readClock();
    const current = this.#current();
    if (current.isCold) request.onProgress?.({ phase: 'start', completed: 0, total: 1 });
    const sort = async (sorter: LargeSorter): Promise<SortOutcome> => {
      await untilAborted(current.idle(), request.signal);
      const started = readClock() - start;
      const outcome = await sorter.sort(request);
      return { ...outcome, milliseconds: { start: started, ...outcome.milliseconds } };
    };
    // Tests that say from where threads serve are about threads.
    const awaitedFrom = this.#givenThreadsFrom === undefined ? THREADS.awaitedFrom : 0;
    // The calling thread takes less time for a shorter request than threads take to start.
    return current.hasStandIn && request.shape.length < awaitedFrom
      ? current.useCallingThread(sort)
      : current.use(sort);
  }

  #current(): LargeSorterInUse {
    this.#largeSorter ??= new LargeSorterInUse(this.#largeSorterStarter(), this.#queue);
    return this.#largeSorter;
  }

  async gather(request: GatherRequest): Promise<boolean> {
    this.#assertOpen();
    if (!this.#hasKernels() || !THREADS.shareMemory || this.#largeSorterStarter().threads < 2)
      return false;
    let isMoved = false;
    const current = this.#current();
    const move = async (sorter: LargeSorter): Promise<void> => {
      await current.idle();
      isMoved = (await sorter.gather?.(request)) === true;
    };
    await this.#idleRelease.during(() => this.#queue.after(() => current.use(move)));
    return isMoved;
  }

  async spell(request: SpellRequest): Promise<boolean> {
    this.#assertOpen();
    // The calling thread does it sooner than it would start threads, or wait for them.
    const current = this.#largeSorter;
    if (!THREADS.shareMemory || current === undefined || current.threads < 2) return false;
    if (this.#queue.isBusy) return false;
    let isSpelt = false;
    const spell = async (sorter: LargeSorter): Promise<void> => {
      await untilAborted(current.idle(), request.signal);
      isSpelt = (await sorter.spell?.(request)) === true;
    };
    await this.#idleRelease.during(() => this.#queue.after(() => current.use(spell)));
    return isSpelt;
  }

  async fieldKernels(): Promise<FieldKernels | undefined> {
    this.#assertOpen();
    return this.#hasKernels() ? this.#kernels.fields : undefined;
  }

  async keyFinder(): Promise<KeyFinder | undefined> {
    this.#assertOpen();
    return this.#hasKernels() ? this.#kernels.keyFinder : undefined;
  }

  /** Ends the threads and drops the memory. */
  async #dismiss(): Promise<void> {
    const { bytes } = this.#kernels;
    this.#kernels.drop();
    await this.#largeSorter?.dismiss();
    promptCollectorSoon(bytes);
  }

  #heldBytes(): number {
    return this.#kernels.bytes + (this.#largeSorter?.bytes ?? 0);
  }

  async warmUp(maxLength: number): Promise<void> {
    this.#assertOpen();
    const shape = plainShape('sort', 'u32', maxLength);
    const most = this.#limits.fits(shape) ? maxLength : this.#limits.partLength(shape);
    return this.#idleRelease.during(async () => {
      await this.#takeMemory(most);
      if (!this.#hasKernels()) return;
      const threadsFrom = (shape: RequestShape): number => this.#leastForThreads(shape);
      const pause = pauses();
      for (const request of warmUpRequests(most, threadsFrom)) {
        await this.sort(request);
        await pause();
      }
    });
  }

  async #takeMemory(maxLength: number): Promise<void> {
    if (this.#hasKernels()) {
      takePages(
        this.#kernels.sorter.arena,
        Math.min(maxLength, this.#leastForThreads(plainShape('sort', 'u32', maxLength))),
      );
    }
    const widest = plainShape('argsort', 'f64', maxLength);
    if (maxLength < this.#leastForThreads(widest)) return;
    const current = this.#current();
    await this.#queue.after(() =>
      current.use(async (sorter) => {
        await current.idle();
        await sorter.warmUp(maxLength);
        await current.threadsOf(sorter);
      }),
    );
  }

  async release(): Promise<void> {
    await this.#idleRelease.during(() => this.#queue.after(() => this.#dismiss()));
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#largeSorter?.close();
    await this.release();
  }
}

/** Why threads cannot share memory. */
const whyAlone = (): string =>
  globalThis.crossOriginIsolated === true
    ? 'this browser has no SharedArrayBuffer, though the page is isolated'
    : 'the page is not cross-origin isolated';

function emptyOutcome({ shape }: SortRequest): SortOutcome {
  return {
    permutation: shape.operation === 'argsort' ? new Uint32Array(0) : undefined,
    milliseconds: {},
    passes: { run: 0, skipped: 0 },
    threads: 1,
    bound: 0,
  };
}
