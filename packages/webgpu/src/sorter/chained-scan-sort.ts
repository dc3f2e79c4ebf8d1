/**
 * The chained scan: the sort of more keys than a workgroup holds, on devices whose subgroups have
 * a known size. Adinets and Merrill, "Onesweep: a faster least significant digit radix sort for
 * GPUs", 2022.
 *
 *   histogram → sweep × digits → copy back
 *
 * Of many keys it may be hybrid: after two sweeps, batches of the keys are sorted in the storage of
 * a workgroup each. A sample of the keys decides, on the GPU (kernels/wgsl/hybrid/sample.wgsl).
 *
 *   sample → histogram → sweep × 2 → batch sort → long batch sort
 *
 * The other sweeps come before the last two of these; the first of them finds the batches.
 *
 * Every pass reads and writes a key once. What is found out on the GPU stays there: a pass that is
 * left out is dispatched all the same, and its workgroups return at once.
 */

import { keyTraits } from '@keysweep/core';
import {
  type BatchShape,
  batchAimOf,
  CONSTANTS,
  maxPassesOf,
  SAMPLE_WORDS,
  THREADS,
  type Widths,
} from '@keysweep/kernels/wgsl';
import { BufferUsage } from '../device/usage.js';
import {
  type DeviceSort,
  inPairs,
  makeBuffer,
  type PingPong,
  PLAN_BYTES,
  pingPong,
  type RecordBuffers,
  scratchBuffers,
} from './device-sort.js';
import { type Pipelines, pipelinesFor } from './pipelines.js';
import type { BatchTarget, Shape, Shapes, Tuning } from './tuning.js';
import {
  type CountBinding,
  nansTie,
  numberBinding,
  numberTable,
  type OrderOptions,
  offsetOf,
  orderBuffer,
} from './uniforms.js';

const { RADIX, TILE_COUNTERS, HISTOGRAM_KEYS, COPY_BACK_GROUPS, BUCKETS, HYBRID_PASSES } =
  CONSTANTS;

/** Most workgroups of the sample, each of 2,048 keys, and how many keys there are for each. */
const MAX_SAMPLE_GROUPS = 64;
const KEYS_OF_SAMPLE_GROUP = 2 ** 19;

/**
 * Most workgroups of the batch sort. On an NVIDIA H200 half or twice as many were 1 % slower, and
 * many more take long to start where a sort is not hybrid.
 */
const MAX_BATCH_GROUPS = 2112;

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

