/** The engine: it does jobs on one WebGL2 context, through the kernels of gpu.js. */

import { BackendUnavailableError } from '@keysweep/core';
import { type ContextFacts, dropContext, inspect, openContext } from './context/context.js';
import { Readback, whenDone } from './context/readback.js';
import { WordTexture } from './context/word-texture.js';
import { Failure } from './failure.js';
import { integerKernel } from './gpujs/integer-kernel.js';
import {
  type Kernels,
  makeKernels,
  notWebGL2,
  slotArguments,
  type TextureBits,
} from './gpujs/kernels.js';
import type { GpuInstance, GpuLibrary } from './gpujs/library.js';
import { type Column, type Job, keyOrder, type Sorted } from './job.js';
import {
  type ChannelBits,
  columnBitsOf,
  LEAST_BITS,
  type Network,
  packPlaces,
  planNetwork,
  type SlotBits,
} from './network/plan.js';

/** The stage of a job. */
export type Stage = 'upload' | 'sort' | 'readback';

/** A texture of 2^bits texels. */
const textureBits = (bits: number): TextureBits => {
  const columnBits = columnBitsOf(bits);
  return { columnBits, rowBits: bits - columnBits };
};

/** A texture of 2^bits words, four a texel. */
const wordTextureBits = (bits: number): TextureBits => textureBits(bits - 2);

/** Elements of the self-test: every byte in every channel, and stages over slots and positions. */
const TEST_LENGTH = 256;

/** The sort on one context. */
export class Engine {
  readonly facts: ContextFacts;
  readonly #gl: WebGL2RenderingContext;
  readonly #gpu: GpuInstance;
  readonly #words: WordTexture;
  readonly #order: WordTexture;
  readonly #readback: Readback;
  /** By whether records have positions. Those in here have passed the self-test. */
  readonly #kernels: Map<boolean, Kernels> = new Map();

  /**
   * Opens a context. A fragment writes at most 2^maxSlotBits textures.
   * @throws BackendUnavailableError where there is none, or gpu.js does not run on it.
   */
  static open(library: GpuLibrary, maxSlotBits: SlotBits = 3): Engine {
    const gl = openContext();
    if (typeof gl === 'string') throw new BackendUnavailableError('webgl2', gl);
    try {
      const facts = inspect(gl);
      if (typeof facts === 'string') throw new BackendUnavailableError('webgl2', facts);
      const slotBits = Math.min(facts.slotBits, maxSlotBits) as SlotBits;
      return new Engine(library, gl, { ...facts, slotBits });
    } catch (error) {
      dropContext(gl);
      throw error;
    }
  }

