/** Sorting buffers that already live on the GPU. */

import { type KeyType, keyTraits } from '@keysweep/core';
import { watch } from '../device/errors.js';
import { learnLanguage } from '../device/language-features.js';
import { ChainedSort } from './chained-scan-sort.js';
import { checkArguments, checkOptions } from './checks.js';
import {
  directCount,
  forgetNumbers,
  GIVEN_NUMBERS,
  indirectCount,
  numberBinding,
  numberTable,
} from './command-numbers.js';
import { tileOf, type Widths } from './constants.js';
import type { RadixSortArguments, RadixSorterOptions } from './options.js';
import { forgetPipelines, pipelinesFor } from './pipelines.js';
import { LargeSort, type Moves, type Recorder, type Records } from './reduce-scan-sort.js';
import { MOST_CHAINED, tuningOf } from './tuning.js';
import { type SegmentTables, SmallSort } from './workgroup-sort.js';

/** Keys that a binding may be moved by without breaking any device's alignment of 256 bytes. */
const WINDOW = 64;

/**
 * A stable radix sort of keys, or of keys with payloads, in the caller's GPU buffers.
 *
 * ```ts
 * const sorter = await RadixSorter.create(device, { keyType: 'f32', valueType: 'u32', maxCount: 1e6 });
 * sorter.encode(encoder, { keys, values, count: 250_000 });   // records; nothing else
 * device.queue.submit([encoder.finish()]);                    // keys and values are sorted in place
 * ```
 *
 * Floats are ordered as ECMAScript orders them: −0 before +0, every NaN last (descending: the reverse), all bits kept.
 * Needs no feature and no limit beyond WebGPU's defaults. A device that was requested with the feature 'subgroups' (and
 * 'subgroup-size-control', where its adapter has subgroups of several sizes), and with its adapter's limits for workgroups, sorts
 * twice as fast and more. Digits that all keys share are not sorted on, which is found out on the GPU: O(count) a digit
 * that differs, 8 bits each.
 *
 * After Ha, Krüger and Silva, "Implicit radix sorting on GPUs", and Merrill and Grimshaw, "Revisiting
 * sorting for GPGPU stream architectures"; with subgroups, Adinets and Merrill, "Onesweep".
 */
export class RadixSorter {
  /**
   * GPU memory that the sorter holds, in bytes: `maxCount` keys and payloads once more, and 3 % of that and 4 KiB at most;
   * where subgroups serve, 160 KiB instead of the 4, and 8 % on a device of no more than 16 KiB of workgroup storage.
   * Next to nothing where one workgroup sorts `maxCount` keys. Besides, the sorters of a device share 64 KiB.
   */
  readonly scratchBytes: number;
  readonly #device: GPUDevice;
  readonly #options: SorterOptions;
  readonly #widths: Widths;
  /** Here and not in `encode`, which allocates nothing. */
  readonly #numbers: GPUBuffer;
  readonly #small: SmallSort;
  readonly #large: Recorder | undefined;
  /** The bind groups of the buffers that were recorded last. */
  #bound: Bound | undefined;

  /**
   * Makes a sorter: compiles what no sorter of these widths has needed on `device` before, and allocates scratch.
   * @throws TypeError, RangeError for options that can't be; Error where the device refuses, or lacks the memory.
   */
  static async create(device: GPUDevice, options: RadixSorterOptions): Promise<RadixSorter> {
    checkOptions(device, options);
    await learnLanguage(device);
    const { value, error } = await watch(device, () => {
      const sorter = RadixSorter.make(device, options);
      sorter.#small.compile();
      sorter.#large?.compile();
      return sorter;
    });
    if (error === undefined) return value as RadixSorter;
    value?.destroy();
    forgetPipelines(device);
    forgetNumbers(device);
    const what = `no RadixSorter for ${options.maxCount} keys: ${error.message}`;
    throw new Error(what, { cause: error });
  }

  /**
   * A sorter at once, and for keys of 8 and 16 bits too: see words.ts. The caller has checked the options, and watches
   * the device's errors; kernels are compiled when they are first recorded.
   * @internal
   */
  static make(device: GPUDevice, options: SorterOptions): RadixSorter {
    return new RadixSorter(device, options);
  }

  private constructor(device: GPUDevice, options: SorterOptions) {
    const { keyType, valueType, maxCount, approximate = false } = options;
    this.#device = device;
    this.#options = options;
    this.#widths = {
      keyWords: keyTraits(keyType).bits === 64 ? 2 : 1,
      valueWords: valueType === undefined ? 0 : valueType === 'u64' ? 2 : 1,
      approximate,
    };
    this.#numbers = numberTable(device);
    this.#small = new SmallSort(device, options, this.#widths);
    const isLarge = maxCount > tileOf(this.#widths.keyWords);
    this.#large = isLarge ? makeLarge(device, options, this.#widths) : undefined;
    this.scratchBytes = this.#small.bytes + (this.#large?.bytes ?? 0);
  }

  /**
   * Records one sort. It neither submits, waits, reads back nor allocates GPU memory; the same sorter may be
   * recorded any number of times, each sort using the same scratch, one after the other.
   * @throws TypeError, RangeError for arguments that can't be; nothing is recorded then.
   */
  encode(encoder: GPUCommandEncoder, args: RadixSortArguments): void {
    this.encodeTimed(encoder, args, undefined);
  }

