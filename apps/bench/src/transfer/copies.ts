/** The plainest way of an array to a GPU and back, which transfers are compared with. */

import { BufferUsage, MapMode } from '../gpu/device/buffers.js';

const { MAP_READ, MAP_WRITE, COPY_SRC, COPY_DST } = BufferUsage;

/** Buffers of one length that are mapped as a whole, one after the other. */
export class RoundTrip {
  readonly #device: GPUDevice;
  readonly #up: GPUBuffer;
  readonly #there: GPUBuffer;
  readonly #down: GPUBuffer;
  readonly #bytes: number;

  constructor(device: GPUDevice, length: number) {
    const size = 4 * length;
    this.#device = device;
    this.#bytes = size;
    this.#up = device.createBuffer({ size, usage: MAP_WRITE | COPY_SRC });
    this.#there = device.createBuffer({ size, usage: COPY_SRC | COPY_DST });
    this.#down = device.createBuffer({ size, usage: MAP_READ | COPY_DST });
  }

  /** Copies `source` to the GPU and back into `target`. */
  async run(target: Uint32Array, source: Uint32Array): Promise<void> {
    await this.#up.mapAsync(MapMode.WRITE);
    new Uint32Array(this.#up.getMappedRange()).set(source);
    this.#up.unmap();
    this.#copy(this.#up, this.#there);
    this.#copy(this.#there, this.#down);
    await this.#down.mapAsync(MapMode.READ);
    target.set(new Uint32Array(this.#down.getMappedRange()));
    this.#down.unmap();
  }

  destroy(): void {
    for (const buffer of [this.#up, this.#there, this.#down]) buffer.destroy();
  }

  #copy(from: GPUBuffer, to: GPUBuffer): void {
    const encoder = this.#device.createCommandEncoder();
    encoder.copyBufferToBuffer(from, 0, to, 0, this.#bytes);
    this.#device.queue.submit([encoder.finish()]);
  }
}
