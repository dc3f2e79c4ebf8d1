/**
 * Reduce-then-scan: the sort of more keys than a workgroup holds, on devices without any feature.
 *
 *   survey → plan → (upsweep → spine → downsweep) × digits → copy back
 *
 * No workgroup waits for another, so no device can hang. What the plan finds out stays on the GPU:
 * a pass that it leaves out is dispatched all the same, and its workgroups return at once.
 * A dispatch whose size is on the GPU costs more: 6 µs in Dawn, which checks it, in place of 2.
 *
 * Many keys without values are first tried by a map, in stages that need no subgroups either
 * (map-stages.ts). If the sample says that this pays, the plan leaves out all passes.
 */

import { keyTraits } from '@keysweep/core';
import {
  CONSTANTS,
  LAYOUTS,
  maxPassesOf,
  splitTileOf,
  THREADS,
  tileOf,
} from '@keysweep/kernels/wgsl';
import { BufferUsage } from '../../device/usage.js';
import {
  type DeviceSort,
  inPairs,
  makeBuffer,
  type PingPong,
  PLAN_BYTES,
  pingPong,
  type RecordBuffers,
  recordsIn,
  scratchBuffers,
} from '../recording/device-sort.js';
import { type LabelledWidths, type Pipelines, pipelinesFor } from '../recording/pipelines.js';
import {
  type CountBinding,
  named,
  numberBinding,
  numberTable,
  type OrderOptions,
  offsetOf,
  orderBuffer,
} from '../recording/uniforms.js';
import {
  type BatchTarget,
  type PortableMap,
  type Shape,
  type Tuning,
  usedOf,
} from '../tuning/tuning.js';
import {
  headWordsOf,
  MAP_KERNELS,
  type MapCut,
  type MapGroups,
  mapBatchesOf,
  mapLimits,
  recordBatches,
  recordByMap,
  stateWordsOf,
} from './map-stages.js';

const { RADIX, SURVEY_KEYS, SPINE_COUNTS, SPINE_LANES, COPY_BACK_GROUPS } = CONSTANTS;

/** Workgroups of the spine of at most `blocks` blocks: as plan.wgsl has threads share a row. */
function spineGroupsOf(blocks: number): number {
  let lanes = 1;
  while (lanes < SPINE_LANES && lanes * SPINE_COUNTS < blocks) lanes *= 8;
  return (RADIX * lanes) / THREADS;
}

/** More blocks would lengthen the spine and give no device more to do at a time. */
const MAX_BLOCKS = 2048;

/** The part of the records' memory that the spine may take: see RadixSorter.scratchBytes. */
const SPINE_SHARE = 0.025;

/** Most workgroups of the survey: enough to keep a large GPU's memory busy. */
const MAX_SURVEY_GROUPS = 1024;

/** Where a binding may begin on every device, in bytes. */
const STRIDE = 256;

/** No stage of a sort by a map waits for another tile; keys without values are no ties. */
const NO_WAITS = { lookLimit: 0, stalledTile: undefined, hasNanTies: false } as const;

/** Keys of a survey's workgroup, at least: four chunks. */
const SURVEY_GROUP_KEYS = 4 * THREADS * SURVEY_KEYS;

/** How from `least` to `most` keys are cut in a sort by a map. */
interface Cut extends MapCut {
  readonly least: number;
  readonly most: number;
}

export class ReduceScanSort implements DeviceSort {
  readonly bytes: number;
  readonly plan: GPUBuffer;
  readonly scratch: readonly GPUBuffer[];
  readonly #pipelines: Pipelines;
  readonly #buffers: readonly GPUBuffer[];
  readonly #scratch: RecordBuffers;
  readonly #maxPasses: number;
  readonly #surveyGroups: number;
  readonly #tile: number;
  readonly #minTiles: number;
  readonly #maxBlocks: number;
  /** The sorts by a map that `maxCount` has use for, and their bind groups. */
  readonly #cuts: readonly Cut[];
  readonly #mapGroups: MapGroups | undefined;
  /** The pipelines of survey and plan, if they follow a sort by a map. */
  readonly #afterMap: Pipelines;
  readonly #passGroup: GPUBindGroup;
  readonly #planGroup: GPUBindGroup;
  readonly #slotGroup: GPUBindGroup;