/** Batches of up to `most` keys, and what is compiled for them. */
interface BatchPipelines {
  readonly batch: BatchTarget;
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
  /** By rising numbers of keys; empty where no sort is hybrid. */
  readonly #batches: readonly BatchPipelines[];
  readonly #buffers: readonly GPUBuffer[];
  readonly #scratch: RecordBuffers;
  readonly #passGroup: GPUBindGroup;
  readonly #planningGroup: GPUBindGroup;
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
    const hasNanTies = nansTie(options, widths);
    const { lookLimit, stalledTile } = tuning;
    const compiledFor = (shape: Shape, batch?: BatchShape): ShapePipelines => {
      const chained = { ...shape, lookLimit, stalledTile, hasNanTies, batch };
      const pipelines = pipelinesFor(device, { ...widths, chained });
      return { shape, tile: shape.threads * shape.keys, pipelines };
    };
    this.#maxCount = maxCount;
    this.#maxFew = tuning.maxFew;
    this.#maxPasses = maxPassesOf(keyWords);
    this.#isFirstUnstable = valueWords === 0 && options.keyBits === undefined;
    this.#few = compiledFor(few);
    this.#many = compiledFor(many);
    this.#batches = batchesOf(options, widths, tuning).map(({ most, ...batch }) => ({
      batch: { ...batch, most },
      pipelines: compiledFor(many, batch).pipelines,
    }));

    const { STORAGE, COPY_SRC } = BufferUsage;
    const maxTiles = Math.max(
      Math.ceil(Math.min(maxCount, this.#maxFew) / this.#few.tile),
      maxCount > this.#maxFew ? Math.ceil(maxCount / this.#many.tile) : 0,
    );
    const scanStateWords = TILE_COUNTERS + RADIX * (2 * this.#maxPasses + maxTiles) + SAMPLE_WORDS;
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
    this.#planningGroup = pipelines.group('planning', state);
    this.#slotGroup = pipelines.group('slot', [numberBinding(numberTable(device))]);
  }

  compile(): void {
    const kernels = ['histogram', 'sweep', 'copyBack'] as const;
    const used = this.#maxCount > this.#maxFew ? [this.#few, this.#many] : [this.#few];
    for (const { pipelines } of used) {
      for (const kernel of kernels) pipelines.get(kernel);
      if (this.#isFirstUnstable) pipelines.get('firstSweep');
    }
    for (const { pipelines } of this.#batches) {
      for (const kernel of HYBRID_KERNELS) pipelines.get(kernel);
      pipelines.get(this.#isFirstUnstable ? 'firstSweep' : 'sweep');
    }
  }

  bind(caller: RecordBuffers): PingPong {
    const groups = pingPong(this.#few.pipelines, caller, this.#scratch);
    const [{ pipelines } = { pipelines: undefined }] = this.#batches;
    if (pipelines === undefined) return groups;
    const exchange = pipelines.group('exchange', inPairs(caller, this.#scratch));
    return { ...groups, inPlace: pipelines.group('inPlace', caller), exchange };
  }

  record(pass: GPUComputePassEncoder, groups: PingPong, count: CountBinding, most: number): void {
    const { shape, tile, pipelines } = most > this.#maxFew ? this.#many : this.#few;
    const hybrid = this.#hybridFor(most);
    // A hybrid sort needs kernels of its own up to its last sweep.
    const first = hybrid?.pipelines ?? pipelines;
    const { toScratch, toCaller } = groups;
    pass.setBindGroup(0, this.#planningGroup);
    pass.setBindGroup(1, count.group, count.offsets);
    pass.setBindGroup(2, toScratch);
    if (hybrid !== undefined) {
      pass.setPipeline(first.get('sample'));
      pass.dispatchWorkgroups(Math.min(MAX_SAMPLE_GROUPS, Math.ceil(most / KEYS_OF_SAMPLE_GROUP)));
    }
    pass.setPipeline(first.get('histogram'));
    pass.dispatchWorkgroups(Math.min(MAX_HISTOGRAM_GROUPS, Math.ceil(most / HISTOGRAM_CHUNK)));

    pass.setBindGroup(0, this.#passGroup);
    const tiles = Math.min(shape.groups, Math.ceil(most / tile));
    for (let slot = 0; slot < this.#maxPasses; slot++) {
      // The sweep after the last one of a hybrid sort finds the batches.
      const own = slot <= HYBRID_PASSES ? first : pipelines;
      pass.setBindGroup(1, this.#slotGroup, [offsetOf(slot)]);
      pass.setBindGroup(2, slot % 2 === 0 ? toScratch : toCaller);
      pass.setPipeline(own.get(slot === 0 && this.#isFirstUnstable ? 'firstSweep' : 'sweep'));
      pass.dispatchWorkgroups(tiles);
    }
    if (hybrid !== undefined) recordBatches(pass, groups, hybrid, most);
    pass.setBindGroup(2, hybrid === undefined ? toCaller : (groups.exchange as GPUBindGroup));
    pass.setPipeline(first.get(hybrid === undefined ? 'copyBack' : 'longBatchSort'));
    pass.dispatchWorkgroups(Math.min(COPY_BACK_GROUPS, Math.ceil(most / tile)));
  }

  /** What a sort of up to `most` keys needs to be hybrid; undefined where it cannot be. */
  #hybridFor(most: number): BatchPipelines | undefined {
    if (most <= this.#maxFew) return undefined;
    const hybrid = this.#batches.find(({ batch }) => most <= batch.most);
    return hybrid !== undefined && most >= hybrid.batch.least ? hybrid : undefined;
  }

  destroy(): void {
    for (const buffer of this.#buffers) buffer.destroy();
  }
}

const HYBRID_KERNELS = ['sample', 'histogram', 'sweep', 'batchSort', 'longBatchSort'] as const;

/** Records what follows the sweeps of a hybrid sort of up to `most` keys, but for long batches. */
function recordBatches(
  pass: GPUComputePassEncoder,
  { inPlace }: PingPong,
  { batch, pipelines }: BatchPipelines,
  most: number,
): void {
  // Of keys that are evenly spread.
  const buckets = Math.max(1, Math.floor((batchAimOf(batch) * BUCKETS) / most));
  const batches = Math.ceil(BUCKETS / buckets);
  pass.setBindGroup(2, inPlace as GPUBindGroup);
  pass.setPipeline(pipelines.get('batchSort'));
  pass.dispatchWorkgroups(Math.min(MAX_BATCH_GROUPS, batches));
}

/**
 * The batches of sorts that may be hybrid: of keys that have bits below those of a bucket's number.
 * Those that `maxCount` has use for.
 */
function batchesOf(
  { keyType, keyBits, maxCount }: OrderOptions,
  { keyWords, valueWords }: Widths,
  { batches }: Tuning,
): readonly BatchTarget[] {
  if (batches === undefined || keyTraits(keyType).bits < 32 || keyBits !== undefined) return [];
  const [keys, pairs] =
    keyWords === 1 ? (['keys', 'pairs'] as const) : (['wide', 'widePairs'] as const);
  const targets = batches[valueWords === 0 ? keys : pairs];
  const last = targets.findIndex(({ most }) => most >= maxCount);
  return targets.slice(0, last + 1).filter(({ least }) => least <= maxCount);
}
