/**
 * The chained scan: the sort of more keys than a workgroup holds, on devices whose subgroups have
 * a known size. Adinets and Merrill, "Onesweep: a faster least significant digit radix sort for
 * GPUs", 2022.
 *
 *   histogram → sweep × digits
 *
 * With many keys it may be hybrid: they are first put into 65,536 groups that are in order, and
 * then batches of groups are sorted, each in the storage of a workgroup. The groups may be those of
 * the 16 highest bits, if the histogram finds that keys are spread evenly over them
 * (kernels/wgsl/fragments/counted-decision.wgsl):
 *
 *   histogram → sweep × 2 → batch sort
 *
 * The other sweeps are recorded before the batch sort; the first of them finds the batches. For
 * still more keys there is time for a sample, which gives a map from keys to buckets that are even
 * whatever the distribution (kernels/wgsl/hybrid/sample.wgsl):
 *
 *   sample → count of buckets → split → count of bins → batches → split → batch sort
 *
 * Histogram and sweeps are recorded after the splits, and return at once if the map has sorted. If
 * a few values are frequent, sweeps of 32-bit keys without values leave out their copies, and the
 * batch sort writes them (kernels/wgsl/fragments/heavy-values.wgsl). Up to 2^16 keys are sorted by
 * regular sampling instead (regular-sampling-sort.ts).
 *
 * Every pass reads and writes a key once. The host never learns which passes are needed: a pass
 * that is left out is dispatched all the same, and its workgroups return at once. After an odd
 * number of passes, the first one that is left out copies the result home.
 */

import { keyTraits } from '@keysweep/core';
import {
  type BatchShape,
  batchAimOf,
  CONSTANTS,
  maxPassesOf,
  maxSampled,
  type SamplingShape,
  splitTileOf,
  sweepTileOf,
  type Widths,
} from '@keysweep/kernels/wgsl';
import { BufferUsage } from '../../device/usage.js';
import {
  type DeviceSort,
  HEAVY_PLAN_BYTES,
  inPairs,
  makeBuffer,
  type PingPong,
  pingPong,
  type RecordBuffers,
  recordsIn,
  scratchBuffers,
} from '../recording/device-sort.js';
import { type LabelledWidths, type Pipelines, pipelinesFor } from '../recording/pipelines.js';
import {
  type CountBinding,
  named,
  nansTie,
  numberBinding,
  numberTable,
  type OrderOptions,
  offsetOf,
  orderBuffer,
} from '../recording/uniforms.js';
import { samplingOf } from '../tuning/sampling-shapes.js';
import {
  type BatchTarget,
  type Shape,
  type Shapes,
  type Tuning,
  usedOf,
} from '../tuning/tuning.js';
import {
  histogramGroupsOf,
  MAP_KERNELS,
  mapBatchesOf,
  mapLimits,
  recordBatches,
  recordByMap,
  stateWordsOf,
} from './map-stages.js';
import { RegularSamplingSort } from './regular-sampling-sort.js';

const { BUCKETS } = CONSTANTS;

/** How from `least` to `most` keys are cut, and the pipelines that are compiled for that. */
interface Cut {
  readonly least: number;
  readonly most: number;
  readonly shape: Shape;
  /** Keys of a tile: of a sweep, and of a split by a map. */
  readonly tile: number;
  readonly splitTile: number;
  /** Present if the sort may be hybrid. */
  readonly batch: BatchShape | undefined;
  readonly pipelines: Pipelines;
}

export class ChainedScanSort implements DeviceSort {
  readonly bytes: number;
  readonly plan: GPUBuffer;
  readonly scratch: readonly GPUBuffer[];
  readonly #maxPasses: number;
  /** Whether the first pass may be unstable, because keys that are equal then are the same. */
  readonly #isFirstUnstable: boolean;
  /** The cuts that `maxCount` has use for. The first one that serves a number of keys is taken. */
  readonly #cuts: readonly Cut[];
  /** The sort of few keys. */
  readonly #sampled: RegularSamplingSort;
  readonly #buffers: readonly GPUBuffer[];
  readonly #scratch: RecordBuffers;
  readonly #passGroup: GPUBindGroup;
  readonly #planningGroup: GPUBindGroup;
  readonly #slotGroup: GPUBindGroup;

