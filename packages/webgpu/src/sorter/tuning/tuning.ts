/**
 * Chooses the sort for a device, and how arrays are cut, by the device's features and limits. The
 * measurements that led to these shapes are in packages/webgpu/tuning.md.
 */

import { CONSTANTS, type StagedShape, tileOf, type Widths } from '@keysweep/kernels/wgsl';
import type { GPUDevice } from '../../device/gpu-types.js';
import { type DeviceBudget, fitBatch, fitShape, NARROW } from './fit-shapes.js';
import { fitSampling, type SamplingShapes } from './sampling-shapes.js';
import type { BatchTarget, Shape, TargetShape } from './shapes.js';

export { tileOf } from '@keysweep/kernels/wgsl';
export { BLOCKS_AT, PASSES_RUN_AT } from '../recording/device-sort.js';
export type { BatchTarget, Shape, TargetShape } from './shapes.js';

/** Counters of a digit, one for each of its values. */
export const RADIX: number = CONSTANTS.RADIX;

const { BUCKETS } = CONSTANTS;

/** Shapes for one width of keys. */
export interface Shapes {
  /** One tile, which a workgroup sorts in its storage. */
  readonly one: Shape;
  /** Short tiles, so that many workgroups share few keys. */
  readonly few: Shape;
  /** Tiles for more keys than `few` serves. */
  readonly middle: Shape;
  /** Tiles for the most keys. */
  readonly many: Shape;
}

/** Shapes of the batches of hybrid sorts, by rising numbers of keys. */
export interface BatchTargets {
  /** Of 32-bit keys. */
  readonly keys: readonly BatchTarget[];
  /** Of 32-bit keys with values. */
  readonly pairs: readonly BatchTarget[];
  /** Of 64-bit keys. */
  readonly wide: readonly BatchTarget[];
  /** Of 64-bit keys with values. */
  readonly widePairs: readonly BatchTarget[];
}

/** Hybrid sorts by a map without subgroups, of keys without values. */
export interface PortableMap {
  /** How the splits cut the keys. */
  readonly splits: Shape;
  /** Of keys of one word, and of two. */
  readonly batches: Pick<BatchTargets, 'keys' | 'wide'>;
}

/** The targets that sorts of up to `maxCount` keys have use for. */
export function usedOf(targets: readonly BatchTarget[], maxCount: number): readonly BatchTarget[] {
  const last = targets.findIndex(({ most }) => most >= maxCount);
  const used = last < 0 ? targets : targets.slice(0, last + 1);
  return used.filter(({ least }) => least <= maxCount);
}

/** How a device sorts. */
export interface Tuning {
  /** Shapes by words of a key; undefined if the device sorts by reduce-then-scan. */
  readonly chained: { readonly 1: Shapes; readonly 2: Shapes } | undefined;
  /** Whether segments are sorted by portable kernels although there are chained scans. */
  readonly hasPortableSegments?: boolean | undefined;
  /** Present if chained scans may be hybrid. */
  readonly batches?: BatchTargets | undefined;
  /** Present if few keys are sorted by regular sampling. */
  readonly sampling?: SamplingShapes | undefined;
  /** Present if reduce-then-scan may be preceded by a hybrid sort. */
  readonly portableMap?: PortableMap | undefined;
  /** Up to this many keys the shape `few` serves. */
  readonly maxFew: number;
  /** Beyond those, up to this many keys the shape `middle` serves. */
  readonly maxMiddle: number;
  /** Times that a workgroup reads an earlier tile's status before it counts that tile itself. */
  readonly lookLimit: number;
  /** For tests: a tile that never publishes its counts. */
  readonly stalledTile?: number | undefined;
  /** For tests: limits the bytes of a binding below what the device allows. */
  readonly maxBound?: number | undefined;
}

/** Most keys of a chained scan, because a status has bits for no larger count. */
export const MAX_CHAINED: number = 2 ** (32 - CONSTANTS.STATUS_BITS) - 1;

/** Two tiles of 2,048 keys for each of 132 multiprocessors, about: tuning.md. */
const MAX_FEW = 2 ** 19;

/** Some 1,000 tiles of 8,192 keys: tuning.md. */
const MAX_MIDDLE = 2 ** 23;

/** A read takes a microsecond: a workgroup that is waited for over milliseconds is not running. */
const LOOK_LIMIT = 2 ** 12;

/** By rising numbers of keys. */
const SHAPE_NAMES = ['one', 'few', 'middle', 'many'] as const;

/**
 * The shapes that were fastest on an NVIDIA H200: tuning.md, by `npm run tune:gpu`. Other devices
 * get as much of them as their limits allow. Few keys: a tile for every multiprocessor at 2^18;
 * middle: at 2^20. Many: tiles that fill the registers, or the 48 KiB of workgroup storage that a
 * page may have.
 */
