/** The CPU backend: small arrays on the calling thread, large ones on a crew of threads. */

import {
  type Backend,
  BackendFailedError,
  ClosedError,
  type KeyType,
  keyTraits,
  type Probe,
  type RequestShape,
  type SortOutcome,
  type SortRequest,
  Turns,
  untilAborted,
} from '@keysweep/core';
import { Arena, compileKernels, linkKernels } from './arena.js';
import { Board, straight } from './board.js';
import { type RunJob, sortInArena } from './columns.js';
import { runJob } from './job.js';
import { layOut, maxKeys } from './places.js';
import { sortPlain } from './plain.js';
import { planRecords } from './records.js';
import type { Job, JobResult } from './seat.js';
import type { Crew } from './threads-node.js';

/** Options of `cpu`. */
export interface CpuOptions {
  /**
   * Threads that share a large sort. Default: as many as the system lets this process use; in a
   * page 1, the caller's own.
   */
  threads?: number;
  /** 'plain' keeps to TypeScript even where WebAssembly and shared memory are there. */
  kernels?: 'wasm' | 'plain';
}

/**
 * From this many keys on, waking the threads costs less than they save. Keys of up to 32 bits alone
 * are done so fast that the calling thread is better left alone with them for longer: a scheduler
 * that wakes a thread on the caller's own core makes two threads slower than one.
 */
const THREADS_FROM = 1 << 17;
const THREADS_FROM_FOR_NARROW_KEYS = 1 << 18;

/** More threads than memory could feed. */
const MOST_THREADS = 256;

/** How often progress is looked at while threads are at work, in milliseconds. */
const PROGRESS_INTERVAL = 50;

/**
 * A radix sort on the CPU, stable, all key types.
 *
 * In Node, large arrays are sorted by worker threads over one shared WebAssembly memory: from 2^20 keys
 * of up to 32 bits on, and from 2^17 wider keys, pairs or indices. Up to 2^21 the calling thread takes
 * part and is busy for some 10 to 30 ms; beyond, it only copies in and out. Smaller arrays are sorted
 * on the calling thread. Where WebAssembly or shared memory is missing, plain TypeScript does the same
 * on the calling thread.
 *
 * O(n) per digit of the range that the keys need. Takes twice the keys and payloads (pairs and
 * permutations of 64-bit keys: 32 bytes a key), kept for the next sort until `release()`.
 * A request may take up to 4 GiB: 2^29 32-bit keys, 2^28 pairs.
 * @throws RangeError when `threads` is not a whole number from 1 to 256.
 */
export function cpu(options: CpuOptions = {}): Backend {
  const { threads, kernels = 'wasm' } = options;
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
  return new CpuBackend(threads, kernels === 'plain' ? "the caller asked for 'plain'" : undefined);
}

class CpuBackend implements Backend {
  readonly name = 'cpu';
  /** What the caller asked for, or what the probe found. */
  #threads: number | undefined;
  /** Why plain TypeScript is used, or undefined; decided at the first look. */
  #plain: string | undefined;
  #looked = false;
  #closed = false;
  /** The calling thread's own kernels and memory. */
  #own: { readonly arena: Arena; readonly run: RunJob } | undefined;
  #shared: Promise<Shared> | undefined;
  /** The requests that wait for the crew. */
  readonly #turns = new Turns();

  constructor(threads: number | undefined, plain: string | undefined) {
    this.#threads = threads;
    this.#plain = plain;
  }

  async probe(): Promise<Probe> {
    const { defaultThreads, startCrew } = await import('#threads');
    if (startCrew === undefined) this.#threads = 1;
    else this.#threads ??= defaultThreads();
    const threads = this.#wasm() ? this.#threads : 1;
    const means = this.#wasm()
      ? 'WebAssembly over shared memory'
      : `plain TypeScript: ${this.#plain}`;
    const description = `${means}, ${threads === 1 ? '1 thread' : `up to ${threads} threads`}`;
    return { available: true, capabilities: { description, software: false, threads } };
  }

