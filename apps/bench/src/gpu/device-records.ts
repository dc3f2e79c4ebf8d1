/** Random records in GPU buffers, which never were the host's: the input, and a copy that is sorted. */

import type { RadixSortArguments } from '@keysweep/webgpu';
import { BufferUsage, readBuffer, recorded } from './machine.js';
import { faultOf, type Sorted } from './order.js';

/** Key types that are measured: words of a key, and the WGSL expression of word `i`. */
export const KEY_TYPES = {
  u32: { words: 1, word: 'random(i)' },
  // Whole numbers between -2^31 and 2^31: no NaN, no -0.
  f32: { words: 1, word: 'bitcast<u32>(f32(bitcast<i32>(random(i))))' },
  u64: { words: 2, word: 'random(i)' },
} as const;

export type MeasuredType = keyof typeof KEY_TYPES;

/** What is sorted. */
export interface RecordShape {
  readonly keyType: MeasuredType;
  /** Whether every key has its index as a payload. */
  readonly hasValues: boolean;
  readonly length: number;
}

export class DeviceRecords {
  /** What to sort, all of it. */
  readonly args: RadixSortArguments;
  readonly #device: GPUDevice;
  readonly #shape: RecordShape;
  readonly #seed: GPUBuffer;
  /** Buffers of the input, with the ones that they are copied to. */
  readonly #parts: readonly { readonly from: GPUBuffer; readonly to: GPUBuffer }[];
  readonly #fillKeys: (encoder: GPUCommandEncoder) => void;

  constructor(device: GPUDevice, shape: RecordShape) {
    const { keyType, hasValues, length } = shape;
    const { words, word } = KEY_TYPES[keyType];
    this.#device = device;
    this.#shape = shape;
    this.#seed = device.createBuffer({
      size: 4,
      usage: BufferUsage.UNIFORM | BufferUsage.COPY_DST,
    });
    const usage = BufferUsage.STORAGE | BufferUsage.COPY_SRC | BufferUsage.COPY_DST;
    const pair = (size: number) => ({
      from: device.createBuffer({ size, usage }),
      to: device.createBuffer({ size, usage }),
    });
    const keys = pair(4 * words * length);
    const values = hasValues ? pair(4 * length) : undefined;
    this.#parts = [keys, ...(values === undefined ? [] : [values])];
    this.args = { keys: keys.to, values: values?.to, count: length };
    this.#fillKeys = fill(device, keys.from, word, this.#seed);
    if (values !== undefined) {
      const fillValues = fill(device, values.from, 'i', this.#seed);
      device.queue.submit([recorded(device, fillValues)]);
    }
  }

  /** Submits new input, which `seed` decides. */
  refresh(seed: number): void {
    const { queue } = this.#device;
    queue.writeBuffer(this.#seed, 0, Uint32Array.of(seed));
    queue.submit([recorded(this.#device, this.#fillKeys)]);
  }

  /** Records the copy of the input to where it is sorted. */
  copy(encoder: GPUCommandEncoder): void {
    for (const { from, to } of this.#parts) {
      encoder.copyBufferToBuffer(from, 0, to, 0, from.size);
    }
  }

  /** What is wrong with the records after a sort, if anything. */
  async fault(): Promise<string | undefined> {
    const { keyType } = this.#shape;
    const [keys, values] = this.#parts;
    if (keys === undefined) return undefined;
    const View = keyType === 'f32' ? Float32Array : Uint32Array;
    const sorted: Sorted = {
      width: KEY_TYPES[keyType].words,
      before: new View(await readBuffer(this.#device, keys.from)),
      after: new View(await readBuffer(this.#device, keys.to)),
      values: values && new Uint32Array(await readBuffer(this.#device, values.to)),
    };
    return faultOf(sorted);
  }

  destroy(): void {
    this.#seed.destroy();
    for (const { from, to } of this.#parts) {
      from.destroy();
      to.destroy();
    }
  }
}

const THREADS = 256;
const MOST_WORKGROUPS = 2048;

/** What records a dispatch that writes the WGSL expression `word` to every word of `buffer`. */
function fill(
  device: GPUDevice,
  buffer: GPUBuffer,
  word: string,
  seed: GPUBuffer,
): (encoder: GPUCommandEncoder) => void {
  // PCG: Jarzynski and Olano, "Hash functions for GPU rendering", 2020. Two of them, for one alone would be a
  // permutation of the indices, without ties.
  const code = `
    @group(0) @binding(0) var<storage, read_write> words: array<u32>;
    @group(0) @binding(1) var<uniform> seed: u32;
    fn hash(input: u32) -> u32 {
      let state = input * 747796405u + 2891336453u;
      let word = ((state >> ((state >> 28u) + 4u)) ^ state) * 277803737u;
      return (word >> 22u) ^ word;
    }
    fn random(i: u32) -> u32 { return hash(i ^ seed) ^ hash(hash(i) + seed); }
    @compute @workgroup_size(${THREADS}) fn fill(
      @builtin(global_invocation_id) invocation: vec3u,
      @builtin(num_workgroups) groups: vec3u,
    ) {
      _ = seed; // so that every layout has it
      for (var i = invocation.x; i < arrayLength(&words); i += ${THREADS}u * groups.x) {
        words[i] = ${word};
      }
    }`;
  const module = device.createShaderModule({ code });
  const pipeline = device.createComputePipeline({ layout: 'auto', compute: { module } });
  const group = device.createBindGroup({
    layout: pipeline.getBindGroupLayout(0),
    entries: [buffer, seed].map((bound, binding) => ({ binding, resource: { buffer: bound } })),
  });
  return (encoder) => {
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, group);
    pass.dispatchWorkgroups(Math.min(MOST_WORKGROUPS, Math.ceil(buffer.size / 4 / THREADS)));
    pass.end();
  };
}
