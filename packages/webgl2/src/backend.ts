/** The WebGL2 backend: what it can do here, its queue of requests, and the engine that it opens. */

import {
  type Backend,
  BackendFailedError,
  BackendUnavailableError,
  ClosedError,
  describe,
  GpuRequest,
  type Probe,
  plainRequest,
  RequestQueue,
  type RequestShape,
  readClock,
  readOptions,
  type SortOutcome,
  type SortRequest,
} from '@keysweep/core';
import { type ContextFacts, dropContext, inspect, openContext } from './context/context.js';
import { Engine } from './engine.js';
import { Failure } from './failure.js';
import { type GpuLibrary, loadLibrary } from './gpujs/library.js';
import type { SlotBits } from './network/plan.js';
import { serve } from './request.js';
import { WordMemory } from './words.js';

/** Options of `webgl2`. */
export interface Webgl2Options {
  /**
   * Imports gpu.js: `() => import('gpu.js')`. It is called when the backend is probed, and resolves
   * to the module. Without it gpu.js is imported by its name, which bundlers do not see: only an
   * import map of the page can then say where it is.
   */
  readonly load?: (() => Promise<object>) | undefined;
  /**
   * Limits a fragment to 2^slotBits textures. For tests: 2 on a GPU that can write eight.
   * @internal
   */
  readonly slotBits?: SlotBits | undefined;
}

/**
 * Most elements. Each takes 24 bytes of the GPU's memory, or 44 with a position, and WebGL2 does
 * not say how much memory there is.
 */
const MAX_ELEMENTS = 2 ** 24;

/**
 * Sorts by a bitonic network in WebGL2 fragment shaders. It takes all key types and options, in
 * browsers with WebGL2, in pages and in workers. It needs the npm package gpu.js, which it loads
 * when it is probed. gpu.js sets globals, which are restored.
 *
 * - Costs: O(n log² n). Each pass reads and writes 4 bytes a key, or 8 with its position. There are
 *   about log n (log n - 3) / 6 passes, or log n (log n - 1) / 6 with positions, and half as many
 *   again on GPUs that write four textures at a time instead of eight. n is the length, rounded up
 *   to a power of two of at least 256.
 * - What is sorted: keys of up to 32 bits, sorted alone, go through the network as they are. All
 *   else becomes a permutation, by one sort for each 32 bits of each column, and the caller's
 *   thread gathers by it: 64-bit keys, pairs, argsort, key bits, and segments, whose numbers are
 *   one more column.
 * - Stability: permutations and pairs are stable, with the position as a tie-break.
 * - Length: at most 2^24 keys, or twice the texels of the largest square texture.
 * - Memory: 24 bytes a key on the GPU, 44 with positions, and 4 bytes a key of the host's. It is
 *   kept until `release()`.
 * - Context: one, opened at the first sort. One that is lost is replaced at the next request.
 *   Requests are served one after the other.
 * - The calling thread: it copies in and out, in slices of about 5 ms, records the passes, and is
 *   free while the GPU sorts. The first sort also makes the shaders, which `warmUp` does ahead of
 *   it. A result of more than one slice is written piece by piece. Then an abort comes too late,
 *   and an array that is detached or shrunk meanwhile rejects with a TypeError and is written in
 *   part.
 *
 * ```ts
 * const gpu = webgl2({ load: () => import('gpu.js') });
 * const sorter = await createSorter({ backends: [gpu, builtin()] });
 * await sorter.sort(Float32Array.of(3, -1, 2), { backend: 'webgl2' }); // -1, 2, 3
 * ```
 *
 * Source: Batcher, "Sorting networks and their applications", 1968.
 * @throws TypeError for a `load` that is not a function, and for other options.
 */
export function webgl2(options?: Webgl2Options): Backend {
  const checked = readOptions<Webgl2Options>(options, ['load', 'slotBits']);
  const { load } = checked;
  if (load !== undefined && typeof load !== 'function') {
    throw new TypeError(`load must be a function, () => import('gpu.js'), got ${describe(load)}`);
  }
  return new Webgl2Backend(checked);
}