const TARGETS: Readonly<Record<1 | 2, Readonly<Record<keyof Shapes, TargetShape>>>> = {
  1: {
    one: { threads: 512, keys: 8, groups: 1 },
    few: { threads: 256, keys: 8, groups: 528 },
    middle: { threads: 512, keys: 16, groups: 264 },
    many: { threads: 512, keys: 23, groups: 264 },
  },
  2: {
    one: { threads: 512, keys: 8, groups: 1 },
    few: { threads: 256, keys: 8, groups: 528 },
    middle: { threads: 512, keys: 16, groups: 264 },
    many: { threads: 512, keys: 18, groups: 264 },
  },
};

/**
 * Sweeps of 2^22 or more 32-bit keys without values: tuning.md. Two workgroups share a
 * multiprocessor, whose registers they fill.
 */
const BARE_SWEEPS: StagedShape = { threads: 384, keys: 22, stages: 2 };

/** Splits by a map of more than 2^24 such keys: tuning.md. */
const BARE_SPLITS: StagedShape = { threads: 512, keys: 16, stages: 2 };

/**
 * The batches that were fastest on an NVIDIA H200: tuning.md. Other lengths suit other shapes.
 * Fewer keys than `least` gain too little from a hybrid sort to make up for what it costs where it
 * is not one. A map pays for 2^24 keys or more, for pairs of 2^25 and 64-bit keys of 2^22: it
 * makes 2^24 floats, ids and times faster by 13 % to 16 %, and uniform bits slower by 5 %.
 */
const BATCH_TARGETS: BatchTargets = {
  keys: [
    { threads: 256, keys: 9, least: 2 ** 22, most: 2 ** 23, isMapped: false },
    { threads: 256, keys: 9, least: 2 ** 22, most: 2 ** 24 - 1, isMapped: false },
    { threads: 256, keys: 9, least: 2 ** 22, most: 2 ** 24, isMapped: true },
    { threads: 256, keys: 13, least: 2 ** 22, most: 1.5 * 2 ** 26, isMapped: true },
    { threads: 256, keys: 19, least: 2 ** 22, most: 1.5 * 2 ** 27, isMapped: true },
    { threads: 512, keys: 17, least: 2 ** 22, most: MAX_CHAINED, isMapped: true },
  ].map((target) => ({
    ...target,
    sweeps: BARE_SWEEPS,
    splits: target.most > 2 ** 24 ? BARE_SPLITS : undefined,
  })),
  pairs: [
    { threads: 128, keys: 9, least: 2 ** 21, most: 2 ** 22, isMapped: false },
    { threads: 128, keys: 15, least: 2 ** 21, most: 2 ** 23, isMapped: false },
    { threads: 128, keys: 15, least: 2 ** 21, most: 2 ** 24, isMapped: false },
    { threads: 256, keys: 15, least: 2 ** 21, most: 2 ** 25 - 1, isMapped: false },
    { threads: 256, keys: 11, least: 2 ** 21, most: 2 ** 26, isMapped: true },
    { threads: 256, keys: 15, least: 2 ** 21, most: 1.5 * 2 ** 26, isMapped: true },
    { threads: 512, keys: 17, least: 2 ** 21, most: MAX_CHAINED, isMapped: true },
  ],
  wide: [
    { threads: 128, keys: 9, least: 2 ** 19, most: 2 ** 19, isMapped: false },
    { threads: 128, keys: 9, least: 2 ** 19, most: 2 ** 22 - 1, isMapped: false },
    { threads: 128, keys: 9, least: 2 ** 19, most: 2 ** 23, isMapped: true },
    { threads: 128, keys: 15, least: 2 ** 19, most: 2 ** 25, isMapped: true },
    { threads: 256, keys: 11, least: 2 ** 19, most: 2 ** 27, isMapped: true },
    { threads: 512, keys: 9, least: 2 ** 19, most: MAX_CHAINED, isMapped: true },
  ],
  widePairs: [
    { threads: 64, keys: 9, least: 2 ** 19, most: 2 ** 19, isMapped: false },
    { threads: 64, keys: 9, least: 2 ** 19, most: 2 ** 20, isMapped: false },
    { threads: 128, keys: 9, least: 2 ** 19, most: 2 ** 22 - 1, isMapped: false },
    { threads: 128, keys: 9, least: 2 ** 19, most: 2 ** 23, isMapped: true },
    { threads: 256, keys: 9, least: 2 ** 19, most: 2 ** 26, isMapped: true },
    { threads: 256, keys: 11, least: 2 ** 19, most: 2 ** 27, isMapped: true },
    { threads: 512, keys: 9, least: 2 ** 19, most: MAX_CHAINED, isMapped: true },
  ],
};