  /** `room`: the records that scratch is made for. */
  constructor(
    device: GPUDevice,
    options: OrderOptions,
    widths: LabelledWidths,
    shapes: Shapes,
    tuning: Tuning,
    room: number = options.maxCount,
  ) {
    const { keyWords, valueWords } = widths;
    const { maxCount } = options;
    const hasNanTies = nansTie(options, widths);
    const { few, middle, many } = shapes;
    const { maxFew, maxMiddle, lookLimit, stalledTile } = tuning;
    const targets = batchesOf(options, widths, tuning);
    const plainMost = plainMostOf(maxCount, targets);
    const cut = (least: number, most: number, shape: Shape, batch?: BatchShape): Cut => {
      const chained = { ...shape, lookLimit, stalledTile, hasNanTies, batch };
      const pipelines = pipelinesFor(device, { ...widths, chained });
      const [tile, splitTile] = [sweepTileOf(shape), splitTileOf(widths, shape)];
      return { least, most, shape, tile, splitTile, batch, pipelines };
    };
    const cuts = [
      ...targets.map((target) => {
        const { least, most, threads, keys, isMapped } = target;
        return cut(least, most, shapeOf(target, shapes, tuning), { threads, keys, isMapped });
      }),
      cut(1, Math.min(maxFew, plainMost), few),
      cut(maxFew + 1, Math.min(maxMiddle, plainMost), middle),
      cut(Math.max(maxFew, maxMiddle) + 1, plainMost, many),
    ];
    this.#cuts = cuts.filter(({ least, most }) => least <= Math.min(most, maxCount));
    const sampled = sampledShapes(options, widths, tuning);
    this.#sampled = new RegularSamplingSort(device, widths, few, sampled, hasNanTies);
    this.#maxPasses = maxPassesOf(keyWords);
    this.#isFirstUnstable = valueWords === 0 && options.keyBits === undefined;

    const { STORAGE, COPY_SRC } = BufferUsage;
    const scanStateWords = Math.max(
      ...this.#cuts.map(({ shape, batch, most }) =>
        stateWordsOf(shape, batch, Math.min(maxCount, most), widths),
      ),
    );
    const order = orderBuffer(device, options, mapLimits(targets));
    const scanState = makeBuffer(device, named('scan state', widths), 4 * scanStateWords);
    this.plan = makeBuffer(device, named('plan', widths), HEAVY_PLAN_BYTES, STORAGE | COPY_SRC);
    this.scratch = scratchBuffers(device, widths, room, options.scratch);
    this.#buffers = [order, scanState, this.plan, ...(options.scratch ? [] : this.scratch)];
    this.bytes = this.#buffers.reduce((sum, { size }) => sum + size, 0);
    this.#scratch = recordsIn(this.scratch, widths, 0, maxCount);

