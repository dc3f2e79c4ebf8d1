/** Sorting on one WebGL2 context, in a page or in a worker. */

import { BackendUnavailableError } from '@keysweep/core';
import { Failure } from '../failure.js';
import { type Column, type Job, keyOrder, type Sorted } from '../job.js';
import {
  type ChannelBits,
  columnBitsOf,
  LEAST_BITS,
  type Network,
  packed,
  planNetwork,
  type SlotBits,
} from '../network/plan.js';
import { type ContextFacts, dropContext, inspect, openContext } from './context.js';
import { integerKernel } from './integer-kernel.js';
import {
  type Kernels,
  makeKernels,
  notWebGL2,
  slotArguments,
  type TextureBits,
} from './kernels.js';
import type { GpuInstance, GpuLibrary } from './library.js';
import { Readback, WordTexture, whenDone } from './word-texture.js';

/** What a job is at. */
export type Stage = 'upload' | 'sort' | 'readback';

/** A texture of 2^bits texels. */
const textureBits = (bits: number): TextureBits => {
  const columnBits = columnBitsOf(bits);
  return { columnBits, rowBits: bits - columnBits };
};

/** A texture of 2^bits words, four a texel. */
const wordTextureBits = (bits: number): TextureBits => textureBits(bits - 2);

/** Elements of a proof: enough for every byte in every channel, and stages over slot and position. */
const PROOF_LENGTH = 256;

export class Engine {
  readonly facts: ContextFacts;
  readonly #gl: WebGL2RenderingContext;
  readonly #gpu: GpuInstance;
  readonly #words: WordTexture;
  readonly #order: WordTexture;
  readonly #readback: Readback;
  /** By whether records have their position. */
  readonly #kernels: Map<boolean, Kernels> = new Map();

  /**
   * Opens a context. A fragment writes at most 2^mostSlotBits textures.
   * @throws BackendUnavailableError
   */
  static open(library: GpuLibrary, mostSlotBits: SlotBits = 3): Engine {
    const gl = openContext();
    if (typeof gl === 'string') throw new BackendUnavailableError('webgl2', gl);
    const facts = inspect(gl);
    try {
      if (typeof facts === 'string') throw new BackendUnavailableError('webgl2', facts);
      const slotBits = Math.min(facts.slotBits, mostSlotBits) as SlotBits;
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
    // It has opened a context for that, and needs it no more.
    if (library.WebGL2Kernel.testContext !== gl) dropContext(library.WebGL2Kernel.testContext);
    this.#gl = gl;
    this.facts = facts;
    // gpu.js gives the canvas the size of its largest texture, and the browser would allocate it: a stand-in has none.
    const canvas = { width: 1, height: 1 };
    this.#gpu = new library.GPU({ mode: 'webgl2', context: gl, canvas });
    if (this.#gpu.Kernel !== library.WebGL2Kernel) throw notWebGL2();
    this.#gpu.Kernel = integerKernel(library);
    this.#words = new WordTexture(gl, library);
    this.#order = new WordTexture(gl, library);
    this.#readback = new Readback(gl);
  }

  /** Whether the context is lost: the engine is then of no use any more. */
  get isLost(): boolean {
    return this.#gl.isContextLost();
  }

  /**
   * Does `job`; tells of each stage before it begins.
   * @throws Failure, BackendUnavailableError; what `onStage` throws.
   */
  async sort(job: Job, onStage: (stage: Stage) => void): Promise<Sorted> {
    const paired = job.wanted === 'permutation';
    if (!this.#kernels.has(paired)) await this.#prove(paired);
    return this.#sort(job, this.#kernels.get(paired) as Kernels, onStage);
  }

  /** Gives memory back; the engine stays usable. */
  release(): void {
    for (const [paired, kernels] of this.#kernels) {
      resize(kernels, LEAST_BITS, this.#positionBits(LEAST_BITS, paired));
    }
    for (const texture of [this.#words, this.#order]) texture.resize(textureBits(0));
    this.#readback.release();
  }

  /** Gives the context back, and all that is on it. */
  close(): void {
    dropContext(this.#gl);
  }

  /**
   * Makes the kernels, and has them sort words whose order is known: on a GPU that writes a byte otherwise than it was
   * told, or has gpu.js do something else than it should, nothing could be relied on.
   */
  async #prove(paired: boolean): Promise<void> {
    const kernels = makeKernels(this.#gpu, { paired, slotBits: this.facts.slotBits });
    // 167 is odd: every byte comes once in each of a word's four.
    const wordAt = (i: number): number => ((i * 167) & 255) * 0x01010101;
    const words = Uint32Array.from({ length: PROOF_LENGTH }, (_, i) => wordAt(i));
    const column: Column = {
      words,
      wordsPer: 1,
      order: keyOrder('u32', 'ascending', undefined, !paired),
    };
    const job: Job = {
      length: PROOF_LENGTH,
      wanted: paired ? 'permutation' : 'keys',
      columns: [column],
    };
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
    await whenDone(this.#gl, this.facts.software);
    this.#assertWell();
    onStage('readback');
    // Into memory that has come with the job, if it fits: it is on the GPU by now.
    const [{ words: uploaded }] = columns;
    const words = uploaded.length === length ? uploaded : new Uint32Array(length);
    this.#readback.take(words);
    // What is read from a lost context is all zeros, and nobody says so.
    this.#assertWell();
    // To load and to store is a pass each.
    return { words, passes: rounds * (network.passes.length + 2) };
  }

  /** All passes of a round. The GPU runs them one behind the other; nothing here waits for it. */
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
      places0: packed(places.slice(0, 6)),
      places1: packed(places.slice(6, 12)),
      places2: packed(places.slice(12, 18)),
      places3: packed(places.slice(18)),
    });
  }

  /** Bits of an element's number that are its position. */
  #positionBits(bits: number, paired: boolean): number {
    return bits - this.facts.slotBits - channelBitsOf(paired);
  }

  /** @throws Failure */
  #assertWell(): void {
    const gl = this.#gl;
    if (gl.isContextLost()) throw new Failure('the WebGL2 context was lost');
    const error = gl.getError();
    if (error === gl.NO_ERROR) return;
    const what =
      error === gl.OUT_OF_MEMORY ? 'the GPU has no memory for it' : `WebGL2 error ${error}`;
    throw new Failure(what);
  }
}

/** One pass through the network: over a column of words, or over a half of one of two words a key. */
interface Round {
  readonly bits: number;
  readonly positionBits: number;
  readonly count: number;
  readonly column: Column;
  /** 1 for the low half. */
  readonly low: 0 | 1;
  /** Whether rounds before have made an order. */
  readonly isOrdered: boolean;
}

/** The halves of a column's keys that decide, the lower one first. */
const halvesOf = ({ wordsPer, order }: Column): readonly (0 | 1)[] =>
  wordsPer === 2 && order.maskLow !== 0 ? [1, 0] : [0];

/** Bits of an element's number that are its place in a texel: four keys, or two with their positions. */
const channelBitsOf = (paired: boolean): ChannelBits => (paired ? 1 : 2);

/** Gives the kernels textures for 2^bits elements. */
function resize({ load, merge, store }: Kernels, bits: number, positionBits: number): void {
  for (const kernel of [load, ...merge]) kernel.resize(textureBits(positionBits));
  store.resize(wordTextureBits(bits));
}
