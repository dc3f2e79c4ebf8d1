/**
 * Sorting what one workgroup can't: reduce-then-scan radix passes for devices without any feature.
 *
 *   survey → plan → (upsweep → spine → downsweep) × digits → copy back
 *
 * No workgroup waits for another, so that no device can hang. What the plan finds out stays on the
 * GPU: passes that it leaves out are dispatched with no workgroups.
 */

import { BufferUsage } from '../device/usage.js';
import type { Given } from './command-numbers.js';
import { numberBinding, numberTable, offsetOf } from './command-numbers.js';
import { RADIX, SURVEY_CHUNK, tileOf, type Widths } from './constants.js';
import { type OrderOptions, orderBuffer } from './order.js';
import { type Pipelines, pipelinesFor } from './pipelines.js';

/** Bytes of `Plan` and of the indirect arguments behind it: kernels/wgsl/fragments/order.wgsl, reduce-then-scan/plan.wgsl. */
const INDIRECT_AT = 512;
export const STATE_BYTES = 768;
const DISPATCH_BYTES = 12;

/** More blocks would lengthen the spine and give no device more to do at a time. */
const MOST_BLOCKS = 2048;

/** The part of the records that the spine may take: see RadixSorter.scratchBytes. */
const SPINE_SHARE = 0.025;

/** Workgroups that survey the keys: enough to keep a large GPU's memory busy. */
const MOST_SURVEYORS = 1024;
const CHUNKS_PER_SURVEYOR = 4;

/** Records in GPU buffers: keys first, then values if there are any. */
export type Records = readonly GPUBufferBinding[];

/** A way to sort more keys than one workgroup can: it records, and holds the memory that its sorts share. */
export interface Recorder {
  /** Bytes of GPU memory held. */
  readonly bytes: number;
  /** `Plan` of kernels/wgsl/fragments/order.wgsl, once a recorded sort has run. */
  readonly plan: GPUBuffer;
  /** Compiles now what `record` would compile. */
  compile(): void;
  /** The bind groups that go with `home`, the buffers that hold the input and get the result. */
  bind(home: Records): Moves;
  /** Records a sort of what `given` says, `most` keys at most. */
  record(pass: GPUComputePassEncoder, moves: Moves, given: Given, most: number): void;
  destroy(): void;
}

export class LargeSort implements Recorder {
  readonly bytes: number;
  readonly plan: GPUBuffer;
  readonly #pipelines: Pipelines;
  readonly #buffers: readonly GPUBuffer[];
  readonly #away: Records;
  readonly #maxPasses: number;
  readonly #surveyors: number;
  readonly #passGroup: GPUBindGroup;
  readonly #planGroup: GPUBindGroup;
  readonly #slotGroup: GPUBindGroup;

  constructor(device: GPUDevice, options: OrderOptions, widths: Widths) {
    const { keyWords, valueWords } = widths;
    const { maxCount } = options;
    const recordBytes = 4 * (keyWords + valueWords);
    const tile = tileOf(keyWords);
    const minTiles = Math.ceil((4 * RADIX) / (SPINE_SHARE * tile * recordBytes));
    const maxBlocks = Math.min(MOST_BLOCKS, Math.ceil(maxCount / (tile * minTiles)));
    const spineBytes = 4 * RADIX * (maxBlocks + 1);
    // The surveyors' findings, of four words each, lie where the spine will.
    this.#surveyors = Math.min(
      MOST_SURVEYORS,
      Math.ceil(maxCount / (CHUNKS_PER_SURVEYOR * SURVEY_CHUNK)),
      Math.floor(spineBytes / (16 * keyWords)),
    );
    this.#maxPasses = 4 * keyWords;

    const { STORAGE, INDIRECT, COPY_SRC } = BufferUsage;
    const make = (label: string, size: number, usage: number): GPUBuffer =>
      device.createBuffer({ label: `keysweep ${label}`, size, usage });
    const surveyors = this.#surveyors;
    const order = orderBuffer(device, options, { maxBlocks, minTiles, surveyors });
    const spine = make('spine', spineBytes, STORAGE);
    this.plan = make('plan', STATE_BYTES, STORAGE | INDIRECT | COPY_SRC);
    const away = [make('scratch keys', 4 * keyWords * maxCount, STORAGE)];
    if (valueWords > 0) away.push(make('scratch values', 4 * valueWords * maxCount, STORAGE));
    this.#buffers = [order, spine, this.plan, ...away];
    this.bytes = this.#buffers.reduce((sum, { size }) => sum + size, 0);
    this.#away = away.map((buffer) => ({ buffer }));

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
    for (const kernel of ['survey', 'plan', 'upsweep', 'spine', 'downsweep', 'copyBack'] as const) {
      this.#pipelines.get(kernel);
    }
  }

  bind(home: Records): Moves {
    const between = (from: Records, to: Records): GPUBindGroup =>
      this.#pipelines.group(
        'pingPong',
        from.flatMap((source, i) => [source, to[i] as GPUBufferBinding]),
      );
    return { toAway: between(home, this.#away), toHome: between(this.#away, home) };
  }

  record(pass: GPUComputePassEncoder, { toAway, toHome }: Moves, given: Given): void {
    const pipelines = this.#pipelines;
    pass.setBindGroup(0, this.#passGroup);
    pass.setBindGroup(1, given.group, given.offsets);
    pass.setBindGroup(2, toAway);
    pass.setPipeline(pipelines.get('survey'));
    pass.dispatchWorkgroups(this.#surveyors);

    pass.setBindGroup(0, this.#planGroup);
    pass.setPipeline(pipelines.get('plan'));
    pass.dispatchWorkgroups(1);

    pass.setBindGroup(0, this.#passGroup);
    // Per slot, the plan has a dispatch of the blocks and one of the spine.
    for (let slot = 0; slot < this.#maxPasses; slot++) {
      const blocksAt = INDIRECT_AT + 2 * slot * DISPATCH_BYTES;
      pass.setBindGroup(1, this.#slotGroup, [offsetOf(slot)]);
      pass.setBindGroup(2, slot % 2 === 0 ? toAway : toHome);
      pass.setPipeline(pipelines.get('upsweep'));
      pass.dispatchWorkgroupsIndirect(this.plan, blocksAt);
      pass.setPipeline(pipelines.get('spine'));
      pass.dispatchWorkgroupsIndirect(this.plan, blocksAt + DISPATCH_BYTES);
      pass.setPipeline(pipelines.get('downsweep'));
      pass.dispatchWorkgroupsIndirect(this.plan, blocksAt);
    }
    pass.setBindGroup(2, toHome);
    pass.setPipeline(pipelines.get('copyBack'));
    pass.dispatchWorkgroupsIndirect(this.plan, INDIRECT_AT + 2 * this.#maxPasses * DISPATCH_BYTES);
  }

  destroy(): void {
    for (const buffer of this.#buffers) buffer.destroy();
  }
}

/** Bind groups of records on their way between the caller's buffers and scratch. */
export interface Moves {
  readonly toAway: GPUBindGroup;
  readonly toHome: GPUBindGroup;
}
