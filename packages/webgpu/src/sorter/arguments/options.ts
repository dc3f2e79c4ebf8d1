/** The options of `RadixSorter.create`, and the errors that name what is wrong with them. */

import {
  describe,
  type KeyBits,
  type KeyType,
  keyTraits,
  type Order,
  readOptions,
  type SortWarning,
} from '@keysweep/core';
import { CONSTANTS, type Widths } from '@keysweep/kernels/wgsl';
import type { GPUDevice } from '../../device/gpu-types.js';
import type { LabelledWidths } from '../recording/pipelines.js';
import { COUNT_LIMIT, type SharedScratch } from '../recording/uniforms.js';
import { chainedShapes, maxInBinding } from '../tuning/tuning.js';
import { checkBuffer, wholeNumber } from './sort-arguments.js';

const KEY_TYPES = ['u32', 'i32', 'f32', 'u64', 'i64', 'f64'] as const;
const VALUE_TYPES = ['u32', 'u64', 'index'] as const;
const ORDERS = ['ascending', 'descending'] as const;

/** Key types that a GPU buffer can hold. 64-bit keys are two 32-bit words, the low word first. */
export type GpuKeyType = (typeof KEY_TYPES)[number];

/**
 * Payload types: one 32-bit word, or two, whose meaning is the caller's; or 'index', a 32-bit word
 * that the sorter writes.
 */
export type GpuValueType = (typeof VALUE_TYPES)[number];

/** Options of a sorter. */
export interface RadixSorterOptions {
  /** The type of the keys. 64-bit keys are two words, the low one first. */
  readonly keyType: GpuKeyType;
  /**
   * The type of the payloads. Absent: only keys are sorted. With 'index' the buffer `values` need
   * not be filled, because it gets the permutation: each sort first writes there the index in
   * `keys` of every key to be sorted. That's one more dispatch, which writes 4 bytes a key, and no
   * more memory. The rest is as with 'u32'.
   *
   * ```ts
   * const options = { keyType: 'f32', valueType: 'index', maxCount: 4 } as const;
   * const sorter = await RadixSorter.create(device, options);
   * // keys: 9, 2.5, -1, 2.5
   * sorter.encode(encoder, { keys, values, count: 3, offset: 1 });
   * // keys: 9, -1, 2.5, 2.5     values from 1 on: 2, 1, 3
   * ```
   */
  readonly valueType?: GpuValueType | undefined;
  /** Default 'ascending'. Ties keep their order in both. */
  readonly order?: Order | undefined;
  /**
   * Most keys that one `encode` may sort, from 0 to 4,278,190,079, and no more than a buffer of the
   * device holds. Scratch memory is allocated for this many. If one binding cannot hold them, they
   * are sorted in chunks, which are then merged. With two chunks that moves every record twice
   * more.
   */
  readonly maxCount: number;
  /**
   * Most segments that one `encode` may sort. Absent: it sorts none. Takes memory, too: see
   * `scratchBytes`. `maxCount` is then at most what one binding of the device holds.
   */
  readonly maxSegments?: number | undefined;
  /**
   * Only the bits from `begin` up to `end`, exclusive, decide the order; keys that agree in them
   * keep their order. Fewer bits take fewer passes: at most one for each byte that they touch.
   *
   * The bits are taken from the key's word, which is its place among all keys of its type. So any
   * high bits give a coarser order of the same keys. The word of a 'u32' or 'u64' is the key
   * itself. For 'i32' and 'i64' it is the key less the smallest one. For 'f32' and 'f64' it is 0
   * for
   * -Infinity and one more for each next value, and the same for all NaNs. Not together with
   * `approximate`.
   *
   * ```ts
   * // Two passes instead of four. Positive keys never tie that differ by 1/128 of the larger.
   * const keyBits = { begin: 16, end: 32 };
   * const sorter = await RadixSorter.create(device, { keyType: 'f32', keyBits, maxCount: 4 });
   * // keys: 3, 1.001, 2, 1     sorted: 1.001, 1, 2, 3
   * ```
   */
  readonly keyBits?: KeyBits | undefined;
  /**
   * For 'f32': allows keys to be out of order if they are closer to each other than 2^-21 of the
   * largest finite magnitude, and if that is faster. Default false. Devices that sort by
   * reduce-then-scan then order by 24-bit codes, in at most three passes. Chained scans sort
   * exactly, because that is faster there. Sorts are also exact if one workgroup can sort the keys,
   * or if a binding cannot hold them.
   */
  readonly approximate?: boolean | undefined;
  /**
   * Called once per device if its fast kernels sort wrongly in a trial, so that the portable ones
   * serve. Also called once per device if it was made without a feature that its GPU has and that
   * makes sorts faster: see `RadixSorter.deviceDescriptor`. Default: `console.warn`.
   */
  readonly onWarning?: ((warning: SortWarning) => void) | undefined;
  /**
   * Part of the labels of all pipelines, buffers and passes that the sorter makes, and the name of
   * the debug group around each sort. Sorters with different labels compile their own pipelines.
   */
  readonly label?: string | undefined;
  /**
   * Your own buffers for the records, so that the sorter allocates hardly any memory. They must
   * have room for `maxCount` keys and as many values, and must not be the buffers that are sorted.
   * If one binding of the device cannot hold that many records, they need room for 63 more. Any
   * number of sorters may share them, whatever they sort, because sorts run one after the other and
   * the content between two sorts does not matter. They stay yours.
   *
   * ```ts
   * const scratch = { keys: spareKeys, values: spareValues };
   * const options = { keyType: 'f32', valueType: 'u32', maxCount: 1e6, scratch } as const;
   * const sorter = await RadixSorter.create(device, options);
   * ```
   */
  readonly scratch?: SharedScratch | undefined;
}

