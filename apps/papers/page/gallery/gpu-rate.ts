/** Measures a sort of a paper beside RadixSorter, on keys that are in GPU buffers already. */

import { gpuName } from '@keysweep/compare/device/facts.js';
import { openDevice } from '@keysweep/compare/measure/gpu-device.js';
import { Random } from '@keysweep/conformance/data';
import { type Algorithm, PaperSorter } from '@keysweep/papers';
import { RadixSorter, webgpu } from '@keysweep/webgpu';
import type { Rate } from './rate.js';
import { medianOfTurns, type Timed } from './turns.js';

/** Keys of a sort on a GPU, and on a program that stands for one. */
const COUNT = 2 ** 20;
const SOFTWARE_COUNT = 2 ** 11;

/** Sorts behind one another in a sample: the way to the GPU is shared by them. */
const SORTS = 8;

/** Milliseconds of a sort: those of a sample through its sorts. */
export async function gpuRate(algorithm: Algorithm, turns: number, seed: number): Promise<Rate> {
  const backend = webgpu();
  const probe = await backend.probe();
  await backend.close();
  if (!probe.available) throw new Error(`this browser has no WebGPU: ${probe.reason}`);
  const { software: isSoftware, description } = probe.capabilities;
  const count = Math.min(algorithm.maxLength, isSoftware ? SOFTWARE_COUNT : COUNT);
  const device = await openDevice();
  try {
    device.pushErrorScope('validation');
    const hasValues = algorithm.isForPairs === true;
    const theirs = PaperSorter.create(device, algorithm, { count, hasValues });
    const ours = await RadixSorter.create(device, {
      keyType: 'u32',
      valueType: hasValues ? 'u32' : undefined,
      maxCount: count,
    });
    const bench = new Bench(device, count, seed);
    const times = await medianOfTurns(turns, [
      bench.timed((encoder, buffers) => theirs.encode(encoder, buffers), hasValues),
      bench.timed((encoder, buffers) => ours.encode(encoder, { ...buffers, count }), hasValues),
    ]);
    const error = await device.popErrorScope();
    if (error !== null) throw new Error(`the GPU refused: ${error.message}`);
    const where = isSoftware ? 'a software renderer' : gpuName(description);
    return { count, where, isSoftware, theirs: times[0], ours: times[1] };
  } finally {
    device.destroy();
  }
}

interface Buffers {
  readonly keys: GPUBuffer;
  readonly values: GPUBuffer | undefined;
}

/** Keys on a device, sorted again and again from copies. */
class Bench {
  readonly #device: GPUDevice;
  readonly #sorted: Uint32Array;
  readonly #source: GPUBuffer;
  readonly #keys: GPUBuffer;
  readonly #values: GPUBuffer;

  constructor(device: GPUDevice, count: number, seed: number) {
    const { STORAGE, COPY_SRC, COPY_DST } = GPUBufferUsage;
    const keys = new Random(seed, count).fill(new Uint32Array(count));
    const [size, usage] = [keys.byteLength, STORAGE | COPY_SRC | COPY_DST];
    this.#device = device;
    this.#sorted = keys.slice().sort();
    this.#source = device.createBuffer({ size, usage });
    this.#keys = device.createBuffer({ size, usage });
    this.#values = device.createBuffer({ size, usage });
    device.queue.writeBuffer(this.#source, 0, keys);
  }

  /** A sample; its result is compared. */
  timed(encode: (encoder: GPUCommandEncoder, buffers: Buffers) => void, hasValues: boolean): Timed {
    const buffers = { keys: this.#keys, values: hasValues ? this.#values : undefined };
    return async () => {
      const encoder = this.#device.createCommandEncoder();
      for (let i = 0; i < SORTS; i++) {
        encoder.copyBufferToBuffer(this.#source, 0, this.#keys, 0, this.#keys.size);
        encode(encoder, buffers);
      }
      const commands = encoder.finish();
      await this.#device.queue.onSubmittedWorkDone();
      const start = performance.now();
      this.#device.queue.submit([commands]);
      await this.#device.queue.onSubmittedWorkDone();
      const milliseconds = (performance.now() - start) / SORTS;
      await this.#check();
      return milliseconds;
    };
  }

  async #check(): Promise<void> {
    const { MAP_READ, COPY_DST } = GPUBufferUsage;
    const { size } = this.#keys;
    const staging = this.#device.createBuffer({ size, usage: MAP_READ | COPY_DST });
    const encoder = this.#device.createCommandEncoder();
    encoder.copyBufferToBuffer(this.#keys, 0, staging, 0, size);
    this.#device.queue.submit([encoder.finish()]);
    await staging.mapAsync(GPUMapMode.READ);
    const keys = new Uint32Array(staging.getMappedRange());
    const isWrong = keys.some((key, i) => key !== this.#sorted[i]);
    staging.destroy();
    if (isWrong) throw new Error('a result was wrong');
  }
}