class Webgl2Backend implements Backend {
  readonly name = 'webgl2';
  readonly #options: Webgl2Options;
  readonly #turns = new RequestQueue();
  readonly #memory = new WordMemory();
  /** The properties of this machine's contexts, once one was opened. */
  #facts: ContextFacts | undefined;
  /** gpu.js, once it was loaded. */
  #library: GpuLibrary | undefined;
  #engine: Engine | undefined;
  #closed = false;

  constructor(options: Webgl2Options) {
    this.#options = options;
  }

  async probe(): Promise<Probe> {
    try {
      const facts = this.#inspect();
      if (typeof facts === 'string') return { available: false, reason: facts };
      // A backend is probed when it is about to be used, and only loading shows what is there.
      await this.#load();
      const { renderer, software } = facts;
      const description = `${renderer} (WebGL2), up to ${this.#maxLength()} keys`;
      return { available: true, capabilities: { description, software, threads: 0 } };
    } catch (error) {
      if (error instanceof BackendUnavailableError) {
        return { available: false, reason: error.reason };
      }
      return { available: false, reason: `its probe failed: ${String(error)}`, cause: error };
    }
  }

  maxLength(_shape: RequestShape): number {
    return this.#maxLength();
  }

  async sort(request: SortRequest): Promise<SortOutcome> {
    if (this.#closed) throw new ClosedError('the webgl2 backend');
    if (request.signal?.aborted) throw request.signal.reason;
    const lifecycle = new GpuRequest(request, readClock);
    return lifecycle.answer(this.#turns.serve(request, () => this.#serve(request, lifecycle)));
  }

  async #serve(request: SortRequest, lifecycle: GpuRequest): Promise<SortOutcome> {
    const { length } = request.shape;
    const facts = this.#inspect();
    if (typeof facts === 'string') throw new BackendUnavailableError('webgl2', facts);
    if (length > this.#maxLength()) {
      const reason = `${length} keys are over its limit of ${this.#maxLength()}`;
      throw new BackendUnavailableError('webgl2', reason);
    }
    if (this.#engine?.isLost) this.#drop();
    if (this.#engine === undefined) lifecycle.enter('start');
    const engine = await this.#open();
    try {
      const outcome = await serve(engine, request, lifecycle, this.#memory);
      return { ...outcome, milliseconds: lifecycle.stop(), threads: 0 };
    } catch (cause) {
      const error =
        cause instanceof Failure
          ? new BackendFailedError('webgl2', cause.message, { cause })
          : cause;
      // Its state is unknown: the next request gets another.
      if (error instanceof BackendFailedError || error instanceof BackendUnavailableError) {
        this.#drop();
      }
      throw error;
    }
  }

  /** Opens a context to inspect, once. A failure is not kept: the next call tries again. */
  #inspect(): ContextFacts | string {
    if (this.#facts !== undefined) return this.#facts;
    const gl = openContext();
    if (typeof gl === 'string') return gl;
    const facts = inspect(gl);
    dropContext(gl);
    if (typeof facts !== 'string') this.#facts = facts;
    return facts;
  }

  /** The most keys that this machine's textures hold. A texel is four words; a wide key is two. */
  #maxLength(): number {
    const { maxTextureSize = MAX_ELEMENTS } = this.#facts ?? {};
    return Math.min(MAX_ELEMENTS, 2 * 4 ** Math.floor(Math.log2(maxTextureSize)));
  }

  async #load(): Promise<GpuLibrary> {
    this.#library ??= await loadLibrary(this.#options.load);
    return this.#library;
  }

  async #open(): Promise<Engine> {
    if (this.#closed) throw new ClosedError('the webgl2 backend');
    this.#engine ??= Engine.open(await this.#load(), this.#options.slotBits);
    return this.#engine;
  }

  #drop(): void {
    this.#engine?.close();
    this.#engine = undefined;
  }

  async warmUp(maxLength: number): Promise<void> {
    if (this.#closed) throw new ClosedError('the webgl2 backend');
    // A sort like any other: it compiles the kernels, and its memory is kept.
    const keys = Uint32Array.from({ length: Math.max(2, maxLength) }, (_, i) => i ^ 1);
    await this.sort(plainRequest('sort', keys));
  }

  async release(): Promise<void> {
    await this.#turns.after(async () => {
      this.#memory.release();
      this.#engine?.release();
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
