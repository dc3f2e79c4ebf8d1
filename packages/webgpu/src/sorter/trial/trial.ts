/**
 * Tries a device's fast kernels before any of their results is believed.
 *
 * Chained scans rely on the lanes of a subgroup being in step between a ballot and the stores after
 * it (kernels/wgsl/fragments/rank.wgsl). WGSL does not promise that. So kernels that were compiled
 * for a device first sort some thousand keys, once. If the result is wrong, all sorters that are
 * made on the device from then on use kernels without subgroups.
 *
 * Sorts by a map without subgroups are tried, too, because they have run on few kinds of GPUs so
 * far. If they are wrong, reduce-then-scan does without them.
 *
 * If sorts may be hybrid, the trial forces a hybrid one, so that all its stages run. Its keys are
 * chosen such that some batches are too long for a workgroup's storage. Where a sample may find
 * heavy values (kernels/wgsl/fragments/heavy-values.wgsl), another trial lets it decide: it finds
 * the value of a quarter of the keys, which the sweeps then leave out.
 */

import { keyTraits, type SortWarning } from '@keysweep/core';
import {
  maxSampled,
  mayBeThinned,
  splitTileOf,
  sweepTileOf,
  type Widths,
} from '@keysweep/kernels/wgsl';
import { inErrorScopes, OutOfMemoryError } from '../../device/errors.js';
import type { GPUBuffer, GPUDevice } from '../../device/gpu-types.js';
import { BufferUsage, MapMode } from '../../device/usage.js';
import {
  type GpuKeyType,
  optionsInBinding,
  type SorterOptions,
  widthsOf,
} from '../arguments/options.js';
import { makeBuffer, type RecordedSort } from '../recording/device-sort.js';
import { pipelinesFor } from '../recording/pipelines.js';
import { countBindings, directCount, numberTable } from '../recording/uniforms.js';
import {
  batchesOf,
  ChainedScanSort,
  plainMostOf,
  sampledShapes,
  shapeOf,
} from '../sorts/chained-scan-sort.js';
import { portableTargetsOf, ReduceScanSort } from '../sorts/reduce-scan-sort.js';
import { WorkgroupSort } from '../sorts/workgroup-sort.js';
import {
  type BatchTarget,
  chainedShapes,
  maxInWorkgroup,
  type Shape,
  setTuning,
  tuningOf,
} from '../tuning/tuning.js';

/** Keys of a trial: this many, and a tile and a half at least. */
const MIN_KEYS = 5000;

/** Runs of a trial of regular sampling. */
const TRIED_RUNS = 2.5;

/** Places of a tile that a trial of one tile leaves free. */
const FREE_PLACES = 5;

const { STORAGE, COPY_SRC, COPY_DST, MAP_READ } = BufferUsage;

/** The trials that were made on a device, by the kernels that they tried. */
const trials = new WeakMap<GPUDevice, Map<string, Promise<void>>>();

/** The methods of a sort that a trial calls. */
type TriedSort<Groups> = Pick<RecordedSort<Groups>, 'bind' | 'record' | 'destroy'>;

/** A sort that is tried. */
interface Trial {
  /** Names the kernels, so that each trial is made once. */
  readonly kernels: string;
  /**
   * Sorts, and resolves to what is wrong with the result; undefined if nothing is.
   * @throws OutOfMemoryError; an Error if the device is lost.
   */
  readonly fault: () => Promise<Error | undefined>;
}

/**
 * Tries the kernels that sort `least` to `options.maxCount` keys, unless that was done on `device`
 * before. If they are wrong it calls `warn`, and sorters made from then on do without them.
 * @throws OutOfMemoryError; an Error if the device is lost. The next call tries again.
 */
export async function tryKernels(
  device: GPUDevice,
  options: SorterOptions,
  least: number,
  warn: (warning: SortWarning) => void,
): Promise<void> {
  // Sorts by a map serve where chained scans don't, also where these have failed.
  for (const family of ['chained', 'portableMap'] as const) {
    const inBinding = optionsInBinding(device, options);
    // Chunks have nearly half of what a binding holds, at least.
    const from = Math.min(least, Math.ceil(inBinding.maxCount / 4));
    const trials = family === 'chained' ? trialsOf : mapTrialsOf;
    for (const { kernels, fault } of trials(device, inBinding, from)) {
      // After one trial that went wrong, none of these kernels is used any more.
      if (tuningOf(device)[family] === undefined) break;
      await tryOnce(device, kernels, fault, (cause) => refuse(device, family, cause, warn));
    }
  }
}

