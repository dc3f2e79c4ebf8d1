/** The way to the GPU: the host copies one piece while the GPU copies the ones before. */

import type { Course } from './course.js';
import type { Loans } from './loans.js';
import type { Memory } from './memory.js';
import { type Holder, roomFor } from './pool.js';
import type { Session } from './session.js';
import { BufferUsage, MapMode } from './usage.js';
import { OutOfMemory, type Watch } from './watch.js';
import type { Words } from './words.js';

const { MAP_WRITE, COPY_SRC } = BufferUsage;

/** The host's memory that the GPU copies from. The host may write to it, or soon may again. */
export class UploadBuffer implements Holder {
  readonly isStaging = true;
  readonly #device: GPUDevice;
  readonly #buffer: GPUBuffer;
  #mapped: Promise<unknown> = Promise.resolve();

  constructor(device: GPUDevice, size: number) {
    this.#device = device;
    try {
      this.#buffer = device.createBuffer({
        label: 'keysweep upload',
        size,
        usage: MAP_WRITE | COPY_SRC,
        mappedAtCreation: true,
      });
    } catch (error) {
      // What lacks for the mapping is memory of the host's, of which no error scope tells.
      if (!(error instanceof RangeError)) throw error;
      throw new OutOfMemory(error.message, { cause: error });
    }
  }

  get bytes(): number {
    return this.#buffer.size;
  }

  /** Resolves when it can be sent; rejects when it was destroyed. */
  get ready(): Promise<unknown> {
    return this.#mapped;
  }

  /** Has `fill` write `bytes`, and the GPU copy them to `target` at `offset`. */
  send(bytes: number, fill: (words: Uint32Array) => void, target: GPUBuffer, offset: number): void {
    const { queue } = this.#device;
    fill(new Uint32Array(this.#buffer.getMappedRange(0, bytes)));
    this.#buffer.unmap();
    const encoder = this.#device.createCommandEncoder({ label: 'keysweep upload' });
    encoder.copyBufferToBuffer(this.#buffer, 0, target, offset, bytes);
    queue.submit([encoder.finish()]);
    // At once, so that whoever comes next, in this sort or another, need not wait.
    this.#mapped = this.#buffer.mapAsync(MapMode.WRITE);
    // It may be destroyed with nobody waiting.
    this.#mapped.catch(() => {});
  }

  destroy(): void {
    this.#buffer.destroy();
  }
}

/** Words, and the buffer at whose beginning they belong. */
export interface Load {
  readonly words: Words;
  readonly target: GPUBuffer;
}

/** Brings the words of one piece of work into GPU buffers. */
export class Upload {
  readonly #queue: GPUQueue;
  readonly #memory: Memory;
  readonly #loans: Loans;
  readonly #watch: Watch;
  readonly #course: Course;
  /** By size: those that take turns, the next one first. */
  readonly #rings = new Map<number, UploadBuffer[]>();

  constructor({ device, memory }: Session, loans: Loans, watch: Watch, course: Course) {
    this.#queue = device.queue;
    this.#memory = memory;
    this.#loans = loans;
    this.#watch = watch;
    this.#course = course;
  }

  /**
   * Brings those of `loads` that are large, piece by piece, each submitted and watched. Pauses only if there are any.
   * @throws what Course and Watch throw.
   */
  async large(loads: readonly Load[]): Promise<void> {
    for (const load of loads) if (this.#isLarge(load)) await this.#stage(load);
  }

  /** Brings the others at once. */
  small(loads: readonly Load[]): void {
    for (const load of loads) if (!this.#isLarge(load)) this.write(load);
  }

  /** Brings `load`, whatever its size, at once. */
  write({ words, target }: Load): void {
    this.#queue.writeBuffer(target, 0, words.whole());
  }

  #isLarge({ words }: Load): boolean {
    return words.byteLength >= this.#memory.stagedFrom;
  }

  async #stage({ words, target }: Load): Promise<void> {
    const { byteLength } = words;
    const size = Math.min(roomFor(byteLength), this.#memory.pieceBytes);
    for (let offset = 0; offset < byteLength; offset += size) {
      const next = this.#watch.during(() => this.#next(size));
      await this.#watch.settled(next.ready);
      // The array may have been taken away meanwhile.
      this.#course.goOn();
      const bytes = Math.min(size, byteLength - offset);
      const fill = (range: Uint32Array): void => words.fill(range, offset / 4);
      this.#watch.during(() => next.send(bytes, fill, target, offset));
    }
  }

  #next(size: number): UploadBuffer {
    const ring = this.#rings.get(size) ?? [];
    this.#rings.set(size, ring);
    const isFull = ring.length === this.#memory.uploadBuffers;
    const next = isFull ? (ring.shift() as UploadBuffer) : this.#loans.uploadBuffer(size);
    ring.push(next);
    return next;
  }
}
