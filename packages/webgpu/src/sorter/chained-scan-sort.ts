/**
 * Sorting what one workgroup can't, on devices whose subgroups have a known size: a chained scan for each digit.
 *
 *   histogram → digit starts → sweep × digits → copy back
 *
 * Every pass reads and writes a key once. What is found out on the GPU stays there: passes that it leaves out find
 * nothing to do. After Adinets and Merrill, "Onesweep: a faster least significant digit radix sort for GPUs", 2022.
 */

import { keyTraits } from '@keysweep/core';
import { BufferUsage } from '../device/usage.js';
import { type Given, numberBinding, numberTable, offsetOf } from './command-numbers.js';
import { RADIX, type Widths } from './constants.js';
import { type OrderOptions, orderBuffer } from './order.js';
import { type Pipelines, pipelinesFor } from './pipelines.js';
import { type Moves, type Recorder, type Records, STATE_BYTES } from './reduce-scan-sort.js';
import type { Shape, Shapes, Tuning } from './tuning.js';

/** Words in front of the totals: kernels/wgsl/fragments/scan-state.wgsl. */
const TICKETS = 16;

/** Workgroups of the histogram: enough to keep a large GPU's memory busy, few enough to add up soon. */
const MOST_COUNTERS = 1056;
const HISTOGRAM_CHUNK = 2 ** 11;

const MOST_COPY_BACK_GROUPS = 2048;

/** A way of cutting arrays, and its kernels. */
interface Cut {
  readonly shape: Shape;
  readonly tile: number;
  readonly pipelines: Pipelines;
}

export class ChainedSort implements Recorder {
  readonly bytes: number;
  readonly plan: GPUBuffer;
  readonly #maxCount: number;
  readonly #fewMost: number;
  readonly #maxPasses: number;
  /** Whether equal digits may come in any order in the first pass: keys that are equal then are the same. */
  readonly #isUnstable: boolean;
  readonly #few: Cut;
  readonly #many: Cut;
  readonly #buffers: readonly GPUBuffer[];
  readonly #away: Records;
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
    // Without values nobody can tell which of two NaNs came first.
    const hasNanTies = valueWords > 0 && keyTraits(options.keyType).kind === 'float';
    const cut = (shape: Shape): Cut => {
      const tile = shape.threads * shape.keys;
      const { lookLimit, stalledTile } = tuning;
      const chained = { ...shape, lookLimit, stalledTile, hasNanTies };
      return { shape, tile, pipelines: pipelinesFor(device, { ...widths, chained }) };
    };
    this.#maxCount = maxCount;
    this.#fewMost = tuning.fewMost;
    this.#maxPasses = 4 * keyWords;
    this.#isUnstable = valueWords === 0 && options.keyBits === undefined;
    this.#few = cut(few);
    this.#many = cut(many);

    const { STORAGE, COPY_SRC } = BufferUsage;
    const make = (label: string, size: number, usage: number): GPUBuffer =>
      device.createBuffer({ label: `keysweep ${label}`, size, usage });
    const mostTiles = Math.max(
      Math.ceil(Math.min(maxCount, this.#fewMost) / this.#few.tile),
      maxCount > this.#fewMost ? Math.ceil(maxCount / this.#many.tile) : 0,
    );
    const scanStateWords = TICKETS + RADIX * (2 * this.#maxPasses + mostTiles);
    const order = orderBuffer(device, options);
    const scanState = make('scan state', 4 * scanStateWords, STORAGE);
    this.plan = make('plan', STATE_BYTES, STORAGE | COPY_SRC);
    const away = [make('scratch keys', 4 * keyWords * maxCount, STORAGE)];
    if (valueWords > 0) away.push(make('scratch values', 4 * valueWords * maxCount, STORAGE));
    this.#buffers = [order, scanState, this.plan, ...away];
    this.bytes = this.#buffers.reduce((sum, { size }) => sum + size, 0);
    this.#away = away.map((buffer) => ({ buffer }));

    const { pipelines } = this.#few;
    const known = [{ buffer: order }, { buffer: this.plan }, { buffer: scanState }];
    this.#passGroup = pipelines.group('pass', known);
    this.#digitStartsGroup = pipelines.group('digitStarts', known);
    this.#slotGroup = pipelines.group('slot', [numberBinding(numberTable(device))]);
  }

  compile(): void {
    const cuts = this.#maxCount > this.#fewMost ? [this.#few, this.#many] : [this.#few];
    for (const { pipelines } of cuts) {
      for (const kernel of ['histogram', 'digitStarts', 'sweep', 'copyBack'] as const)
        pipelines.get(kernel);
      if (this.#isUnstable) pipelines.get('firstSweep');
    }
  }

  bind(home: Records): Moves {
    const between = (from: Records, to: Records): GPUBindGroup =>
      this.#few.pipelines.group(
        'pingPong',
        from.flatMap((source, i) => [source, to[i] as GPUBufferBinding]),
      );
    return { toAway: between(home, this.#away), toHome: between(this.#away, home) };
  }

  record(pass: GPUComputePassEncoder, moves: Moves, given: Given, most: number): void {
    const { toAway, toHome } = moves;
    const { shape, tile, pipelines } = most > this.#fewMost ? this.#many : this.#few;
    pass.setBindGroup(0, this.#passGroup);
    pass.setBindGroup(1, given.group, given.offsets);
    pass.setBindGroup(2, toAway);
    pass.setPipeline(pipelines.get('histogram'));
    pass.dispatchWorkgroups(Math.min(MOST_COUNTERS, Math.ceil(most / HISTOGRAM_CHUNK)));

    pass.setBindGroup(0, this.#digitStartsGroup);
    pass.setPipeline(pipelines.get('digitStarts'));
    pass.dispatchWorkgroups(1);

    pass.setBindGroup(0, this.#passGroup);
    const groups = Math.min(shape.groups, Math.ceil(most / tile));
    for (let slot = 0; slot < this.#maxPasses; slot++) {
      pass.setBindGroup(1, this.#slotGroup, [offsetOf(slot)]);
      pass.setBindGroup(2, slot % 2 === 0 ? toAway : toHome);
      pass.setPipeline(pipelines.get(slot === 0 && this.#isUnstable ? 'firstSweep' : 'sweep'));
      pass.dispatchWorkgroups(groups);
    }
    pass.setBindGroup(2, toHome);
    pass.setPipeline(pipelines.get('copyBack'));
    pass.dispatchWorkgroups(Math.min(MOST_COPY_BACK_GROUPS, Math.ceil(most / tile)));
  }

  destroy(): void {
    for (const buffer of this.#buffers) buffer.destroy();
  }
}