    const [{ pipelines }] = this.#cuts as [Cut];
    const state = [{ buffer: order }, { buffer: this.plan }, { buffer: scanState }];
    this.#passGroup = pipelines.group('pass', state);
    this.#planningGroup = pipelines.group('planning', state);
    this.#slotGroup = pipelines.group('slot', [numberBinding(numberTable(device))]);
  }

  compile(): void {
    this.#sampled.compile();
    const first = this.#isFirstUnstable ? 'firstSweep' : 'sweep';
    for (const { most, batch, pipelines } of this.#cuts) {
      if (most <= this.#sampled.most) continue;
      for (const kernel of KERNELS) pipelines.get(kernel);
      if (batch !== undefined) pipelines.get('batchSort');
      if (batch?.isMapped) for (const kernel of MAP_KERNELS) pipelines.get(kernel);
      pipelines.get(first);
    }
  }

  bind(caller: RecordBuffers): PingPong {
    const [{ pipelines, batch }] = this.#cuts as [Cut];
    const groups = pingPong(pipelines, caller, this.#scratch);
    // Cuts with batches come first.
    if (batch === undefined) return groups;
    return { ...groups, exchange: pipelines.group('exchange', inPairs(caller, this.#scratch)) };
  }

  record(pass: GPUComputePassEncoder, groups: PingPong, count: CountBinding, most: number): void {
    if (most <= this.#sampled.most) {
      this.#sampled.record(pass, this.#planningGroup, groups, count, most);
      return;
    }
    const cut = this.#cuts.find((one) => one.least <= most && most <= one.most) as Cut;
    const { shape, tile, batch, pipelines } = cut;
    const { toScratch, toCaller } = groups;
    if (batch?.isMapped) {
      const own = { planning: this.#planningGroup, pass: this.#passGroup, slot: this.#slotGroup };
      recordByMap(pass, own, groups, count, most, { ...cut, batch });
    }
    pass.setBindGroup(0, this.#planningGroup);
    pass.setBindGroup(1, count.group, count.offsets);
    pass.setBindGroup(2, toScratch);
    pass.setPipeline(pipelines.get('histogram'));
    pass.dispatchWorkgroups(histogramGroupsOf(most));

    pass.setBindGroup(0, this.#passGroup);
    const tiles = Math.min(shape.groups, Math.ceil(most / tile));
    for (let slot = 0; slot < this.#maxPasses; slot++) {
      pass.setBindGroup(1, this.#slotGroup, [offsetOf(slot)]);
      pass.setBindGroup(2, slot % 2 === 0 ? toScratch : toCaller);
      const isFirst = slot === 0 && this.#isFirstUnstable;
      pass.setPipeline(pipelines.get(isFirst ? 'firstSweep' : 'sweep'));
      pass.dispatchWorkgroups(tiles);
    }
    if (batch?.isMapped) {
      // If the map did not sort, this writes what the sweeps have left out.
      recordBatches(pass, groups, pipelines, mapBatchesOf(most, batch));
    } else if (batch !== undefined) {
      // As many as there are of keys that are evenly spread.
      const buckets = Math.max(1, Math.floor((batchAimOf(batch) * BUCKETS) / most));
      recordBatches(pass, groups, pipelines, Math.ceil(BUCKETS / buckets));
    }
  }

  destroy(): void {
    for (const buffer of this.#buffers) buffer.destroy();
  }
}

const KERNELS = ['histogram', 'sweep'] as const;

/** Most keys of a sort that is never hybrid, because it is too short. Targets leave no gap. */
export const plainMostOf = (maxCount: number, [first]: readonly BatchTarget[]): number =>
  Math.min(maxCount, (first?.least ?? Number.POSITIVE_INFINITY) - 1);

/**
 * The shapes of sorts by regular sampling that `maxCount` has use for. With `keyBits` they keep the
 * order of equal keys only if there are values.
 */
export function sampledShapes(
  { maxCount, keyBits }: OrderOptions,
  widths: Widths,
  { sampling }: Tuning,
): readonly SamplingShape[] {
  const isStable = widths.valueWords > 0 || keyBits === undefined;
  const shapes = sampling === undefined || !isStable ? [] : samplingOf(sampling, widths);
  const last = shapes.findIndex((shape) => maxSampled(shape) >= maxCount);
  return last < 0 ? shapes : shapes.slice(0, last + 1);
}

/** The shape of a hybrid sort's sweeps and splits. */
export function shapeOf(
  { most, sweeps, splits }: BatchTarget,
  { few, middle, many }: Shapes,
  { maxFew, maxMiddle }: Tuning,
): Shape {
  const longer = most <= maxMiddle ? middle : many;
  return { ...(most <= maxFew ? few : longer), sweeps, splits };
}

/**
 * The batches of sorts that may be hybrid. The keys need bits below the bits of a bucket's number.
 * Those that `maxCount` has use for.
 */
export function batchesOf(
  { keyType, keyBits, maxCount }: OrderOptions,
  { keyWords, valueWords }: Widths,
  { batches }: Tuning,
): readonly BatchTarget[] {
  if (batches === undefined || keyTraits(keyType).bits < 32 || keyBits !== undefined) return [];
  const [keys, pairs] =
    keyWords === 1 ? (['keys', 'pairs'] as const) : (['wide', 'widePairs'] as const);
  return usedOf(batches[valueWords === 0 ? keys : pairs], maxCount);
}
