/** Plain copies: what arrays cost on their way to a GPU and back when nothing else is done. */

import { median } from '@keysweep/conformance/statistics';

const MAP_READ = 0x1;
const MAP_WRITE = 0x2;
const COPY_SRC = 0x4;
const COPY_DST = 0x8;
const READ_MODE = 0x1;
const WRITE_MODE = 0x2;

const MIB = 2 ** 20;

/** Copies all of `source`, at most `step` elements by one call. */
function copySlices(target: Uint32Array, source: Uint32Array, step: number): void {
  for (let at = 0; at < source.length; at += step) {
    target.set(source.subarray(at, at + step), at);
  }
}

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

  /** Milliseconds of each part, medians, by slices of so many bytes. */
  async parts(target: Uint32Array, source: Uint32Array, slices: readonly number[]): Promise<void> {
    const row = (name: string, times: readonly number[]): void =>
      console.log(`  ${name.padEnd(44)}${median(times).toFixed(1).padStart(8)} ms`);
    const { queue } = this.#device;
    for (const slice of slices) {
      const step = slice / 4;
      const plain: number[] = [];
      const written: number[] = [];
      const mapped: number[] = [];
      const up: number[] = [];
      const down: number[] = [];
      for (let sample = -1; sample < 5; sample++) {
        const time = async (list: number[], work: () => unknown): Promise<void> => {
          const start = performance.now();
          await work();
          if (sample >= 0) list.push(performance.now() - start);
        };
        await time(plain, () => copySlices(target, source, step));
        await this.#up.mapAsync(WRITE_MODE);
        const range = new Uint32Array(this.#up.getMappedRange());
        await time(written, () => copySlices(range, source, step));
        this.#up.unmap();
        await time(up, () => {
          this.#copy(this.#up, this.#there);
          return queue.onSubmittedWorkDone();
        });
        await time(down, () => {
          this.#copy(this.#there, this.#down);
          return this.#down.mapAsync(READ_MODE);
        });
        const read = new Uint32Array(this.#down.getMappedRange());
        await time(mapped, () => copySlices(target, read, step));
        this.#down.unmap();
      }
      const name = slice >= this.#bytes ? 'at once' : `by ${slice / MIB} MiB`;
      row(`array to array, ${name}`, plain);
      row(`array to a mapped upload buffer, ${name}`, written);
      row(`mapped readback buffer to array, ${name}`, mapped);
      if (slice < this.#bytes) continue;
      row('upload buffer to the GPU', up);
      row('from the GPU, and mapped', down);
    }
    const fresh: number[] = [];
    for (let sample = 0; sample < 5; sample++) {
      const start = performance.now();
      source.slice();
      fresh.push(performance.now() - start);
    }
    row('array to a new array', fresh);
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