  /**
   * As `encode`, in a pass that writes timestamps.
   * @internal
   */
  encodeTimed(
    encoder: GPUCommandEncoder,
    args: RadixSortArguments,
    timestampWrites: GPUComputePassTimestampWrites | undefined,
  ): void {
    const within = (args.offset ?? 0) % WINDOW;
    checkArguments(args, this.#options, this.#widths, within, this.#device.limits);
    const { count } = args;
    // One record is in order, and of a buffer that ends at `offset` there is nothing to bind.
    if (count === 0 || this.#room(args) < 2) return;
    const bound = this.#bind(args);
    const offsets =
      typeof count === 'number'
        ? directCount(count, within)
        : indirectCount(((count.offset ?? 0) / 4) % WINDOW, within);
    const given = { group: bound.counting, offsets };
    const pass = beginPass(encoder, 'keysweep sort', timestampWrites);
    const isSmall = typeof count === 'number' && count <= tileOf(this.#widths.keyWords);
    if (isSmall || this.#large === undefined) this.#small.record(pass, bound.inPlace, given);
    else {
      const most = typeof count === 'number' ? count : this.#options.maxCount;
      this.#large.record(pass, bound.moves as Moves, given, most);
    }
    pass.end();
  }

  /** Frees what the sorter made. Sorts that were submitted before are finished all the same. */
  destroy(): void {
    this.#bound = undefined;
    this.#small.destroy();
    this.#large?.destroy();
  }

  [Symbol.dispose](): void {
    this.destroy();
  }

  /**
   * What the GPU planned for the last sort of more keys than one workgroup takes: `Plan` of kernels/wgsl/fragments/order.wgsl,
   * usage COPY_SRC.
   * @internal
   */
  get plan(): GPUBuffer | undefined {
    return this.#large?.plan;
  }

  /**
   * Records the sort of each of many segments that fit one workgroup, instead of `encode`.
   * @internal
   */
  encodeSegments(
    encoder: GPUCommandEncoder,
    records: Records,
    segments: SegmentTables,
    timestampWrites: GPUComputePassTimestampWrites | undefined,
  ): void {
    const pass = beginPass(encoder, 'keysweep segments', timestampWrites);
    this.#small.recordSegments(pass, this.#small.bind(records), segments);
    pass.end();
  }

  /** Bind groups for the buffers of `args`; those of the last sort are used again where they fit. */
  #bind({ keys, values, count, offset = 0 }: RadixSortArguments): Bound {
    const first = offset - (offset % WINDOW);
    const counted = typeof count === 'number' ? undefined : count;
    const countAt = (counted?.offset ?? 0) - ((counted?.offset ?? 0) % (4 * WINDOW));
    const identity = [keys, values, first, counted?.buffer, countAt];
    const last = this.#bound;
    if (last?.identity.every((part, i) => part === identity[i])) return last;

    const { keyWords, valueWords } = this.#widths;
    const home: Records = [
      this.#window(keys, first, 4 * keyWords),
      ...(values === undefined ? [] : [this.#window(values, first, 4 * valueWords)]),
    ];
    const number = numberBinding(this.#numbers);
    const countIn =
      counted === undefined
        ? number
        : {
            buffer: counted.buffer,
            offset: countAt,
            size: Math.min(4 * WINDOW, counted.buffer.size - (counted.buffer.size % 4) - countAt),
          };
    this.#bound = {
      identity,
      counting: pipelinesFor(this.#device, this.#widths).group('commandNumbers', [
        ...Array.from({ length: GIVEN_NUMBERS }, () => number),
        countIn,
      ]),
      inPlace: this.#small.bind(home),
      moves: this.#large?.bind(home),
    };
    return this.#bound;
  }

  /** Records from `offset` on that the buffers have room for. */
  #room({ keys, values, offset = 0 }: RadixSortArguments): number {
    const { keyWords, valueWords } = this.#widths;
    const inKeys = keys.size / (4 * keyWords);
    const inValues = values === undefined ? inKeys : values.size / (4 * valueWords);
    return Math.floor(Math.min(inKeys, inValues)) - offset;
  }

  /** As much of a buffer as a binding may be, from element `first` on. */
  #window(buffer: GPUBuffer, first: number, bytes: number): GPUBufferBinding {
    const offset = first * bytes;
    const most = this.#device.limits.maxStorageBufferBindingSize;
    const size = Math.min(buffer.size - offset, most);
    return { buffer, offset, size: size - (size % bytes) };
  }
}

function beginPass(
  encoder: GPUCommandEncoder,
  label: string,
  timestampWrites: GPUComputePassTimestampWrites | undefined,
): GPUComputePassEncoder {
  return encoder.beginComputePass(
    timestampWrites === undefined ? { label } : { label, timestampWrites },
  );
}

function makeLarge(device: GPUDevice, options: SorterOptions, widths: Widths): Recorder {
  const { approximate = false, maxCount } = options;
  const tuning = tuningOf(device);
  const shapes = tuning.chained?.[widths.keyWords];
  // Codes of floats depend on the range of all keys, which only the portable variant finds out.
  return shapes === undefined || approximate || maxCount > MOST_CHAINED
    ? new LargeSort(device, options, widths)
    : new ChainedSort(device, options, widths, shapes, tuning);
}

/** Options of a sorter that may also be for keys of 8 and 16 bits. */
export type SorterOptions = Omit<RadixSorterOptions, 'keyType'> & { readonly keyType: KeyType };

interface Bound {
  /** The buffers and offsets that the groups were made for. */
  readonly identity: readonly unknown[];
  readonly counting: GPUBindGroup;
  readonly inPlace: GPUBindGroup;
  readonly moves: Moves | undefined;
}
