/** The WebGL2 backend: the caller's arrays to textures, through the bitonic network, and back. */

import {
  type Backend,
  BackendFailedError,
  BackendUnavailableError,
  ClosedError,
  type Probe,
  plainRequest,
  RequestLifecycle,
  RequestQueue,
  type RequestShape,
  type SortOutcome,
  type SortRequest,
} from '@keysweep/core';
import { type ContextFacts, dropContext, inspect, openContext } from './context/context.js';
import { importLibrary } from './context/library.js';
import { Failure } from './failure.js';
import { serve } from './request.js';
import { WordMemory } from './words.js';
import { openHere, openWorker, type Session } from './worker/session.js';

/** Options of `webgl2`. */
export interface Webgl2Options {
  /**
   * Whether to work in a worker. Default true: where there are workers with OffscreenCanvas, and the worker's file is where the
   * bundler should have put it. In the caller's own realm gpu.js is loaded there, and a long sort keeps it busier.
   */
  readonly worker?: boolean | undefined;
  /**
   * Has a fragment write four textures (2) on GPUs that have eight (3), in the caller's own realm, for tests.
   * @internal
   */
  readonly slotBits?: 2 | 3 | undefined;
  /**
   * Loads gpu.js for the caller's own realm, for tests.
   * @internal
   */
  readonly load?: (() => Promise<object>) | undefined;
}

/** Most elements: they take 24 bytes each of the GPU's memory, 44 with a position, and nobody says how much there is. */
const MOST_ELEMENTS = 2 ** 24;

/**
 * The bitonic network in fragment shaders, all key types, for browsers with WebGL2. Needs the npm package gpu.js, which is loaded when
 * the first sort comes. Stable where it shows: pairs and permutations, by the position as a tie-break.
 *
 * O(n log² n): 4 bytes a key are read and written in each of log n (log n - 3) / 6 passes or so, 8 with its position in log n
 * (log n - 1) / 6; half as many again on GPUs that write but four textures at a time. The length is rounded up to a power of two, at least 256. Arrays of keys of up to 32 bits are sorted as they are; all else as a
 * permutation, once for each 32 bits of each column, and gathered by the caller's thread: 64-bit keys, pairs, key bits, and segments,
 * whose numbers are one more column.
 *
 * One context, opened at the first sort; one that is lost is replaced at the next. Requests are served one after the other. Keeps its
 * textures, and 4 bytes a key of the host's memory, until `release()`.
 * @throws TypeError for options that can't be.
 */
export function webgl2(options: Webgl2Options = {}): Backend {
  const { worker = true, slotBits, load = importLibrary } = options;
  if (typeof worker !== 'boolean') {
    throw new TypeError(`worker must be true or false, got ${String(worker)}`);
  }
  return new Webgl2Backend(worker, () => openHere(load, slotBits));
}

class Webgl2Backend implements Backend {
  readonly name = 'webgl2';
  readonly #wantsWorker: boolean;
  readonly #openHere: () => Promise<Session>;
  readonly #turns = new RequestQueue();
  readonly #memory = new WordMemory();
  /** What a context of this machine is like, once one was opened. */
  #facts: ContextFacts | undefined;
  #session: Session | undefined;
  #closed = false;

  constructor(wantsWorker: boolean, openHere: () => Promise<Session>) {
    this.#wantsWorker = wantsWorker;
    this.#openHere = openHere;
  }

  async probe(): Promise<Probe> {
    const facts = this.#inspect();
    if (typeof facts === 'string') return { available: false, reason: facts };
    const { renderer, software } = facts;
    const description = `${renderer} (WebGL2), up to ${this.#most()} keys`;
    return { available: true, capabilities: { description, software, threads: 0 } };
  }

  maxLength(_shape: RequestShape): number {
    return this.#most();
  }

  async sort(request: SortRequest): Promise<SortOutcome> {
    if (this.#closed) throw new ClosedError('the webgl2 backend');
    if (request.signal?.aborted) throw request.signal.reason;
    const course = new RequestLifecycle(request, () => performance.now());
    return course.answer(this.#turns.serve(request, () => this.#serve(request, course)));
  }

  async #serve(request: SortRequest, course: RequestLifecycle): Promise<SortOutcome> {
    const { length } = request.shape;
    const facts = this.#inspect();
    if (typeof facts === 'string') throw new BackendUnavailableError('webgl2', facts);
    if (length > this.#most()) {
      const reason = `${length} keys are over its limit of ${this.#most()}`;
      throw new BackendUnavailableError('webgl2', reason);
    }
    if (this.#session?.isLost) this.#drop();
    if (this.#session === undefined) course.enter('start');
    const session = await this.#open();
    try {
      const outcome = await serve(session, request, course, this.#memory);
      return { ...outcome, milliseconds: course.stop(), threads: 0 };
    } catch (cause) {
      const error =
        cause instanceof Failure
          ? new BackendFailedError('webgl2', cause.message, { cause })
          : cause;
      // Nobody knows what state it is in: the next request gets another.
      if (error instanceof BackendFailedError || error instanceof BackendUnavailableError) {
        this.#drop();
      }
      throw error;
    }
  }

  /** Opens a context to look at, once; a failure is looked at again. */
  #inspect(): ContextFacts | string {
    if (this.#facts !== undefined) return this.#facts;
    const gl = openContext();
    if (typeof gl === 'string') return gl;
    const facts = inspect(gl);
    dropContext(gl);
    if (typeof facts !== 'string') this.#facts = facts;
    return facts;
  }

  /** Most elements: a texel is four words, and keys of 64 bits are two. */
  #most(): number {
    const { maxTextureSize = MOST_ELEMENTS } = this.#facts ?? {};
    return Math.min(MOST_ELEMENTS, 2 * 4 ** Math.floor(Math.log2(maxTextureSize)));
  }

  async #open(): Promise<Session> {
    if (this.#closed) throw new ClosedError('the webgl2 backend');
    this.#session ??= (this.#wantsWorker && (await openWorker())) || (await this.#openHere());
    return this.#session;
  }

  #drop(): void {
    this.#session?.close();
    this.#session = undefined;
  }

  async warmUp(maxLength: number): Promise<void> {
    if (this.#closed) throw new ClosedError('the webgl2 backend');
    // A sort as any other: it compiles the kernels, and its memory is kept.
    const keys = Uint32Array.from({ length: Math.max(2, maxLength) }, (_, i) => i ^ 1);
    await this.sort(plainRequest('sort', keys));
  }

  async release(): Promise<void> {
    await this.#turns.after(async () => {
      this.#memory.release();
      this.#session?.release();
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#turns.after(async () => {
      this.#memory.release();
      this.#drop();
    });
  }
}