/** Has sorters on `device` do without the kernels that failed. */
function refuse(
  device: GPUDevice,
  family: 'chained' | 'portableMap',
  cause: Error,
  warn: (warning: SortWarning) => void,
): void {
  setTuning(device, { ...tuningOf(device), [family]: undefined });
  warn({
    code: 'gpu-not-trusted',
    message:
      `the GPU's fast kernels failed a trial: ${cause.message}. The portable ones serve, ` +
      'which can take several times as long. A newer driver or browser may help.',
    cause,
  });
}

/** Tries `kernels`, unless that was done on `device` before. Calls `refuse` with what is wrong. */
export async function tryOnce(
  device: GPUDevice,
  kernels: string,
  fault: Trial['fault'],
  refuse: (cause: Error) => void,
): Promise<void> {
  const known = trials.get(device) ?? new Map<string, Promise<void>>();
  trials.set(device, known);
  const make = async (): Promise<void> => {
    const cause = await fault();
    if (cause !== undefined) refuse(cause);
  };
  const trial = known.get(kernels) ?? make();
  known.set(kernels, trial);
  trial.catch(() => known.delete(kernels));
  await trial;
}

/** The trials of what sorts from `least` to `options.maxCount` keys: of tiles, then of batches. */
function trialsOf(device: GPUDevice, options: SorterOptions, least: number): Trial[] {
  const { maxCount } = options;
  const widths = widthsOf(options);
  const keyType = trialType(options);
  const tuning = tuningOf(device);
  const shapes = chainedShapes(device, widths);
  if (shapes === undefined) return [];
  const nameOf = (...parts: unknown[]): string =>
    JSON.stringify([keyType, widths.valueWords, ...parts]);
  const chainedFault = (
    shape: Shape,
    target?: BatchTarget,
    isForced = true,
  ): Promise<Error | undefined> => {
    const count = Math.max(MIN_KEYS, Math.ceil(1.5 * sweepTileOf(shape)));
    const forced = target && [{ ...target, least: 2, most: count, isForced }];
    const batches = forced && { keys: forced, pairs: forced, wide: forced, widePairs: forced };
    const sweeping = { ...tuning, batches, sampling: undefined };
    return faultOf(device, widths, count, () => {
      const alike = { ...shapes, few: shape, middle: shape, many: shape };
      const sort = { keyType, maxCount: count };
      return new ChainedScanSort(device, sort, widths, alike, sweeping);
    });
  };

  const { maxFew, maxMiddle } = tuning;
  const targets = batchesOf(options, widths, tuning);
  const sampled = sampledShapes(options, widths, tuning);
  const ofWorkgroup = maxInWorkgroup(widths.keyWords, shapes);
  const most = Math.max(ofWorkgroup, ...sampled.map(maxSampled));
  const plainMost = plainMostOf(maxCount, targets);
  const tile = shapes.one.threads * shapes.one.keys;
  const plain: Trial[] = [];
  if (least <= tile) {
    plain.push({
      kernels: nameOf('one', shapes.one),
      fault: () =>
        faultOf(device, widths, tile - FREE_PLACES, () => {
          const sort = { keyType, maxCount: tile };
          return new WorkgroupSort(device, sort, widths, shapes);
        }),
    });
  }
  for (const shape of sampled.filter((one) => least <= maxSampled(one))) {
    const { threads, keys } = shape.run;
    // Several runs, the last of which is not whole.
    const count = Math.ceil(TRIED_RUNS * threads * keys);
    plain.push({
      kernels: nameOf('sampling', shape),
      fault: () =>
        faultOf(device, widths, count, () => {
          const all = { keys: [shape], pairs: [shape], wide: [shape], widePairs: [shape] };
          const sort = { keyType, maxCount: count };
          return new ChainedScanSort(device, sort, widths, shapes, { ...tuning, sampling: all });
        }),
    });
  }
  const ranges = [
    { name: 'few', from: most + 1, to: maxFew },
    { name: 'middle', from: Math.max(most, maxFew) + 1, to: maxMiddle },
    { name: 'many', from: Math.max(most, maxFew, maxMiddle) + 1, to: maxCount },
  ] as const;
  for (const { name, from, to } of ranges) {
    if (Math.max(from, least) > Math.min(to, plainMost)) continue;
    const shape = shapes[name];
    plain.push({ kernels: nameOf(name, shape), fault: () => chainedFault(shape) });
  }
  const hybrid = targets
    .filter((target) => least <= target.most)
    .flatMap((target) => {
      const shape = shapeOf(target, shapes, tuning);
      const { threads, keys, isMapped, sweeps } = target;
      const kernels = nameOf('batches', shape, { threads, keys, isMapped });
      const tried = [{ kernels, fault: () => chainedFault(shape, target) }];
      if (sweeps !== undefined) {
        tried.unshift({ kernels: nameOf('sweeps', sweeps), fault: () => chainedFault(shape) });
      }
      if (mayBeThinned(widths, target)) {
        const thinned = () => chainedFault(shape, target, false);
        tried.push({ kernels: `${kernels} heavy`, fault: thinned });
      }
      return tried;
    });
  return [...plain, ...hybrid];
}

