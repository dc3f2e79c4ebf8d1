/** A buffer that the host fills and the GPU copies from, time and again. */

import { OutOfMemory } from '../device/errors.js';
import { BufferUsage, MapMode } from '../device/usage.js';
import type { Holder } from './pool.js';

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