  /** `room`: the records that scratch is made for. */
  constructor(
    device: GPUDevice,
    options: OrderOptions,
    widths: LabelledWidths,
    { portableMap }: Pick<Tuning, 'portableMap'>,
    room: number = options.maxCount,
  ) {
    const { keyWords, valueWords } = widths;
    const { maxCount } = options;
    const targets = portableTargetsOf(options, widths, portableMap);
    const shape = portableMap?.splits as Shape;
    this.#cuts = targets.map(({ least, most, threads, keys, isMapped }) => {
      const batch = { threads, keys, isMapped };
      const chained = { ...shape, ...NO_WAITS, batch };
      const pipelines = pipelinesFor(device, { ...widths, chained });
      return { least, most, shape, splitTile: splitTileOf(widths, shape), batch, pipelines };
    });
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
    this.#tile = tile;
    this.#minTiles = minTiles;
    this.#maxBlocks = maxBlocks;
    this.#maxPasses = maxPassesOf(keyWords);

    const { STORAGE, COPY_SRC } = BufferUsage;
    const limits = { maxBlocks, minTiles, surveyGroups, ...mapLimits(targets) };
    const order = orderBuffer(device, options, limits);
    // The spine lies after the head of the state of a sort by a map, because that sort needs
    // nothing more of the state when the spine is written.
    const [{ batch = undefined } = {}] = this.#cuts;
    const spineAt =
      batch === undefined ? 0 : STRIDE * Math.ceil((4 * headWordsOf(widths, batch)) / STRIDE);
    const stateBytes = this.#cuts.map(
      ({ batch: own, most }) => 4 * stateWordsOf(shape, own, Math.min(maxCount, most), widths),
    );
    const state = makeBuffer(
      device,
      named('spine', widths),
      Math.max(spineAt + spineBytes, ...stateBytes),
    );
    this.plan = makeBuffer(device, named('plan', widths), PLAN_BYTES, STORAGE | COPY_SRC);
    this.scratch = scratchBuffers(device, widths, room, options.scratch);
    this.#buffers = [order, state, this.plan, ...(options.scratch ? [] : this.scratch)];
    this.bytes = this.#buffers.reduce((sum, { size }) => sum + size, 0);
    this.#scratch = recordsIn(this.scratch, widths, 0, maxCount);

    this.#pipelines = pipelinesFor(device, widths);
    this.#afterMap = pipelinesFor(device, { ...widths, isAfterMap: true });
    const plan = { buffer: this.plan };
    const spine = { buffer: state, offset: spineAt, size: spineBytes };
    this.#passGroup = this.#pipelines.group('pass', [{ buffer: order }, plan, spine]);
    this.#planGroup = this.#pipelines.group('plan', [{ buffer: order }, spine, plan]);
    this.#slotGroup = this.#pipelines.group('slot', [numberBinding(numberTable(device))]);
    if (this.#cuts.length === 0) return;
    const planning = [{ buffer: order }, plan, { buffer: state }];
    this.#mapGroups = {
      planning: this.#pipelines.group('planning', planning),
      pass: this.#pipelines.group('pass', planning),
      slot: this.#slotGroup,
    };
  }

  compile(): void {
    const kernels = ['survey', 'plan', 'upsweep', 'spine', 'downsweep', 'copyBack'] as const;
    for (const kernel of kernels) this.#pipelines.get(kernel);
    for (const { pipelines } of this.#cuts) {
      for (const kernel of [...MAP_KERNELS, 'batchSort'] as const) pipelines.get(kernel);
      for (const kernel of ['survey', 'plan'] as const) this.#afterMap.get(kernel);
    }
  }

  bind(caller: RecordBuffers): PingPong {
    const groups = pingPong(this.#pipelines, caller, this.#scratch);
    if (this.#cuts.length === 0) return groups;
    const exchange = this.#pipelines.group('exchange', inPairs(caller, this.#scratch));
    return { ...groups, exchange };
  }

  record(pass: GPUComputePassEncoder, groups: PingPong, count: CountBinding, most: number): void {
    const { toScratch, toCaller } = groups;
    const cut = this.#cuts.find((one) => one.least <= most && most <= one.most);
    if (cut) {
      recordByMap(pass, this.#mapGroups as MapGroups, groups, count, most, cut);
      recordBatches(pass, groups, cut.pipelines, mapBatchesOf(most, cut.batch));
    }
    const planning = cut === undefined ? this.#pipelines : this.#afterMap;
    const pipelines = this.#pipelines;
    pass.setBindGroup(0, this.#passGroup);
    pass.setBindGroup(1, count.group, count.offsets);
    pass.setBindGroup(2, toScratch);
    pass.setPipeline(planning.get('survey'));
    pass.dispatchWorkgroups(this.#surveyGroups);

    pass.setBindGroup(0, this.#planGroup);
    pass.setPipeline(planning.get('plan'));
    pass.dispatchWorkgroups(1);

    pass.setBindGroup(0, this.#passGroup);
    // At least as many as the plan may say: others return at once.
    const tiles = Math.ceil(most / this.#tile);
    const blocks = Math.min(this.#maxBlocks, Math.ceil(tiles / this.#minTiles));
    const spineGroups = spineGroupsOf(blocks);
    for (let slot = 0; slot < this.#maxPasses; slot++) {
      pass.setBindGroup(1, this.#slotGroup, [offsetOf(slot)]);
      pass.setBindGroup(2, slot % 2 === 0 ? toScratch : toCaller);
      pass.setPipeline(pipelines.get('upsweep'));
      pass.dispatchWorkgroups(blocks);
      pass.setPipeline(pipelines.get('spine'));
      pass.dispatchWorkgroups(spineGroups);
      pass.setPipeline(pipelines.get('downsweep'));
      pass.dispatchWorkgroups(blocks);
    }
    pass.setBindGroup(2, toCaller);
    pass.setPipeline(pipelines.get('copyBack'));
    pass.dispatchWorkgroups(Math.min(tiles, COPY_BACK_GROUPS));
  }

  destroy(): void {
    for (const buffer of this.#buffers) buffer.destroy();
  }
}

/** The batches of sorts by a map: of keys without values that are sorted by all of their bits. */
export function portableTargetsOf(
  { keyType, keyBits, precision, maxCount }: OrderOptions,
  { keyWords, valueWords, approximate }: LabelledWidths,
  portableMap: PortableMap | undefined,
): readonly BatchTarget[] {
  const isWhole = keyBits === undefined && precision === undefined && !approximate;
  if (portableMap === undefined || valueWords > 0 || !isWhole) return [];
  if (keyTraits(keyType).bits < 32) return [];
  return usedOf(portableMap.batches[keyWords === 1 ? 'keys' : 'wide'], maxCount);
}