/**
 * Hybrid sorts without subgroups: tuning.md. Three workgroups of a split share the 48 KiB of a
 * multiprocessor; that's as much as a device with default limits has.
 */
const PORTABLE_SPLITS: TargetShape = { threads: 256, keys: 11, groups: 396 };
const PORTABLE_BATCHES: PortableMap['batches'] = {
  keys: [
    { threads: 256, keys: 13, least: 2 ** 19, most: 1.5 * 2 ** 26, isMapped: true },
    { threads: 256, keys: 19, least: 2 ** 19, most: 1.5 * 2 ** 27, isMapped: true },
    { threads: 512, keys: 17, least: 2 ** 19, most: MAX_CHAINED, isMapped: true },
  ],
  wide: [
    { threads: 128, keys: 15, least: 2 ** 18, most: 2 ** 25, isMapped: true },
    { threads: 256, keys: 11, least: 2 ** 18, most: 2 ** 27, isMapped: true },
    { threads: 512, keys: 9, least: 2 ** 18, most: MAX_CHAINED, isMapped: true },
  ],
};

/** How many times as large as a bin on average a batch is at least, without subgroups. */
const PORTABLE_ROOM = 1.4;

/** Workgroups at a time of a device without measurements. */
const UNTUNED_GROUPS = 512;

const tunings = new WeakMap<GPUDevice, Tuning>();

/** The tuning of `device`, from what it has. */
export function tuningOf(device: GPUDevice): Tuning {
  const known = tunings.get(device) ?? defaultTuning(device);
  tunings.set(device, known);
  return known;
}

/** The shapes of chained scans; undefined if portable kernels sort the records. */
export const chainedShapes = (device: GPUDevice, { keyWords }: Widths): Shapes | undefined =>
  tuningOf(device).chained?.[keyWords];

/** The shapes of sorts of segments; undefined if portable kernels sort them. */
export const segmentShapes = (device: GPUDevice, widths: Widths): Shapes | undefined =>
  tuningOf(device).hasPortableSegments ? undefined : chainedShapes(device, widths);

/** Most records that one sort takes on `device`: what bindings of keys and of values hold. */
export function maxInBinding(device: GPUDevice, { keyWords, valueWords }: Widths): number {
  const { maxStorageBufferBindingSize, maxBufferSize } = device.limits;
  const { chained, maxBound = maxStorageBufferBindingSize } = tuningOf(device);
  const bytes = Math.min(maxBound, maxStorageBufferBindingSize, maxBufferSize);
  const records = Math.floor(bytes / (4 * Math.max(keyWords, valueWords)));
  // Chunks by chained scans, merged, are faster than all of it by reduce-then-scan.
  return chained === undefined ? records : Math.min(records, MAX_CHAINED);
}

/** Most records that one workgroup sorts, with these shapes or without any. */
export const maxInWorkgroup = (keyWords: 1 | 2, shapes: Shapes | undefined): number =>
  Math.max(tileOf(keyWords), shapes === undefined ? 0 : shapes.one.threads * shapes.one.keys);

/** Has sorters that are made on `device` from now on use `tuning`: for the tuner, and tests. */
export function setTuning(device: GPUDevice, tuning: Tuning): void {
  tunings.set(device, tuning);
}

function defaultTuning(device: GPUDevice): Tuning {
  const tuning = chainedTuning(device);
  // Not every engine says how wide they are, or it says 0.
  const widest = tuning.chained?.[1].many.subgroup || device.adapterInfo?.subgroupMaxSize || NARROW;
  const isNarrow = widest < NARROW;
  return isNarrow ? { ...tuning, chained: undefined, portableMap: undefined } : tuning;
}

/**
 * The tuning of `device` with a chained scan wherever one is right, and sorts by a map, however
 * narrow the subgroups.
 */
