/** The plainest way of an array to a GPU and back, which transfers are compared with. */

const MAP_READ = 0x1;
const MAP_WRITE = 0x2;
const COPY_SRC = 0x4;
const COPY_DST = 0x8;
const READ_MODE = 0x1;
const WRITE_MODE = 0x2;

/** Buffers of one length that are mapped by turns, each whole: the plainest way there and back. */
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
    await this.#up.mapAsync(WRITE_MODE);
    new Uint32Array(this.#up.getMappedRange()).set(source);
    this.#up.unmap();
    this.#copy(this.#up, this.#there);
    this.#copy(this.#there, this.#down);
    await this.#down.mapAsync(READ_MODE);
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
