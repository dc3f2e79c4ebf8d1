/// <reference lib="esnext.disposable" preserve="true" />
/** Sorting buffers that already live on the GPU. */

import type { SortWarning } from '@keysweep/core';
import type { Widths } from '@keysweep/kernels/wgsl';
import { inErrorScopes } from '../device/errors.js';
import type {
  GPUBindGroup,
  GPUBuffer,
  GPUBufferBinding,
  GPUCommandEncoder,
  GPUComputePassEncoder,
  GPUComputePassTimestampWrites,
  GPUDevice,
} from '../device/gpu-types.js';
import { ChainedScanSort } from './chained-scan-sort.js';
import type { DeviceSort, PingPong, RecordBuffers } from './device-sort.js';
import { Indices } from './indices.js';
import {
  checkArguments,
  checkEncoder,
  checkOptions,
  type RadixSortArguments,
  type RadixSorterOptions,
  type SorterOptions,
  widthsOf,
} from './options.js';
import { forgetPipelines, pipelinesFor } from './pipelines.js';
import { ReduceScanSort } from './reduce-scan-sort.js';
import { tryKernels } from './trial.js';
import { chainedShapes, detectSubgroupId, tuningOf } from './tuning.js';
import {
  countBindings,
  directCount,
  forgetNumbers,
  indirectCount,
  numberTable,
} from './uniforms.js';
import { type SegmentTables, WorkgroupSort } from './workgroup-sort.js';

/**
 * Elements that a binding may begin earlier, so that it is aligned to 256 bytes on every device.
 */
const WINDOW = 64;

/**
 * Sorts keys, or keys with payloads, in place, in GPU buffers of the caller's.
 *
 * Cost: O(`count`) a digit of 8 bits, for each digit in which the keys differ; the GPU finds out
 * which.
 * Stable: equal keys keep the order of their payloads, ascending and descending.
 *
 * Order: that of ECMAScript's typed arrays. −0 comes before +0, every NaN comes last (descending:
 * the reverse), and all bits of a key are kept. 64-bit keys are two 32-bit words, the low word
 * first.
 *
 * ```ts
 * const options = { keyType: 'f32', valueType: 'u32', maxCount: 1e6 } as const;
 * const sorter = await RadixSorter.create(device, options);
 * // keys: 2.5, -1, 2.5, -0     values: 0, 1, 2, 3
 * sorter.encode(encoder, { keys, values, count: 4 });
 * device.queue.submit([encoder.finish()]);
 * // keys: -1, -0, 2.5, 2.5     values: 1, 3, 0, 2
 * ```
 *
 * Devices: WebGPU's default limits and no feature are enough. A device with the feature
 * 'subgroups', and 'subgroup-size-control' where its adapter has subgroups of several sizes, sorts
 * by chained scans, which are more than twice as fast. Request its adapter's limits for
 * workgroups, too.
 *
 * Memory: see `scratchBytes`. The device, the buffers and the encoder stay the caller's.
 *
 * Sources: Ha, Krüger and Silva, "Implicit radix sorting on GPUs"; Merrill and Grimshaw,
 * "Revisiting sorting for GPGPU stream architectures"; with subgroups Adinets and Merrill,
 * "Onesweep", and Stehle and Jacobsen, "A memory bandwidth-efficient hybrid radix sort on GPUs".
 */
export class RadixSorter {
  /**
   * GPU memory that the sorter holds, in bytes: the keys and payloads of `maxCount` records, and
   * at most 3 % of that and 4 KiB. With chained scans it is 160 KiB instead of 4 KiB, and 8 % on a
   * device of at most 16 KiB of workgroup storage. Only the order's 80 bytes where one workgroup
   * holds `maxCount` keys: 3,328 of 32 bits, 2,304 of 64, with chained scans up to 4,096. Besides,
   * all sorters of a device share 64 KiB.
   */
  readonly scratchBytes: number;
  readonly #device: GPUDevice;
  readonly #options: SorterOptions;
  readonly #widths: Widths;
  /** Made here, because `encode` allocates nothing. */
  readonly #numbers: GPUBuffer;
  readonly #workgroupSort: WorkgroupSort;
  readonly #indices: Indices;
  /** Where one workgroup cannot hold `maxCount` keys. */
  readonly #deviceSort: DeviceSort | undefined;
  /** The bind groups of the buffers that were recorded last. */
  #bound: BoundBuffers | undefined;