/** The trials of sorts by a map without subgroups of `least` to `options.maxCount` keys. */
function mapTrialsOf(device: GPUDevice, options: SorterOptions, least: number): Trial[] {
  const widths = widthsOf(options);
  const { chained, portableMap } = tuningOf(device);
  if (chained !== undefined || portableMap === undefined) return [];
  const keyType = trialType(options);
  const { splits } = portableMap;
  const count = Math.max(MIN_KEYS, Math.ceil(1.5 * splitTileOf(widths, splits)));
  return portableTargetsOf(options, widths, portableMap)
    .filter((target) => least <= target.most)
    .map((target) => {
      const { threads, keys } = target;
      const forced = [{ ...target, least: 2, most: count, isForced: true }];
      const batches = { keys: forced, wide: forced };
      const sort = { keyType, maxCount: count };
      const tuning = { portableMap: { ...portableMap, batches } };
      return {
        kernels: JSON.stringify([keyType, 'map', splits, threads, keys]),
        fault: () =>
          faultOf(device, widths, count, () => new ReduceScanSort(device, sort, widths, tuning)),
      };
    });
}

/** A type whose keys are sorted by the same kernels, and by the order of their bits if positive. */
export function trialType({ keyType }: SorterOptions): GpuKeyType {
  const { bits, kind } = keyTraits(keyType);
  if (kind === 'float') return bits === 64 ? 'f64' : 'f32';
  return bits === 64 ? 'u64' : 'u32';
}

/**
 * What is wrong with a sort of `count` records on `device`; undefined if nothing is. `ends`: of a
 * sort of segments, where each ends.
 * @throws OutOfMemoryError; an Error where the device is lost.
 */
export async function faultOf<Groups>(
  device: GPUDevice,
  widths: Widths,
  count: number,
  makeSort: () => TriedSort<Groups>,
  ends: readonly number[] = [count],
): Promise<Error | undefined> {
  const records = trialRecords(widths, count);
  const [keys] = records;
  const made: { destroy(): void }[] = [];
  try {
    const { value: readback, error } = await inErrorScopes(device, () => {
      const sort = makeSort();
      made.push(sort);
      const sorted = records.map((words) => {
        const usage = STORAGE | COPY_SRC | COPY_DST;
        const buffer = makeBuffer(device, 'keysweep trial', words.byteLength, usage);
        made.push(buffer);
        device.queue.writeBuffer(buffer, 0, words);
        return buffer;
      });
      const size = sorted.reduce((sum, buffer) => sum + buffer.size, 0);
      const readback = makeBuffer(device, 'keysweep trial readback', size, COPY_DST | MAP_READ);
      made.push(readback);
      submit(device, sort, widths, count, sorted, readback);
      return readback;
    });
    if (error instanceof OutOfMemoryError) throw error;
    if (readback === undefined || error !== undefined) return error;
    await readback.mapAsync(MapMode.READ);
    return faultIn(new Uint32Array(readback.getMappedRange()), keys, widths, ends);
  } finally {
    for (const item of made) item.destroy();
  }
}