  private constructor(library: GpuLibrary, gl: WebGL2RenderingContext, facts: ContextFacts) {
    if (!library.WebGL2Kernel.isSupported) {
      throw new BackendUnavailableError('webgl2', 'gpu.js finds no WebGL2 here');
    }
    // gpu.js has opened a context to find that out, and keeps it.
    if (library.WebGL2Kernel.testContext !== gl) dropContext(library.WebGL2Kernel.testContext);
    this.#gl = gl;
    this.facts = facts;
    // gpu.js gives its canvas the size of its largest texture, and a browser would allocate that
    // much: hence an object that only looks like a canvas.
    const canvas = { width: 1, height: 1 };
    this.#gpu = new library.GPU({ mode: 'webgl2', context: gl, canvas });
    if (this.#gpu.Kernel !== library.WebGL2Kernel) throw notWebGL2();
    this.#gpu.Kernel = integerKernel(library);
    this.#words = new WordTexture(gl, library);
    this.#order = new WordTexture(gl, library);
    this.#readback = new Readback(gl);
  }

  /** Whether the context is lost. The engine can then no longer be used. */
  get isLost(): boolean {
    return this.#gl.isContextLost();
  }

  /**
   * Does `job`. Calls `onStage` before each stage.
   * @throws Failure; BackendUnavailableError where the GPU fails the self-test; what `onStage`
   *   throws.
   */
  async sort(job: Job, onStage: (stage: Stage) => void): Promise<Sorted> {
    const paired = job.wanted === 'permutation';
    if (!this.#kernels.has(paired)) await this.#selfTest(paired);
    return this.#sort(job, this.#kernels.get(paired) as Kernels, onStage);
  }

  /** Releases memory; the engine stays usable. */
  release(): void {
    for (const [paired, kernels] of this.#kernels) {
      resize(kernels, LEAST_BITS, this.#positionBits(LEAST_BITS, paired));
    }
    for (const texture of [this.#words, this.#order]) texture.resize(textureBits(0));
    this.#readback.release();
  }

  /** Releases the context, and all that is on it. */
  close(): void {
    dropContext(this.#gl);
  }

  /**
   * Makes the kernels, and sorts words whose order is known. A GPU that changes a byte, or with
   * which gpu.js does something else than it should, would sort wrongly without an error.
   */
  async #selfTest(paired: boolean): Promise<void> {
    const kernels = makeKernels(this.#gpu, { paired, slotBits: this.facts.slotBits });
    const wanted = paired ? 'permutation' : 'keys';
    // 167 is odd: every byte comes once in each of a word's four.
    const wordAt = (i: number): number => ((i * 167) & 255) * 0x01010101;
    const words = Uint32Array.from({ length: TEST_LENGTH }, (_, i) => wordAt(i));
    const column: Column = {
      words,
      wordsPer: 1,
      order: keyOrder('u32', 'ascending', wanted),
    };
    const job: Job = { length: TEST_LENGTH, wanted, columns: [column] };
    const { words: sorted } = await this.#sort(job, kernels, () => {});
    const isRight = sorted.every((found, i) => (paired ? wordAt(found) : found) === i * 0x01010101);
    if (!isRight) {
      throw new BackendUnavailableError('webgl2', 'the GPU sorts known words into a wrong order');
    }
    this.#kernels.set(paired, kernels);
  }

  async #sort(job: Job, kernels: Kernels, onStage: (stage: Stage) => void): Promise<Sorted> {
    const { length, columns } = job;
    const bits = Math.max(LEAST_BITS, Math.ceil(Math.log2(length)));
    const paired = job.wanted === 'permutation';
    const network = planNetwork(bits, this.facts.slotBits, channelBitsOf(paired));
    const positionBits = this.#positionBits(bits, paired);
    resize(kernels, bits, positionBits);
    if (paired) this.#order.resize(wordTextureBits(bits));
    let rounds = 0;
    // Least significant column first: what comes after keeps ties in order.
    for (const column of columns.toReversed()) {
      onStage('upload');
      this.#words.resize(wordTextureBits(bits + column.wordsPer - 1));
      this.#words.upload(column.words);
      onStage('sort');
      for (const low of halvesOf(column)) {
        const isOrdered = rounds++ > 0;
        if (isOrdered) this.#order.copyFrom(kernels.store.framebuffer);
        const round = { bits, positionBits, count: length, column, low, isOrdered };
        this.#draw(round, kernels, network);
      }
    }
    this.#readback.request(kernels.store.framebuffer, wordTextureBits(bits).columnBits, length);
    const words = await this.#fetch(job, onStage);
    // Load and store are a pass each.
    return { words, passes: rounds * (network.passes.length + 2) };
  }

  /** Waits for the words that were requested. They take the memory of the job's, if these fit. */
  async #fetch(job: Job, onStage: (stage: Stage) => void): Promise<Sorted['words']> {
    await whenDone(this.#gl, this.facts.software);
    this.#assertNoError();
    onStage('readback');
    const [{ words: uploaded }] = job.columns;
    const words = uploaded.length === job.length ? uploaded : new Uint32Array(job.length);
    this.#readback.take(words);
    // Reading from a lost context gives zeros, without an error.
    this.#assertNoError();
    return words;
  }

  /**
   * Draws all passes of a round. The GPU runs them one after the other; nothing here waits for it.
   */
  #draw(round: Round, { load, merge, store }: Kernels, { passes, places }: Network): void {
    const { bits, positionBits, count, column, low, isOrdered } = round;
    const { columnBits: slotBits } = textureBits(positionBits);
    const ordered = Number(isOrdered);
    const order = this.#order.argument;
    load.draw({
      ...column.order,
      words: this.#words.argument,
      order,
      count,
      wide: column.wordsPer - 1,
      low,
      ordered,
      wordBits: this.#words.columnBits,
      orderBits: this.#order.columnBits,
      slotBits,
      positionBits,
    });
    let { slots } = load;
    for (const [i, pass] of passes.entries()) {
      const kernel = merge[(i % 2) as 0 | 1];
      kernel.draw({ ...slotArguments(slots), ...pass, slotBits });
      slots = kernel.slots;
    }
    store.draw({
      ...column.order,
      ...slotArguments(slots),
      order,
      ordered,
      wordBits: wordTextureBits(bits).columnBits,
      slotBits,
      positionBits,
      places0: packPlaces(places.slice(0, 6)),
      places1: packPlaces(places.slice(6, 12)),
      places2: packPlaces(places.slice(12, 18)),
      places3: packPlaces(places.slice(18)),
    });
  }

  /** Bits of an element's number that are its fragment's position. */
  #positionBits(bits: number, paired: boolean): number {
    return bits - this.facts.slotBits - channelBitsOf(paired);
  }

  /** @throws Failure where the context is lost, or WebGL2 has an error to report. */
  #assertNoError(): void {
    const gl = this.#gl;
    if (gl.isContextLost()) throw new Failure('the WebGL2 context was lost');
    const error = gl.getError();
    if (error === gl.NO_ERROR) return;
    const what =
      error === gl.OUT_OF_MEMORY ? 'the GPU has no memory for it' : `WebGL2 error ${error}`;
    throw new Failure(what);
  }
}

/** One sort: by a column of one word a key, or by one half of a column of two. */
interface Round {
  readonly bits: number;
  readonly positionBits: number;
  readonly count: number;
  readonly column: Column;
  /** 1 for the low half. */
  readonly low: 0 | 1;
  /** Whether earlier rounds have made an order, in which this one reads the keys. */
  readonly isOrdered: boolean;
}

/** The halves of a column's keys that can decide, the low one first. */
const halvesOf = ({ wordsPer, order }: Column): readonly (0 | 1)[] =>
  wordsPer === 2 && order.maskLow !== 0 ? [1, 0] : [0];

/**
 * Bits of an element's number that are its channel: a texel is four keys, or two with positions.
 */
const channelBitsOf = (paired: boolean): ChannelBits => (paired ? 1 : 2);

/** Allocates the kernels' textures for 2^bits elements. */
function resize({ load, merge, store }: Kernels, bits: number, positionBits: number): void {
  for (const kernel of [load, ...merge]) kernel.resize(textureBits(positionBits));
  store.resize(wordTextureBits(bits));
}
