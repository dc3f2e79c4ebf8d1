/**
 * The chained scan: the sort of more keys than a workgroup holds, on devices whose subgroups have
 * a known size. Adinets and Merrill, "Onesweep: a faster least significant digit radix sort for
 * GPUs", 2022.
 *
 *   histogram → digit starts → sweep × digits → copy back
 *
 * Every pass reads and writes a key once. What is found out on the GPU stays there: a pass that is
 * left out is dispatched all the same, and its workgroups return at once.
 */

import { keyTraits } from '@keysweep/core';
import { CONSTANTS, maxPassesOf, THREADS, type Widths } from '@keysweep/kernels/wgsl';
import { BufferUsage } from '../device/usage.js';
import {
  type DeviceSort,
  makeBuffer,
  type PingPong,
  PLAN_BYTES,
  pingPong,
  type RecordBuffers,
  scratchBuffers,
} from './device-sort.js';
import { type Pipelines, pipelinesFor } from './pipelines.js';
import type { Shape, Shapes, Tuning } from './tuning.js';
import {
  type CountBinding,
  numberBinding,
  numberTable,
  type OrderOptions,
  offsetOf,
  orderBuffer,
} from './uniforms.js';

const { RADIX, TILE_COUNTERS, HISTOGRAM_KEYS, COPY_BACK_GROUPS } = CONSTANTS;

/** Most workgroups of the histogram: they keep a large GPU's memory busy, and are soon added up. */
const MAX_HISTOGRAM_GROUPS = 1056;
const HISTOGRAM_CHUNK = THREADS * HISTOGRAM_KEYS;

/** A shape, and the pipelines that are compiled for it. */
interface ShapePipelines {
  readonly shape: Shape;
  /** Keys of a workgroup. */
  readonly tile: number;
  readonly pipelines: Pipelines;
}

export class ChainedScanSort implements DeviceSort {
  readonly bytes: number;
  readonly plan: GPUBuffer;
  readonly #maxCount: number;
  readonly #maxFew: number;
  readonly #maxPasses: number;
  /** Whether the first pass may be unstable: keys that are equal then are the same. */
  readonly #isFirstUnstable: boolean;
  readonly #few: ShapePipelines;
  readonly #many: ShapePipelines;
  readonly #buffers: readonly GPUBuffer[];
  readonly #scratch: RecordBuffers;
  readonly #passGroup: GPUBindGroup;
  readonly #digitStartsGroup: GPUBindGroup;
  readonly #slotGroup: GPUBindGroup;

  constructor(
    device: GPUDevice,
    options: OrderOptions,
    widths: Widths,
    { few, many }: Shapes,
    tuning: Tuning,
  ) {
    const { keyWords, valueWords } = widths;
    const { maxCount } = options;
    // Without values the order of two NaNs shows nowhere.
    const hasNanTies = valueWords > 0 && keyTraits(options.keyType).kind === 'float';
    const compiledFor = (shape: Shape): ShapePipelines => {
      const { lookLimit, stalledTile } = tuning;
      const chained = { ...shape, lookLimit, stalledTile, hasNanTies };
      const pipelines = pipelinesFor(device, { ...widths, chained });
      return { shape, tile: shape.threads * shape.keys, pipelines };
    };
    this.#maxCount = maxCount;
    this.#maxFew = tuning.maxFew;
    this.#maxPasses = maxPassesOf(keyWords);
    this.#isFirstUnstable = valueWords === 0 && options.keyBits === undefined;
    this.#few = compiledFor(few);
    this.#many = compiledFor(many);

    const { STORAGE, COPY_SRC } = BufferUsage;
    const maxTiles = Math.max(
      Math.ceil(Math.min(maxCount, this.#maxFew) / this.#few.tile),
      maxCount > this.#maxFew ? Math.ceil(maxCount / this.#many.tile) : 0,
    );
    const scanStateWords = TILE_COUNTERS + RADIX * (2 * this.#maxPasses + maxTiles);
    const order = orderBuffer(device, options);
    const scanState = makeBuffer(device, 'scan state', 4 * scanStateWords);
    this.plan = makeBuffer(device, 'plan', PLAN_BYTES, STORAGE | COPY_SRC);
    const scratch = scratchBuffers(device, widths, maxCount);
    this.#buffers = [order, scanState, this.plan, ...scratch];
    this.bytes = this.#buffers.reduce((sum, { size }) => sum + size, 0);
    this.#scratch = scratch.map((buffer) => ({ buffer }));

    const { pipelines } = this.#few;
    const state = [{ buffer: order }, { buffer: this.plan }, { buffer: scanState }];
    this.#passGroup = pipelines.group('pass', state);
    this.#digitStartsGroup = pipelines.group('digitStarts', state);
    this.#slotGroup = pipelines.group('slot', [numberBinding(numberTable(device))]);
  }

  compile(): void {
    const kernels = ['histogram', 'digitStarts', 'sweep', 'copyBack'] as const;
    const used = this.#maxCount > this.#maxFew ? [this.#few, this.#many] : [this.#few];
    for (const { pipelines } of used) {
      for (const kernel of kernels) pipelines.get(kernel);
      if (this.#isFirstUnstable) pipelines.get('firstSweep');
    }
  }

  bind(caller: RecordBuffers): PingPong {
    return pingPong(this.#few.pipelines, caller, this.#scratch);
  }

  record(
    pass: GPUComputePassEncoder,
    { toScratch, toCaller }: PingPong,
    count: CountBinding,
    most: number,
  ): void {
    const { shape, tile, pipelines } = most > this.#maxFew ? this.#many : this.#few;
    pass.setBindGroup(0, this.#passGroup);
    pass.setBindGroup(1, count.group, count.offsets);
    pass.setBindGroup(2, toScratch);
    pass.setPipeline(pipelines.get('histogram'));
    pass.dispatchWorkgroups(Math.min(MAX_HISTOGRAM_GROUPS, Math.ceil(most / HISTOGRAM_CHUNK)));

    pass.setBindGroup(0, this.#digitStartsGroup);
    pass.setPipeline(pipelines.get('digitStarts'));
    pass.dispatchWorkgroups(1);

    pass.setBindGroup(0, this.#passGroup);
    const groups = Math.min(shape.groups, Math.ceil(most / tile));
    for (let slot = 0; slot < this.#maxPasses; slot++) {
      pass.setBindGroup(1, this.#slotGroup, [offsetOf(slot)]);
      pass.setBindGroup(2, slot % 2 === 0 ? toScratch : toCaller);
      pass.setPipeline(pipelines.get(slot === 0 && this.#isFirstUnstable ? 'firstSweep' : 'sweep'));
      pass.dispatchWorkgroups(groups);
    }
    pass.setBindGroup(2, toCaller);
    pass.setPipeline(pipelines.get('copyBack'));
    pass.dispatchWorkgroups(Math.min(COPY_BACK_GROUPS, Math.ceil(most / tile)));
  }

  destroy(): void {
    for (const buffer of this.#buffers) buffer.destroy();
  }
}
