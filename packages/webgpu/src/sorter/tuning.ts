/** Which variant of the sort a device gets, and how it is cut: from the device's features and limits. */

import { hasSubgroupId as deviceHasSubgroupId } from '../device/language-features.js';

export { learnLanguage } from '../device/language-features.js';

/** How a chained sort cuts an array. */
export interface Shape {
  /** Invocations in every subgroup. */
  readonly subgroup: number;
  /** Whether the pipelines have to ask for that size. */
  readonly needsSizeControl: boolean;
  /** Whether shaders may ask for their subgroup's number. */
  readonly hasSubgroupId: boolean;
  readonly threads: number;
  /** Keys a thread. */
  readonly keys: number;
  /** Most workgroups at a time. */
  readonly groups: number;
}

/** Shapes for one width of keys. */
export interface Shapes {
  /** Short tiles, so that many workgroups share few keys. */
  readonly few: Shape;
  readonly many: Shape;
}

export interface Tuning {
  /** Shapes by words of a key; undefined where the portable variant has to do. */
  readonly chained: { readonly 1: Shapes; readonly 2: Shapes } | undefined;
  /** Up to as many keys are few. */
  readonly fewMost: number;
  /** Times that a workgroup asks for an earlier tile's counts before it counts the tile itself. */
  readonly lookLimit: number;
  /** For tests: a tile that keeps its counts to itself. */
  readonly stalledTile?: number | undefined;
}

const FEW_MOST = 2 ** 18;

/** A status has 29 bits for a count: kernels/wgsl/fragments/scan-state.wgsl. */
export const MOST_CHAINED: number = 2 ** 29 - 1;

const RADIX = 256;

/** What a shape may use of a device. */
export interface Budget {
  readonly subgroup: number;
  readonly needsSizeControl: boolean;
  readonly hasSubgroupId: boolean;
  readonly invocations: number;
  /** Bytes of workgroup storage. */
  readonly storage: number;
}

/** Threads and keys a thread to aim for, and workgroups. */
export interface Aim {
  readonly threads: number;
  readonly keys: number;
  readonly groups: number;
}

/**
 * What was fastest on an NVIDIA H200, and what other devices get as much of as their limits allow: ../tuning.md has the
 * measurements (`npm run tune:gpu`) and the reasons. Few keys: a tile for every multiprocessor at 2^18. Many: tiles that fill
 * the workgroup storage that a page may have (48 KiB), or the registers.
 */
const AIMS: { readonly 1: { few: Aim; many: Aim }; readonly 2: { few: Aim; many: Aim } } = {
  1: {
    few: { threads: 256, keys: 8, groups: 528 },
    many: { threads: 512, keys: 23, groups: 264 },
  },
  2: {
    few: { threads: 256, keys: 8, groups: 528 },
    many: { threads: 512, keys: 18, groups: 264 },
  },
};

/** Workgroups at a time of a device that nobody has tuned. */
const GROUPS = 512;

/** Asking takes a microsecond: a workgroup that keeps others waiting for milliseconds has been put aside. */
const LIMITS = { fewMost: FEW_MOST, lookLimit: 2 ** 12 };

const tunings = new WeakMap<GPUDevice, Tuning>();

/** The tuning of `device`, from what it has. */
export function tuningOf(device: GPUDevice): Tuning {
  const known = tunings.get(device) ?? defaultTuning(device);
  tunings.set(device, known);
  return known;
}

/** Sorters made on `device` from now on are cut so: for the tuner, and tests. */
export function setTuning(device: GPUDevice, tuning: Tuning): void {
  tunings.set(device, tuning);
}

function defaultTuning(device: GPUDevice): Tuning {
  const tuning = chainedTuning(device);
  // Rows of counters for narrow subgroups fill the workgroup storage: tiles are short, and statuses as large as the keys.
  const isNarrow = (tuning.chained?.[1].many.subgroup ?? NARROW) < NARROW;
  return isNarrow ? { ...tuning, chained: undefined } : tuning;
}

/** The tuning of `device` with a chained sort wherever one is right, however narrow the subgroups. */
export function chainedTuning(device: GPUDevice): Tuning {
  const subgroup = subgroupOf(device);
  const shapesFor = (words: 1 | 2): Shapes | undefined => {
    if (subgroup === undefined) return undefined;
    const { maxComputeInvocationsPerWorkgroup, maxComputeWorkgroupSizeX } = device.limits;
    const budget: Budget = {
      ...subgroup,
      invocations: Math.min(maxComputeInvocationsPerWorkgroup, maxComputeWorkgroupSizeX),
      storage: device.limits.maxComputeWorkgroupStorageSize,
    };
    const isTuned = device.adapterInfo?.vendor === 'nvidia';
    const shapeFor = (aim: Aim): Shape | undefined =>
      fit(aim, budget, isTuned ? aim.groups : GROUPS);
    const [few, many] = [shapeFor(AIMS[words].few), shapeFor(AIMS[words].many)];
    return few && many && { few, many };
  };
  const [narrow, wide] = [shapesFor(1), shapesFor(2)];
  return { chained: narrow && wide && { 1: narrow, 2: wide }, ...LIMITS };
}

/** The size of all subgroups, and whether it has to be asked for; undefined where nobody can be sure of it. */
function subgroupOf(
  device: GPUDevice,
): Pick<Shape, 'subgroup' | 'needsSizeControl' | 'hasSubgroupId'> | undefined {
  if (!device.features.has('subgroups')) return undefined;
  const { subgroupMinSize: least = 4, subgroupMaxSize: most = 128 } = device.adapterInfo ?? {};
  const hasSubgroupId = deviceHasSubgroupId(device);
  if (least === most) return { subgroup: least, needsSizeControl: false, hasSubgroupId };
  if (!device.features.has('subgroup-size-control')) return undefined;
  return { subgroup: Math.min(most, Math.max(least, 32)), needsSizeControl: true, hasSubgroupId };
}

/** Workgroup storage besides `pool` of kernels/wgsl/chained-scan/sweep.wgsl: bases, sums of subgroups, and single words. */
const besides = (subgroups: number): number => 4 * (RADIX + subgroups + 8);

/** Subgroups below this are narrow: what their keys unroll to takes long to compile, for little. */
const NARROW = 16;
const NARROW_KEYS = 7;

/** The shape nearest to `aim` that a device has room for. */
export function fit(aim: Aim, budget: Budget, groups: number): Shape | undefined {
  const { subgroup, needsSizeControl, hasSubgroupId, invocations, storage } = budget;
  const keys = subgroup < NARROW ? Math.min(aim.keys, NARROW_KEYS) : aim.keys;
  // Halved, threads stay a multiple of the subgroup, and a divisor or a multiple of RADIX.
  for (let threads = aim.threads; threads >= subgroup && threads >= 32; threads /= 2) {
    const subgroups = threads / subgroup;
    const words = Math.floor((storage - besides(subgroups)) / 4);
    if (threads > invocations || subgroups * RADIX > words) continue;
    const most = Math.floor(words / threads);
    if (most < 1) continue;
    return {
      subgroup,
      needsSizeControl,
      hasSubgroupId,
      threads,
      keys: Math.min(keys, most),
      groups,
    };
  }
  return undefined;
}
