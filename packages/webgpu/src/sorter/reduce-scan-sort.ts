/**
 * Reduce-then-scan: the sort of more keys than a workgroup holds, on devices without any feature.
 *
 *   survey → plan → (upsweep → spine → downsweep) × digits → copy back
 *
 * No workgroup waits for another, so no device can hang. What the plan finds out stays on the GPU:
 * a pass that it leaves out is dispatched with no workgroups.
 */

import { CONSTANTS, LAYOUTS, maxPassesOf, THREADS, tileOf } from '@keysweep/kernels/wgsl';
import { BufferUsage } from '../device/usage.js';
import {
  type DeviceSort,
  INDIRECT_AT,
  makeBuffer,
  type PingPong,
  PLAN_BYTES,
  pingPong,
  type RecordBuffers,
  recordsIn,
  scratchBuffers,
} from './device-sort.js';
import { type LabelledWidths, type Pipelines, pipelinesFor } from './pipelines.js';
import {
  type CountBinding,
  named,
  numberBinding,
  numberTable,
  type OrderOptions,
  offsetOf,
  orderBuffer,
} from './uniforms.js';

const { RADIX, DISPATCH_WORDS, SURVEY_KEYS } = CONSTANTS;

const DISPATCH_BYTES = 4 * DISPATCH_WORDS;

/** More blocks would lengthen the spine and give no device more to do at a time. */
const MAX_BLOCKS = 2048;

/** The part of the records' memory that the spine may take: see RadixSorter.scratchBytes. */
const SPINE_SHARE = 0.025;

/** Most workgroups of the survey: enough to keep a large GPU's memory busy. */
const MAX_SURVEY_GROUPS = 1024;

/** Keys of a survey's workgroup, at least: four chunks. */
const SURVEY_GROUP_KEYS = 4 * THREADS * SURVEY_KEYS;

export class ReduceScanSort implements DeviceSort {
  readonly bytes: number;
  readonly plan: GPUBuffer;
  readonly scratch: readonly GPUBuffer[];
  readonly #pipelines: Pipelines;
  readonly #buffers: readonly GPUBuffer[];
  readonly #scratch: RecordBuffers;
  readonly #maxPasses: number;
  readonly #surveyGroups: number;
  readonly #passGroup: GPUBindGroup;
  readonly #planGroup: GPUBindGroup;
  readonly #slotGroup: GPUBindGroup;

  /** `room`: the records that scratch is made for. */
  constructor(
    device: GPUDevice,
    options: OrderOptions,
    widths: LabelledWidths,
    room: number = options.maxCount,
  ) {
    const { keyWords, valueWords } = widths;
    const { maxCount } = options;
    const recordBytes = 4 * (keyWords + valueWords);
    const tile = tileOf(keyWords);
    const minTiles = Math.ceil((4 * RADIX) / (SPINE_SHARE * tile * recordBytes));
    const maxBlocks = Math.min(MAX_BLOCKS, Math.ceil(maxCount / (tile * minTiles)));
    const spineBytes = 4 * RADIX * (maxBlocks + 1);
    // The key ranges of the survey lie where the spine will.
    const surveyGroups = Math.min(
      MAX_SURVEY_GROUPS,
      Math.ceil(maxCount / SURVEY_GROUP_KEYS),
      Math.floor(spineBytes / (LAYOUTS.KeyRange.size * keyWords)),
    );
    this.#surveyGroups = surveyGroups;
    this.#maxPasses = maxPassesOf(keyWords);

    const { STORAGE, INDIRECT, COPY_SRC } = BufferUsage;
    const order = orderBuffer(device, options, { maxBlocks, minTiles, surveyGroups });
    const spine = makeBuffer(device, named('spine', widths), spineBytes);
    const usage = STORAGE | INDIRECT | COPY_SRC;
    this.plan = makeBuffer(device, named('plan', widths), PLAN_BYTES, usage);
    this.scratch = scratchBuffers(device, widths, room, options.scratch);
    this.#buffers = [order, spine, this.plan, ...(options.scratch ? [] : this.scratch)];
    this.bytes = this.#buffers.reduce((sum, { size }) => sum + size, 0);
    this.#scratch = recordsIn(this.scratch, widths, 0, maxCount);

    this.#pipelines = pipelinesFor(device, widths);
    const plan = { buffer: this.plan, size: INDIRECT_AT };
    const indirect = { buffer: this.plan, offset: INDIRECT_AT };
    this.#passGroup = this.#pipelines.group('pass', [{ buffer: order }, plan, { buffer: spine }]);
    this.#planGroup = this.#pipelines.group('plan', [
      { buffer: order },
      { buffer: spine },
      plan,
      indirect,
    ]);
    this.#slotGroup = this.#pipelines.group('slot', [numberBinding(numberTable(device))]);
  }

  compile(): void {
    const kernels = ['survey', 'plan', 'upsweep', 'spine', 'downsweep', 'copyBack'] as const;
    for (const kernel of kernels) this.#pipelines.get(kernel);
  }

  bind(caller: RecordBuffers): PingPong {
    return pingPong(this.#pipelines, caller, this.#scratch);
  }

  record(
    pass: GPUComputePassEncoder,
    { toScratch, toCaller }: PingPong,
    count: CountBinding,
  ): void {
    const pipelines = this.#pipelines;
    pass.setBindGroup(0, this.#passGroup);
    pass.setBindGroup(1, count.group, count.offsets);
    pass.setBindGroup(2, toScratch);
    pass.setPipeline(pipelines.get('survey'));
    pass.dispatchWorkgroups(this.#surveyGroups);

    pass.setBindGroup(0, this.#planGroup);
    pass.setPipeline(pipelines.get('plan'));
    pass.dispatchWorkgroups(1);

    pass.setBindGroup(0, this.#passGroup);
    // Per slot, the plan has a dispatch of the blocks and one of the spine.
    for (let slot = 0; slot < this.#maxPasses; slot++) {
      const blocksAt = INDIRECT_AT + 2 * slot * DISPATCH_BYTES;
      pass.setBindGroup(1, this.#slotGroup, [offsetOf(slot)]);
      pass.setBindGroup(2, slot % 2 === 0 ? toScratch : toCaller);
      pass.setPipeline(pipelines.get('upsweep'));
      pass.dispatchWorkgroupsIndirect(this.plan, blocksAt);
      pass.setPipeline(pipelines.get('spine'));
      pass.dispatchWorkgroupsIndirect(this.plan, blocksAt + DISPATCH_BYTES);
      pass.setPipeline(pipelines.get('downsweep'));
      pass.dispatchWorkgroupsIndirect(this.plan, blocksAt);
    }
    pass.setBindGroup(2, toCaller);
    pass.setPipeline(pipelines.get('copyBack'));
    pass.dispatchWorkgroupsIndirect(this.plan, INDIRECT_AT + 2 * this.#maxPasses * DISPATCH_BYTES);
  }

  destroy(): void {
    for (const buffer of this.#buffers) buffer.destroy();
  }
}