  maxLength(shape: RequestShape): number {
    if (!this.#wasm()) return 2 ** 32 - 1;
    const plans = shape.keyTypes.map((keyType) => planRecords(shape, keyType));
    return maxKeys(plans, shape.segmentCount, this.#threads ?? MOST_THREADS);
  }

  async sort(request: SortRequest): Promise<SortOutcome> {
    if (this.#closed) throw new ClosedError('the cpu backend');
    if (request.signal?.aborted) throw request.signal.reason;
    if (!this.#wasm()) return sortPlain(request);
    if (request.shape.length < threadsFrom(request.shape)) return this.#sortHere(request);
    const { startCrew } = await import('#threads');
    return startCrew === undefined ? this.#sortHere(request) : this.#inTurn(request);
  }

  /** Whether the compiled kernels work here: looks once. */
  #wasm(): boolean {
    if (!this.#looked) {
      this.#looked = true;
      this.#plain ??= whyPlain();
    }
    return this.#plain === undefined;
  }

  async #sortHere(request: SortRequest): Promise<SortOutcome> {
    if (request.shape.length === 0) return emptyOutcome(request);
    // Never within another sort's callback: that one is in the midst of the same memory.
    await undefined;
    if (this.#closed) throw new ClosedError('the cpu backend');
    this.#own ??= ownKernels();
    const { arena, run } = this.#own;
    return sortInArena(request, arena, 1, run);
  }

  /** Waits for the requests before, then has the crew serve this one. */
  #inTurn(request: SortRequest): Promise<SortOutcome> {
    const queued = performance.now();
    return this.#turns.serve(request, async () => {
      if (this.#closed) throw new ClosedError('the cpu backend');
      const queue = performance.now() - queued;
      const outcome = await this.#sortWithCrew(request);
      return { ...outcome, milliseconds: { queue, ...outcome.milliseconds } };
    });
  }

  async #sortWithCrew(request: SortRequest): Promise<SortOutcome> {
    const start = performance.now();
    if (this.#shared === undefined) {
      request.onProgress?.({ phase: 'start', completed: 0, total: 1 });
    }
    return this.#withCrew(async ({ arena, crew }) => {
      const started = performance.now() - start;
      const run: RunJob = (job, tell) => supervised(crew, job, request, tell);
      const outcome = await sortInArena(request, arena, crew.threads, run);
      return { ...outcome, milliseconds: { start: started, ...outcome.milliseconds } };
    });
  }

  /** Does `work` with the crew, idle; a crew that has failed is dismissed after. */
  async #withCrew<T>(work: (shared: Shared) => Promise<T>): Promise<T> {
    if (this.#closed) throw new ClosedError('the cpu backend');
    this.#shared ??= startShared(this.#threads);
    let shared: Shared | undefined;
    try {
      shared = await this.#shared;
      await shared.crew.idle();
      return await work(shared);
    } finally {
      // A thread that died is not trusted to have left the others well: the next sort gets new ones.
      if (shared === undefined || shared.crew.failed) await this.#dismiss();
    }
  }

  /** Ends the threads and drops the memory. */
  async #dismiss(): Promise<void> {
    const shared = this.#shared;
    this.#shared = undefined;
    this.#own = undefined;
    // A crew that could not be started has told whoever asked for it, and left nothing.
    const started = await shared?.catch(() => undefined);
    await started?.crew.close();
  }

  async warmUp(maxLength: number): Promise<void> {
    if (this.#closed) throw new ClosedError('the cpu backend');
    if (!this.#wasm()) return;
    const { startCrew } = await import('#threads');
    if (this.#closed) throw new ClosedError('the cpu backend');
    this.#own ??= ownKernels();
    const here =
      startCrew === undefined ? maxLength : Math.min(maxLength, THREADS_FROM_FOR_NARROW_KEYS);
    touch(this.#own.arena, layOut([planRecords(KEYS_32, 'u32')], here, 1, 1).end);
    if (startCrew === undefined || maxLength < THREADS_FROM) return;
    await this.#turns.after(() =>
      this.#withCrew(async ({ arena, crew }) => {
        const from = arena.bytes;
        arena.reserve(layOut([planRecords(KEYS_32, 'u32')], maxLength, 1, crew.threads).end);
        try {
          await crew.touch({ from, to: arena.bytes });
        } catch (cause) {
          throw threadFailure(cause);
        }
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

const KEYS_32: RequestShape = {
  operation: 'sort',
  keyTypes: ['u32'],
  valueBytes: 0,
  length: 0,
  order: 'ascending',
  segmentCount: 1,
  keyBits: undefined,
  approximate: false,
};

function threadsFrom({ operation, keyTypes }: RequestShape): number {
  const isNarrow = operation === 'sort' && keyTraits(keyTypes[0] as KeyType).bits <= 32;
  return isNarrow ? THREADS_FROM_FOR_NARROW_KEYS : THREADS_FROM;
}

/** Reserves `bytes` of an arena and has the system hand out the pages that are new. */
function touch(arena: Arena, bytes: number): void {
  const from = arena.bytes;
  arena.reserve(bytes);
  new Uint8Array(arena.memory.buffer, from).fill(0);
}

/** Threads and the memory that they work in. */
interface Shared {
  readonly arena: Arena;
  readonly crew: Crew;
}

/** @throws BackendFailedError when there is no memory, or no thread can be started. */
async function startShared(threads: number | undefined): Promise<Shared> {
  try {
    const { startCrew, defaultThreads } = await import('#threads');
    if (startCrew === undefined) throw new Error('there are no threads here');
    const arena = new Arena();
    return { arena, crew: await startCrew(arena, threads ?? defaultThreads()) };
  } catch (cause) {
    throw new BackendFailedError('cpu', `no threads could be started: ${String(cause)}`, { cause });
  }
}

const threadFailure = (cause: unknown): BackendFailedError =>
  new BackendFailedError('cpu', `a worker thread stopped: ${String(cause)}`, { cause });

/** Why the compiled kernels can't be used, or undefined when they can. */
function whyPlain(): string | undefined {
  if (typeof WebAssembly === 'undefined') return 'WebAssembly is missing';
  if (typeof SharedArrayBuffer === 'undefined') {
    return 'shared memory is missing (a page must be cross-origin isolated)';
  }
  try {
    compileKernels();
    return undefined;
  } catch (error) {
    return `the kernels do not compile here: ${String(error)}`;
  }
}

/** Kernels and memory for the calling thread alone. */
function ownKernels(): { arena: Arena; run: RunJob } {
  const arena = new Arena();
  const { memory } = arena;
  const kernels = linkKernels(compileKernels(), memory);
  const run = (job: Job): JobResult => {
    const { boardAt, phases } = job.places;
    const board = new Board(memory, boardAt, phases, Number.POSITIVE_INFINITY);
    board.reset();
    return straight(runJob(job, kernels, memory, board, 0));
  };
  return { arena, run };
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

/** Has the crew run a job; stops it when the caller aborts, and tells the caller how far it is. */
async function supervised(
  crew: Crew,
  job: Job,
  { signal, onProgress }: SortRequest,
  tell: (records: number) => void,
): Promise<JobResult> {
  await crew.idle();
  if (signal?.aborted) throw signal.reason;
  let stop = (): void => {};
  let timer: ReturnType<typeof setInterval> | undefined;
  let thrown: { error: unknown } | undefined;
  try {
    const { board, result } = crew.run(job);
    stop = () => board.stop();
    signal?.addEventListener('abort', stop, { once: true });
    const look = (): void => {
      try {
        tell(board.recordsDone);
      } catch (error) {
        thrown = { error };
        stop();
      }
    };
    if (onProgress !== undefined) timer = setInterval(look, PROGRESS_INTERVAL);
    // An abort is answered at once; threads come to their next piece a little later.
    return await untilAborted(result, signal);
  } catch (cause) {
    if (thrown !== undefined) throw thrown.error;
    if (signal?.aborted) throw signal.reason;
    throw threadFailure(cause);
  } finally {
    clearInterval(timer);
    signal?.removeEventListener('abort', stop);
  }
}