/** Submits a sort of `count` records, and their copy to `readback`: keys, then values. */
function submit<Groups>(
  device: GPUDevice,
  sort: TriedSort<Groups>,
  widths: Widths,
  count: number,
  records: readonly GPUBuffer[],
  readback: GPUBuffer,
): void {
  const numbers = pipelinesFor(device, widths).group(
    'commandNumbers',
    countBindings(numberTable(device)),
  );
  const groups = sort.bind(records.map((buffer) => ({ buffer })));
  const encoder = device.createCommandEncoder({ label: 'keysweep trial' });
  const pass = encoder.beginComputePass({ label: 'keysweep trial' });
  sort.record(pass, groups, { group: numbers, offsets: directCount(count, 0) }, count);
  pass.end();
  let at = 0;
  for (const buffer of records) {
    encoder.copyBufferToBuffer(buffer, 0, readback, at, buffer.size);
    at += buffer.size;
  }
  device.queue.submit([encoder.finish()]);
}

/**
 * Keys, and as values their indices: the index in the low word, its complement in the high one.
 *
 * A key's bytes are scattered numbers of 1 to 8 bits. So every digit has values that are frequent
 * and values that are rare, and few lanes of a subgroup or many have the same one. A quarter of the
 * keys are equal, in runs of 128 words, so that all lanes have the same one, too. All keys are
 * positive and finite, whatever their type.
 */
function trialRecords(
  { keyWords, valueWords }: Widths,
  count: number,
): [keys: Uint32Array<ArrayBuffer>, ...values: Uint32Array<ArrayBuffer>[]] {
  const keys = new Uint32Array(keyWords * count);
  for (let i = 0; i < keys.length; i++) {
    const isInRun = (i >>> 7) % 4 === 0;
    const bits = scattered(isInRun ? 0 : i);
    const narrower = scattered(bits);
    let word = 0;
    for (let at = 0; at < 32; at += 8) {
      word |= (((bits >>> at) & 255) >>> ((narrower >>> at) & 7)) << at;
    }
    keys[i] = word & 0x7effffff;
  }
  if (valueWords === 0) return [keys];
  const values = new Uint32Array(valueWords * count);
  for (let i = 0; i < count; i++) {
    values[valueWords * i] = i;
    if (valueWords === 2) values[2 * i + 1] = ~i;
  }
  return [keys, values];
}

/** Bits that look random, made of a number >= 0. */
function scattered(number: number): number {
  const bits = Math.imul(number + 1, 0x9e3779b1);
  return Math.imul(bits ^ (bits >>> 15), 0x9e3779b1);
}

/**
 * What is wrong with `sorted` (keys, then values), compared with a sort on the host. `ends` says
 * where each segment ends.
 */
function faultIn(
  sorted: Uint32Array<ArrayBuffer>,
  keys: Uint32Array<ArrayBuffer>,
  { keyWords, valueWords }: Widths,
  ends: readonly number[],
): Error | undefined {
  const count = ends.at(-1) as number;
  const keysIn = (words: Uint32Array<ArrayBuffer>): Uint32Array | BigUint64Array =>
    keyWords === 2 ? new BigUint64Array(words.buffer, words.byteOffset, count) : words;
  const input = keysIn(keys);
  const expected = input.slice();
  for (const [i, end] of ends.entries()) expected.subarray(ends[i - 1] ?? 0, end).sort();
  const starts = new Set(ends);
  const actual = keysIn(sorted);
  const values = sorted.subarray(keyWords * count);
  for (let i = 0; i < count; i++) {
    if (actual[i] !== expected[i]) return new Error(`key ${i} of ${count} was wrong`);
    if (valueWords === 0) continue;
    const row = values[valueWords * i] as number;
    const isOwn = input[row] === actual[i];
    const isWhole = valueWords === 1 || values[2 * i + 1] === ~row >>> 0;
    const isFirst = i === 0 || starts.has(i) || actual[i - 1] !== actual[i];
    const isStable = isFirst || (values[valueWords * (i - 1)] as number) < row;
    if (!isOwn || !isWhole || !isStable) return new Error(`value ${i} of ${count} was wrong`);
  }
  return undefined;
}