/** Options of a sorter that may also be for keys of 8 and 16 bits. */
export type SorterOptions = Omit<RadixSorterOptions, 'keyType'> & {
  readonly keyType: KeyType;
  /** At least this many leading bits of the keys' range decide. */
  readonly precision?: number | undefined;
};

/** The widths of a sorter's records, and its label. */
export const widthsOf = ({
  keyType,
  valueType,
  approximate = false,
  label,
}: SorterOptions): LabelledWidths => ({
  keyWords: keyTraits(keyType).bits === 64 ? 2 : 1,
  valueWords: valueType === undefined ? 0 : valueType === 'u64' ? 2 : 1,
  approximate,
  label,
});

const NAMES: ReadonlyArray<keyof RadixSorterOptions> = [
  'keyType',
  'valueType',
  'order',
  'maxCount',
  'maxSegments',
  'keyBits',
  'approximate',
  'onWarning',
  'label',
  'scratch',
];

/** @throws TypeError if `device` isn't a GPUDevice. */
export function checkDevice(device: unknown): void {
  if (typeof Object(device).createComputePipeline === 'function') return;
  throw new TypeError(
    `device must be a GPUDevice, as an adapter's requestDevice() gives, got ${describe(device)}`,
  );
}

/** The options, each read once. @throws TypeError, RangeError */
export function checkOptions(device: GPUDevice, given: RadixSorterOptions): RadixSorterOptions {
  const options = readOptions<RadixSorterOptions>(given, NAMES);
  const { keyType, valueType, order, maxCount, keyBits, approximate, onWarning, label } = options;
  oneOf('keyType', keyType, KEY_TYPES);
  if (valueType !== undefined) oneOf('valueType', valueType, VALUE_TYPES);
  if (order !== undefined) oneOf('order', order, ORDERS);
  wholeNumber('maxCount', maxCount, 0, COUNT_LIMIT - 1);
  const { bits } = keyTraits(keyType);
  if (keyBits !== undefined) {
    if (typeof keyBits !== 'object' || keyBits === null) {
      throw new TypeError(`keyBits must be an object { begin, end }, got ${describe(keyBits)}`);
    }
    wholeNumber('keyBits.begin', keyBits.begin, 0, bits);
    wholeNumber('keyBits.end', keyBits.end, keyBits.begin, bits);
  }
  if (approximate !== undefined && typeof approximate !== 'boolean') {
    throw new TypeError(`approximate must be true or false, got ${describe(approximate)}`);
  }
  if (approximate && keyType !== 'f32') {
    throw new TypeError(`approximate is for f32 keys, not ${keyType}`);
  }
  if (approximate && keyBits !== undefined) {
    throw new TypeError('keyBits must be left out with approximate: one of them decides the order');
  }
  if (onWarning !== undefined && typeof onWarning !== 'function') {
    throw new TypeError(`onWarning must be a function, got ${describe(onWarning)}`);
  }
  if (label !== undefined && typeof label !== 'string') {
    throw new TypeError(`label must be a string, got ${describe(label)}`);
  }
  checkRoom(device, options);
  checkScratch(device, options);
  const { maxSegments } = options;
  if (maxSegments !== undefined) {
    checkMaxSegments(device, maxSegments, maxCount, widthsOf(options));
  }
  return options;
}

/** @throws RangeError if the device cannot sort `maxCount` records. */
function checkRoom(device: GPUDevice, options: SorterOptions): void {
  const { maxCount } = options;
  const widths = widthsOf(options);
  const most = maxRecords(device, widths);
  if (maxCount <= most) return;
  const { maxBufferSize } = device.limits;
  const bytes = widestOf(widths);
  const why =
    (most + 1) * bytes > maxBufferSize
      ? `scratch for more is over the ${maxBufferSize} bytes of its largest buffer`
      : `more are over ${CONSTANTS.MAX_CHUNKS} bindings of ` +
        `${alignedDown(maxInBinding(device, widths))} records`;
  throw new RangeError(
    `maxCount ${maxCount} is over the ${most} records of this kind that this device sorts: ` +
      `${why}. Request a larger maxBufferSize and maxStorageBufferBindingSize, where its ` +
      'adapter has them',
  );
}