  /**
   * Makes a sorter for up to `maxCount` keys: compiles its kernels, if no sorter of the same
   * widths has done so on `device`, and allocates scratch memory. Kernels take milliseconds each
   * on most devices. Those of chained scans then sort some thousand keys as a trial. Where the
   * result is wrong, `onWarning` is told so, and sorters on `device` use the portable kernels.
   *
   * ```ts
   * const options = { keyType: 'u64', order: 'descending', maxCount: 2 ** 20 } as const;
   * const sorter = await RadixSorter.create(device, options);
   * sorter.scratchBytes; // at least 8,388,608: the keys once more
   * ```
   *
   * @throws TypeError for an option of the wrong type, RangeError for one out of range; Error
   *   where the device refuses a kernel, or has no memory.
   */
  static async create(device: GPUDevice, options: RadixSorterOptions): Promise<RadixSorter> {
    checkOptions(device, options);
    await detectSubgroupId(device);
    const { maxCount, onWarning = warnOnConsole } = options;
    try {
      await tryKernels(device, options, 0, onWarning);
    } catch (cause) {
      throw notMade(maxCount, cause as Error);
    }
    const { value, error } = await inErrorScopes(device, () => {
      const sorter = RadixSorter.make(device, options);
      sorter.#workgroupSort.compile();
      sorter.#deviceSort?.compile();
      if (options.valueType === 'index') sorter.#indices.compile();
      return sorter;
    });
    if (error === undefined) return value as RadixSorter;
    value?.destroy();
    forgetPipelines(device);
    forgetNumbers(device);
    throw notMade(maxCount, error);
  }

  /**
   * A sorter at once, also for keys of 8 and 16 bits in the highest bits of a word. The caller has
   * checked the options, and opens error scopes; kernels are compiled when they are first
   * recorded.
   * @internal
   */
  static make(device: GPUDevice, options: SorterOptions): RadixSorter {
    return new RadixSorter(device, options);
  }