export function chainedTuning(device: GPUDevice): Tuning {
  const subgroup = subgroupOf(device);
  const { maxComputeInvocationsPerWorkgroup, maxComputeWorkgroupSizeX } = device.limits;
  const limits = {
    invocations: Math.min(maxComputeInvocationsPerWorkgroup, maxComputeWorkgroupSizeX),
    storage: device.limits.maxComputeWorkgroupStorageSize,
  };
  const isTuned = device.adapterInfo?.vendor === 'nvidia';
  const groupsOf = ({ groups }: TargetShape): number => (isTuned ? groups : UNTUNED_GROUPS);
  const budget: DeviceBudget | undefined = subgroup && { ...subgroup, ...limits };
  const shapesFor = (words: 1 | 2): Shapes | undefined => {
    if (budget === undefined) return undefined;
    const shapeFor = (target: TargetShape): Shape | undefined =>
      fitShape({ ...target, groups: groupsOf(target) }, budget);
    const [one, few, middle, many] = SHAPE_NAMES.map((name) => shapeFor(TARGETS[words][name]));
    return one && few && middle && many && { one, few, middle, many };
  };
  const [narrow, wide] = [shapesFor(1), shapesFor(2)];
  const chained = narrow && wide && { 1: narrow, 2: wide };
  const batches = budget && {
    keys: BATCH_TARGETS.keys.map((target) => fitBatch(target, 1, budget)),
    pairs: BATCH_TARGETS.pairs.map((target) => fitBatch(target, 1, budget)),
    wide: BATCH_TARGETS.wide.map((target) => fitBatch(target, 2, budget)),
    widePairs: BATCH_TARGETS.widePairs.map((target) => fitBatch(target, 2, budget)),
  };
  const sampling = budget && fitSampling(budget);
  const portableMap = portableMapOf({ ...NO_SUBGROUPS, ...limits }, groupsOf);
  const waits = { maxFew: MAX_FEW, maxMiddle: MAX_MIDDLE, lookLimit: LOOK_LIMIT };
  return { chained, batches, portableMap, sampling, ...waits };
}

const NO_SUBGROUPS = { subgroup: 0, needsSizeControl: false, hasSubgroupId: false } as const;

/** Hybrid sorts without subgroups, if a device has room for their tiles. */
function portableMapOf(
  budget: DeviceBudget,
  groupsOf: (target: TargetShape) => number,
): PortableMap | undefined {
  const splits = fitShape({ ...PORTABLE_SPLITS, groups: groupsOf(PORTABLE_SPLITS) }, budget);
  if (splits === undefined) return undefined;
  const targetsOf = (targets: readonly BatchTarget[], words: 1 | 2): BatchTarget[] => {
    const fitting = targets.filter((target) => {
      const { threads, keys } = fitBatch(target, words, budget);
      return threads === target.threads && keys === target.keys;
    });
    return fitting.map((target, i) => {
      const { threads, keys, most } = target;
      const room = Math.floor((threads * keys * BUCKETS) / PORTABLE_ROOM);
      // Where no longer one fits, the last serves as long as bins fit it.
      return { ...target, most: i + 1 < fitting.length ? Math.min(most, room) : room };
    });
  };
  const batches = {
    keys: targetsOf(PORTABLE_BATCHES.keys, 1),
    wide: targetsOf(PORTABLE_BATCHES.wide, 2),
  };
  return { splits, batches };
}

/**
 * The size that all subgroups have; undefined where there may be several that cannot be chosen
 * from.
 */
function subgroupOf(
  device: GPUDevice,
): Pick<Shape, 'subgroup' | 'needsSizeControl' | 'hasSubgroupId'> | undefined {
  if (!device.features.has('subgroups')) return undefined;
  const { subgroupMinSize: least = 4, subgroupMaxSize: most = 128 } = device.adapterInfo ?? {};
  const hasSubgroupId = subgroupIds.get(device) ?? false;
  if (least === most) return { subgroup: least, needsSizeControl: false, hasSubgroupId };
  if (!device.features.has('subgroup-size-control')) return undefined;
  return { subgroup: chainedWith(least, most), needsSizeControl: true, hasSubgroupId };
}

/** The size of subgroups that chained scans ask for, of those from `least` to `most`. */
export const chainedWith = (least: number, most: number): number =>
  Math.min(most, Math.max(least, 32));

const ASKS_SUBGROUP_ID = `enable subgroups;
requires subgroup_id;
@compute @workgroup_size(1) fn ask(@builtin(subgroup_id) number: u32) { _ = number; }`;

/** Devices whose shading language is known, and whether it has the builtin `subgroup_id`. */
const subgroupIds = new WeakMap<GPUDevice, boolean>();

/**
 * Finds out, once a device, whether shaders may read `subgroup_id`: by a shader that is refused
 * where they may not. WebGPU's entry point has a list of such features, but a device does not say
 * which entry point it is from. Tunings are made after this.
 */
export async function detectSubgroupId(device: GPUDevice): Promise<void> {
  if (subgroupIds.has(device) || !device.features.has('subgroups')) return;
  device.pushErrorScope('validation');
  device.createShaderModule({ label: 'keysweep asks', code: ASKS_SUBGROUP_ID });
  // A lost device rejects; its sorts will fail by themselves.
  const error = await device.popErrorScope().catch((cause: Error) => cause);
  subgroupIds.set(device, error === null);
}