/** @throws TypeError if the caller's `scratch` is not buffers; RangeError if they are too small. */
function checkScratch(device: GPUDevice, options: SorterOptions): void {
  const { scratch, valueType } = options;
  if (scratch === undefined) return;
  if (typeof scratch !== 'object' || scratch === null) {
    throw new TypeError(`scratch must be { keys, values }, got ${describe(scratch)}`);
  }
  const { keys, values } = scratch;
  const { keyWords, valueWords } = widthsOf(options);
  const room = scratchRoom(device, options);
  checkBuffer('scratch.keys', keys, 4 * keyWords * room, room);
  if ((values === undefined) !== (valueType === undefined)) {
    const what = valueType === undefined ? 'was given to' : 'is missing for';
    throw new TypeError(`scratch.values ${what} a sorter of valueType ${String(valueType)}`);
  }
  if (values === undefined) return;
  if (values === keys) throw new TypeError('scratch.keys and scratch.values must be two buffers');
  checkBuffer('scratch.values', values, 4 * valueWords * room, room);
}

/** @throws TypeError or RangeError if `device` cannot sort these segments. */
function checkMaxSegments(
  device: GPUDevice,
  maxSegments: number,
  maxCount: number,
  widths: Widths,
): void {
  const { maxStorageBufferBindingSize: bytes } = device.limits;
  const most = Math.min(COUNT_LIMIT - 1, Math.floor(bytes / 4) - 1);
  wholeNumber('maxSegments', maxSegments, 0, most);
  const bound = maxInBinding(device, widths);
  if (maxCount <= bound) return;
  throw new RangeError(
    `maxCount ${maxCount} is over the ${bound} records that one binding of this device holds, ` +
      'and segments have to be in one. Request a larger maxStorageBufferBindingSize, where its ' +
      'adapter has it, or leave out maxSegments',
  );
}

/** Bytes of a record's key, or of its value if that is wider. */
const widestOf = ({ keyWords, valueWords }: Widths): number => 4 * Math.max(keyWords, valueWords);

/** Most records that `device` sorts at a time: a buffer of keys, in the bindings that it takes. */
export const maxRecords = (device: GPUDevice, widths: Widths): number =>
  Math.min(
    COUNT_LIMIT - 1,
    Math.floor(device.limits.maxBufferSize / widestOf(widths)),
    CONSTANTS.MAX_CHUNKS * alignedDown(maxInBinding(device, widths)) - ALIGNED,
  );

/** On every device a binding may begin at a multiple of this many records: 256 bytes of words. */
export const ALIGNED = 64;

export const alignedDown = (records: number): number => records - (records % ALIGNED);

/**
 * Whether a sort of up to `maxCount` records may need more than one binding. A binding also holds
 * some records before the first one, because it cannot begin anywhere.
 */
export const mayDivide = (device: GPUDevice, options: SorterOptions): boolean =>
  options.maxCount + ALIGNED - 1 > maxInBinding(device, widthsOf(options));

/**
 * The options of a sorter's sorts within one binding, of all records or of one chunk.
 *
 * `approximate` and `precision` are dropped for chunks, because codes of floats and bits of a range
 * depend on all keys, so every chunk would have its own. They are dropped for chained scans,
 * because finding the range first takes another read, after which codes of 24 bits save nothing.
 */
export function optionsInBinding(device: GPUDevice, options: SorterOptions): SorterOptions {
  const widths = widthsOf(options);
  const isDivided = mayDivide(device, options);
  const isChained = chainedShapes(device, widths) !== undefined;
  const inBinding = {
    ...options,
    maxCount: Math.min(options.maxCount, maxInBinding(device, widths)),
  };
  if (!isDivided && !isChained) return inBinding;
  return { ...inBinding, approximate: false, precision: undefined };
}

/** Records that scratch has room for, with those before the first one if chunks need it. */
export const scratchRoom = (device: GPUDevice, options: SorterOptions): number => {
  const most = Math.floor(device.limits.maxBufferSize / widestOf(widthsOf(options)));
  const { maxCount } = options;
  return mayDivide(device, options) ? Math.min(maxCount + ALIGNED - 1, most) : maxCount;
};

function oneOf(name: string, value: unknown, allowed: readonly string[]): void {
  if (allowed.includes(value as string)) return;
  throw new TypeError(`${name} must be one of ${allowed.join(', ')}, got ${describe(value)}`);
}