  private constructor(device: GPUDevice, options: SorterOptions) {
    this.#device = device;
    this.#options = options;
    this.#widths = widthsOf(options);
    this.#numbers = numberTable(device);
    const shapes = chainedShapes(device, this.#widths, options.maxCount);
    this.#workgroupSort = new WorkgroupSort(device, options, this.#widths, shapes);
    this.#indices = new Indices(device, this.#widths, this.#workgroupSort.orderGroup);
    if (options.maxCount > this.#workgroupSort.most) {
      this.#deviceSort =
        shapes === undefined
          ? new ReduceScanSort(device, options, this.#widths)
          : new ChainedScanSort(device, options, this.#widths, shapes, tuningOf(device));
    }
    this.scratchBytes = this.#workgroupSort.bytes + (this.#deviceSort?.bytes ?? 0);
  }

  /**
   * Records one sort of keys `offset` to `offset + count - 1` and their payloads, in place.
   *
   * It records and does nothing else: it neither submits, waits, allocates GPU memory nor reads
   * back. One sorter may be recorded any number of times; its sorts share the scratch memory, one
   * after the other. `count` may be 0, and of no particular multiple. An `offset` that is a
   * multiple of 64 needs no extra room in a binding.
   *
   * ```ts
   * sorter.encode(encoder, { keys, values, count: 250_000, offset: 64 });
   * // As many keys as word 1 of `counts` says, which only the GPU knows:
   * sorter.encode(encoder, { keys, values, count: { buffer: counts, offset: 4 } });
   * ```
   *
   * `encoder` may be a compute pass, for a sort amid dispatches of your own. The sort leaves the
   * pass open, with a pipeline and bind groups 0 to 2 of its own: set yours again before your next
   * dispatch.
   *
   * ```ts
   * const pass = encoder.beginComputePass();
   * // ... dispatches that write the keys
   * sorter.encode(pass, { keys, values, count: 250_000 });
   * // ... dispatches that read them in order
   * pass.end();
   * ```
   *
   * @throws TypeError for an argument of the wrong type, a buffer without usage STORAGE, and
   *   values that are missing or too many; RangeError for a count over `maxCount`, a buffer that
   *   is too short, and more records than the device binds. Nothing is recorded then.
   */
  encode(encoder: GPUCommandEncoder | GPUComputePassEncoder, args: RadixSortArguments): void {
    this.encodeTimed(encoder, args, undefined);
  }

  /**
   * As `encode`. The pass writes timestamps, unless it is the caller's.
   * @internal
   */
  encodeTimed(
    encoder: GPUCommandEncoder | GPUComputePassEncoder,
    args: RadixSortArguments,
    timestampWrites: GPUComputePassTimestampWrites | undefined,
  ): void {
    checkEncoder(encoder);
    const within = (args.offset ?? 0) % WINDOW;
    checkArguments(args, this.#options, this.#widths, within, this.#device.limits);
    const { count } = args;
    // One record is in order, but for its index; a buffer that ends at `offset` cannot be bound.
    const fewest = this.#options.valueType === 'index' ? 1 : 2;
    const most = typeof count === 'number' ? count : this.#options.maxCount;
    if (most === 0 || this.#room(args) < fewest) return;
    const bound = this.#bind(args);
    const offsets =
      typeof count === 'number'
        ? directCount(count, within)
        : indirectCount(((count.offset ?? 0) / 4) % WINDOW, within);
    const countBinding = { group: bound.count, offsets };
    const pass =
      'beginComputePass' in encoder
        ? beginPass(encoder, 'keysweep sort', timestampWrites)
        : encoder;
    if (bound.indices !== undefined) this.#indices.record(pass, bound.indices, countBinding, most);
    if (most <= this.#workgroupSort.most || this.#deviceSort === undefined) {
      this.#workgroupSort.record(pass, bound.inPlace, countBinding, most);
    } else {
      this.#deviceSort.record(pass, bound.pingPong as PingPong, countBinding, most);
    }
    if (pass !== encoder) pass.end();
  }

  /** Frees the memory that the sorter holds. Sorts that were submitted before are finished. */
  destroy(): void {
    this.#bound = undefined;
    this.#workgroupSort.destroy();
    this.#deviceSort?.destroy();
  }

  [Symbol.dispose](): void {
    this.destroy();
  }

  /**
   * What the GPU planned for the last sort by many workgroups: `Plan` of
   * kernels/wgsl/fragments/order.wgsl, usage COPY_SRC.
   * @internal
   */
  get plan(): GPUBuffer | undefined {
    return this.#deviceSort?.plan;
  }

  /**
   * Records that the first `count` of `values`, of one word each, are their indices: for sorts of a
   * sorter with valueType 'u32', which other requests use, too.
   * @internal
   */
  encodeIndices(encoder: GPUCommandEncoder, values: GPUBuffer, count: number): void {
    const pass = beginPass(encoder, 'keysweep indices', undefined);
    const countBinding = { group: this.#countGroup(), offsets: directCount(count, 0) };
    const indices = this.#indices.bind({ buffer: values, size: 4 * count }, 0);
    this.#indices.record(pass, indices, countBinding, count);
    pass.end();
  }

  /**
   * Records the sort of each of many segments that fit one workgroup, instead of `encode`.
   * @internal
   */
  encodeSegments(
    encoder: GPUCommandEncoder,
    records: RecordBuffers,
    segments: SegmentTables,
    timestampWrites: GPUComputePassTimestampWrites | undefined,
  ): void {
    const pass = beginPass(encoder, 'keysweep segments', timestampWrites);
    this.#workgroupSort.recordSegments(pass, this.#workgroupSort.bind(records), segments);
    pass.end();
  }

  /**
   * Bind groups for the buffers of `args`; those of the last sort are used again where they fit.
   */
  #bind({ keys, values, count, offset = 0 }: RadixSortArguments): BoundBuffers {
    const first = offset - (offset % WINDOW);
    const gpuCount = typeof count === 'number' ? undefined : count;
    const countAt = (gpuCount?.offset ?? 0) - ((gpuCount?.offset ?? 0) % (4 * WINDOW));
    const identity = [keys, values, first, gpuCount?.buffer, countAt];
    const last = this.#bound;
    if (last?.identity.every((part, i) => part === identity[i])) return last;

    const { keyWords, valueWords } = this.#widths;
    const boundKeys = this.#window(keys, first, 4 * keyWords);
    const boundValues = values && this.#window(values, first, 4 * valueWords);
    const records: RecordBuffers = boundValues ? [boundKeys, boundValues] : [boundKeys];
    const counts =
      gpuCount === undefined
        ? undefined
        : {
            buffer: gpuCount.buffer,
            offset: countAt,
            size: Math.min(4 * WINDOW, gpuCount.buffer.size - (gpuCount.buffer.size % 4) - countAt),
          };
    this.#bound = {
      identity,
      count: this.#countGroup(counts),
      indices:
        boundValues && this.#options.valueType === 'index'
          ? this.#indices.bind(boundValues, first)
          : undefined,
      inPlace: this.#workgroupSort.bind(records),
      pingPong: this.#deviceSort?.bind(records),
    };
    return this.#bound;
  }

  #countGroup(counts?: GPUBufferBinding): GPUBindGroup {
    const pipelines = pipelinesFor(this.#device, this.#widths);
    return pipelines.group('commandNumbers', countBindings(this.#numbers, counts));
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

const notMade = (maxCount: number, cause: Error): Error =>
  new Error(`no RadixSorter for ${maxCount} keys: ${cause.message}`, { cause });

const warnOnConsole = ({ message, code, cause }: SortWarning): void =>
  console.warn(`keysweep: ${message} [${code}]`, cause);

interface BoundBuffers {
  /** The buffers and offsets that the groups were made for. */
  readonly identity: readonly unknown[];
  readonly count: GPUBindGroup;
  /** Of a sorter that writes the indices. */
  readonly indices: GPUBindGroup | undefined;
  readonly inPlace: GPUBindGroup;
  readonly pingPong: PingPong | undefined;
}
