/** The way to the GPU: the host copies one piece while the GPU copies the ones before. */

import type { Watch } from '../device/errors.js';
import type { Session } from '../device/session.js';
import type { GpuCourse } from './gpu-lifecycle.js';
import type { Loans } from './leases.js';
import type { Memory } from './memory.js';
import { roomFor } from './pool.js';
import type { UploadBuffer } from './upload-buffer.js';
import type { Words } from './words.js';

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
  readonly #course: GpuCourse;
  /** By size: those that take turns, the next one first. */
  readonly #rings = new Map<number, UploadBuffer[]>();

  constructor({ device, memory }: Session, loans: Loans, watch: Watch, course: GpuCourse) {
    this.#queue = device.queue;
    this.#memory = memory;
    this.#loans = loans;
    this.#watch = watch;
    this.#course = course;
  }

  /**
   * Brings those of `loads` that are large, piece by piece, each submitted and watched. Pauses only if there are any.
   * @throws what GpuCourse and Watch throw.
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
