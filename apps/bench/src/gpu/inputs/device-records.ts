/** Records in GPU buffers, which never were the host's: the input, and a copy that is sorted. */

import { classOf, type Random } from '@keysweep/conformance/data';
import { faultOfGather, faultOfKeys, faultOfOrder } from '@keysweep/conformance/verify';
import type { RadixSortArguments } from '@keysweep/webgpu';
import { BufferUsage, readBuffer, recorded } from '../device/buffers.js';
import { compileLoop, partsOf } from '../device/compute.js';
import type { Recording } from '../device/task.js';
import {
  DRAW,
  type GpuDistribution,
  KEY_WORDS,
  type MeasuredType,
  wordExpression,
} from './distributions.js';

/** What is sorted. */
export interface RecordShape {
  readonly keyType: MeasuredType;
  /** Whether every key has its index as a payload. */
  readonly hasValues: boolean;
  readonly length: number;
}

interface Part {
  readonly from: GPUBuffer;
  readonly to: GPUBuffer;
}

/** Inputs that can be recorded; then seeds repeat. */
const SEEDS = 4096;

export class DeviceRecords {
  /** What to sort, all of it. */
  readonly args: RadixSortArguments;
  readonly #device: GPUDevice;
  readonly #shape: RecordShape;
  /** Seeds of inputs to come, and the one of this input. */
  readonly #seeds: GPUBuffer;
  readonly #seed: GPUBuffer;
  #inputs = 0;
  /** Buffers of the input, with the ones that they are copied to. */
  readonly #parts: readonly [keys: Part, ...values: Part[]];
  readonly #fills: ReadonlyMap<GpuDistribution, Recording>;

  /**
   * Allocates, and compiles what makes keys of any of `distributions` from seeds of `random`. If
   * there are none, the caller writes the keys.
   */
  constructor(
    device: GPUDevice,
    shape: RecordShape,
    distributions: readonly GpuDistribution[],
    random: Random,
  ) {
    const { keyType, hasValues, length } = shape;
    this.#device = device;
    this.#shape = shape;
    const { STORAGE, UNIFORM, COPY_SRC, COPY_DST } = BufferUsage;
    this.#seeds = device.createBuffer({ size: 4 * SEEDS, usage: COPY_SRC | COPY_DST });
    this.#seed = device.createBuffer({ size: 4, usage: UNIFORM | COPY_DST });
    device.queue.writeBuffer(this.#seeds, 0, random.fill(new Uint32Array(SEEDS)));
    const usage = STORAGE | COPY_SRC | COPY_DST;
    const part = (size: number): Part => ({
      from: device.createBuffer({ size, usage }),
      to: device.createBuffer({ size, usage }),
    });
    const keys = part(4 * KEY_WORDS[keyType] * length);
    const values = hasValues ? part(4 * length) : undefined;
    this.#parts = values === undefined ? [keys] : [keys, values];
    this.args = { keys: keys.to, values: values?.to, count: length };
    this.#fills = new Map(
      distributions.map((distribution) => [
        distribution,
        fill(device, keys.from, wordExpression(keyType, distribution, length), this.#seed),
      ]),
    );
    if (values !== undefined) {
      device.queue.submit([recorded(device, fill(device, values.from, 'i', this.#seed))]);
    }
  }

  /** The keys as they are before the sort, and after. */
  get keys(): Part {
    return this.#parts[0];
  }

  /** Records that there is new input, different each time. */
  refresh(distribution: GpuDistribution, encoder: GPUCommandEncoder): void {
    const fillKeys = this.#fills.get(distribution);
    if (fillKeys === undefined) throw new Error(`nothing was compiled for ${distribution} keys`);
    encoder.copyBufferToBuffer(this.#seeds, 4 * (this.#inputs++ % SEEDS), this.#seed, 0, 4);
    fillKeys(encoder);
  }

  /** Records the copy of the input to where it is sorted. */
  copy(encoder: GPUCommandEncoder): void {
    for (const { from, to } of this.#parts) {
      encoder.copyBufferToBuffer(from, 0, to, 0, from.size);
    }
  }

  /** What is wrong with the records after a sort, if anything, as the host sees it. */
  async fault(): Promise<string | undefined> {
    const { keyType } = this.#shape;
    const [keys, values] = this.#parts;
    const { create } = classOf(keyType);
    const before = create(await readBuffer(this.#device, keys.from));
    const after = create(await readBuffer(this.#device, keys.to));
    if (values === undefined) return faultOfKeys(after, before);
    const rows = new Uint32Array(await readBuffer(this.#device, values.to));
    return faultOfOrder([before], rows) ?? faultOfGather(after, before, rows);
  }

  destroy(): void {
    this.#seeds.destroy();
    this.#seed.destroy();
    for (const { from, to } of this.#parts) {
      from.destroy();
      to.destroy();
    }
  }
}

/** What records that the WGSL expression `word` is written to every word of `buffer`. */
function fill(device: GPUDevice, buffer: GPUBuffer, word: string, seed: GPUBuffer): Recording {
  const loops = partsOf(device, buffer.size / 4).map(({ start, count }) =>
    compileLoop(device, {
      declarations: `
        @group(0) @binding(0) var<storage, read_write> words: array<u32>;
        @group(0) @binding(1) var<uniform> seed: u32;
        ${DRAW}`,
      // So that every layout has it.
      before: '_ = seed;',
      each: `
        let at = i;
        {
          let i = ${start}u + at;
          words[at] = ${word};
        }`,
      count,
      resources: [{ buffer, offset: 4 * start, size: 4 * count }, { buffer: seed }],
    }),
  );
  return (encoder) => {
    for (const loop of loops) loop(encoder);
  };
}
