/**
 * The way to the GPU: the caller's elements as words, copied in pieces while the GPU copies
 * earlier ones.
 */

import type { GpuRequest } from '@keysweep/core';
import {
  type BitsArray,
  bitsOf,
  type KeyType,
  keyTraits,
  nextTask,
  type TypedArray,
} from '@keysweep/core';
import type { ErrorScopes } from '../device/errors.js';
import { type Leases, type MemoryLimits, stagingSize, type UploadBuffer } from './pool.js';
import type { Target } from './readback.js';
import type { Session } from './session.js';

/** How far narrow keys are shifted up, so that their sign is where a 32-bit key has its own. */
export const shiftOf = (keyType: KeyType): number => 32 - Math.min(32, keyTraits(keyType).bits);

/** Words of an element in a GPU buffer. */
export const wordsPer = (array: TypedArray): 1 | 2 => (array.BYTES_PER_ELEMENT === 8 ? 2 : 1);

/**
 * Elements on their way to the GPU: their bits as 32-bit words, narrow ones shifted up by `shift`.
 * A view; `fill` and `whole` copy.
 */
export class Words {
  readonly #bits: BitsArray;
  readonly #shift: number;

  constructor(array: TypedArray, shift: number) {
    this.#bits = bitsOf(array);
    this.#shift = shift;
  }

  get length(): number {
    return this.#bits.length;
  }

  get byteLength(): number {
    return 4 * this.length;
  }

  /** Fills `target` with words, beginning with word `first`. */
  fill(target: Uint32Array, first: number): void {
    const bits = this.#bits;
    if (bits instanceof Uint32Array) {
      target.set(bits.subarray(first, first + target.length));
      return;
    }
    const shift = this.#shift;
    for (let i = 0; i < target.length; i++) target[i] = (bits[first + i] as number) << shift;
  }

  /**
   * All words, as `writeBuffer` takes them: a view where that will do. Browsers refuse resizable
   * memory there, and Dawn for Node ends the process for shared memory.
   */
  whole(): Uint32Array<ArrayBuffer> {
    const bits = this.#bits;
    const { buffer }: { buffer: ArrayBufferLike & { readonly resizable?: boolean } } = bits;
    if (bits instanceof Uint32Array && buffer instanceof ArrayBuffer && !buffer.resizable) {
      return bits as Uint32Array<ArrayBuffer>;
    }
    const words = new Uint32Array(this.length);
    this.fill(words, 0);
    return words;
  }
}

/** Words, and the buffer at whose beginning they belong. */
export interface Load {
  readonly words: Words;
  readonly target: GPUBuffer;
  /** What the result is written to, if that is where the words come from. */
  readonly overwritten?: Target | undefined;
}

/** Brings the words of one piece of work into GPU buffers. */
export class Upload {
  readonly #queue: GPUQueue;
  readonly #memory: MemoryLimits;
  readonly #leases: Leases;
  readonly #scopes: ErrorScopes;
  readonly #lifecycle: GpuRequest;
  /** The buffers that take turns, by size; the next one is first. */
  readonly #rings = new Map<number, UploadBuffer[]>();
  /** The buffers that keep what was in a target, one a piece. */
  readonly #kept = new Map<Target, UploadBuffer[]>();

  constructor(
    { device, memory }: Session,
    leases: Leases,
    scopes: ErrorScopes,
    lifecycle: GpuRequest,
  ) {
    this.#queue = device.queue;
    this.#memory = memory;
    this.#leases = leases;
    this.#scopes = scopes;
    this.#lifecycle = lifecycle;
  }

  /**
   * Brings the large ones of `loads` piece by piece, each in a submit of its own. Pauses
   * only where there are any.
   * @throws what the lifecycle and the error scopes throw.
   */
  async large(loads: readonly Load[]): Promise<void> {
    for (const load of loads) if (this.#isLarge(load)) await this.#inPieces(load);
  }

  /** Brings the others at once. */
  small(loads: readonly Load[]): void {
    for (const load of loads) if (!this.#isLarge(load)) this.write(load);
  }

  /** Brings `load`, whatever its size, at once. */
  write({ words, target }: Load): void {
    this.#queue.writeBuffer(target, 0, words.whole());
  }

  /** The pieces of what was in `target`, if they are kept until the end. */
  keptOf(target: Target): readonly UploadBuffer[] | undefined {
    return this.#kept.get(target);
  }

  #isLarge({ words }: Load): boolean {
    return words.byteLength >= this.#memory.stagedFrom;
  }

  async #inPieces({ words, target, overwritten }: Load): Promise<void> {
    const { byteLength } = words;
    const size = Math.min(stagingSize(byteLength), this.#memory.pieceBytes);
    const isKept = overwritten !== undefined && this.#memory.keepsOriginals;
    const used: UploadBuffer[] = [];
    if (isKept) this.#kept.set(overwritten, used);
    for (let offset = 0; offset < byteLength; offset += size) {
      const next = this.#scopes.run(() =>
        isKept ? this.#leases.uploadBuffer(size) : this.#next(size),
      );
      used.push(next);
      await this.#scopes.wait(next.ready);
      // Other work gets its turn, also where all buffers are ready.
      if (offset > 0) await nextTask();
      // The array may have been detached meanwhile.
      this.#lifecycle.goOn();
      const bytes = Math.min(size, byteLength - offset);
      const fill = (range: Uint32Array): void => words.fill(range, offset / 4);
      this.#scopes.run(() => next.send(bytes, fill, target, offset));
    }
  }

  #next(size: number): UploadBuffer {
    const ring = this.#rings.get(size) ?? [];
    this.#rings.set(size, ring);
    const isFull = ring.length === this.#memory.uploadBuffers;
    const next = isFull ? (ring.shift() as UploadBuffer) : this.#leases.uploadBuffer(size);
    ring.push(next);
    return next;
  }
}
