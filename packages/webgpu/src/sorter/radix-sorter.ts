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
import { type BoundChunks, ChunkSort } from './chunk-sort.js';
import type { DeviceSort, PingPong, RecordBuffers } from './device-sort.js';
import { Indices } from './indices.js';
import {
  ALIGNED,
  alignedDown,
  checkArguments,
  checkDevice,
  checkEncoder,
  checkOptions,
  mayDivide,
  optionsInBinding,
  type RadixSortArguments,
  type RadixSorterOptions,
  type SorterOptions,
  scratchRoom,
  widthsOf,
} from './options.js';
import { forgetPipelines, pipelinesFor } from './pipelines.js';
import { ReduceScanSort } from './reduce-scan-sort.js';
import { tryKernels } from './trial.js';
import { chainedShapes, detectSubgroupId, mostInBinding, tuningOf } from './tuning.js';
import {
  type CountBinding,
  countBindings,
  directCount,
  forgetNumbers,
  indirectCount,
  numberTable,
} from './uniforms.js';
import { type SegmentTables, WorkgroupSort } from './workgroup-sort.js';

/**
 * Sorts keys, or keys with payloads, in place, in GPU buffers of the caller's.
 *
 * Cost: O(`count`) a digit of 8 bits, for each digit in which the keys differ; the GPU finds out
 * which. With chained scans, keys that are in order already are only read.
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
   * device of at most 16 KiB of workgroup storage. Where one binding cannot hold `maxCount` records
   * it is 63 records and 256 bytes more. Only the order's 88 bytes where one workgroup holds
   * `maxCount` keys: 3,328 of 32 bits, 2,304 of 64, with chained scans up to 4,096. Besides, all
   * sorters of a device share 64 KiB.
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
  /** Where `maxCount` records may be more than one binding holds. */
  readonly #chunkSort: ChunkSort | undefined;
  /** Most records that one binding holds. */
  readonly #mostBound: number;

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
   * @throws TypeError for a `device` that is none, an option of the wrong type or another name;
   *   RangeError for one out of range; Error where the device refuses a kernel, or has no memory.
   */
  static async create(device: GPUDevice, options: RadixSorterOptions): Promise<RadixSorter> {
    checkDevice(device);
    await detectSubgroupId(device);
    const checked = checkOptions(device, options);
    const { maxCount, onWarning = warnOnConsole } = checked;
    try {
      await tryKernels(device, checked, 0, onWarning);
    } catch (cause) {
      throw notMade(maxCount, cause as Error);
    }
    const { value, error } = await inErrorScopes(device, () => {
      const sorter = RadixSorter.make(device, checked);
      sorter.#workgroupSort.compile();
      sorter.#deviceSort?.compile();
      sorter.#chunkSort?.compile();
      if (checked.valueType === 'index') sorter.#indices.compile();
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
    const inBinding = optionsInBinding(device, options);
    this.#device = device;
    this.#options = options;
    this.#widths = widthsOf(inBinding);
    this.#mostBound = mostInBinding(device, this.#widths);
    this.#numbers = numberTable(device);
    const shapes = chainedShapes(device, this.#widths);
    this.#workgroupSort = new WorkgroupSort(device, options, this.#widths, shapes);
    const { orderGroup } = this.#workgroupSort;
    this.#indices = new Indices(device, this.#widths, orderGroup);
    if (options.maxCount > this.#workgroupSort.most) {
      const room = scratchRoom(device, options);
      this.#deviceSort =
        shapes === undefined
          ? new ReduceScanSort(device, inBinding, this.#widths, room)
          : new ChainedScanSort(device, inBinding, this.#widths, shapes, tuningOf(device), room);
      if (mayDivide(device, options)) {
        const indices = options.valueType === 'index' ? this.#indices : undefined;
        const sort = this.#deviceSort;
        const most = this.#mostBound;
        this.#chunkSort = new ChunkSort(device, this.#widths, most, sort, indices, orderGroup);
      }
    }
    const sorts = [this.#workgroupSort, this.#deviceSort, this.#chunkSort];
    this.scratchBytes = sorts.reduce((sum, sort) => sum + (sort?.bytes ?? 0), 0);
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
   *   values that are missing or too many; RangeError for a count over `maxCount`, and a buffer
   *   that is too short. Nothing is recorded then.
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
    checkArguments(args, this.#options, this.#widths);
    const { count, offset = 0 } = args;
    const within = offset % ALIGNED;
    // One record is in order, but for its index; a buffer that ends at `offset` cannot be bound.
    const fewest = this.#options.valueType === 'index' ? 1 : 2;
    const room = this.#room(args);
    const most = typeof count === 'number' ? count : Math.min(room, this.#options.maxCount);
    if (most === 0 || room < fewest) return;
    const bound = this.#bind(args, within + most);
    const offsets =
      typeof count === 'number'
        ? directCount(count, within)
        : indirectCount(((count.offset ?? 0) / 4) % ALIGNED, within);
    const countBinding = { group: bound.count, offsets };
    const pass =
      'beginComputePass' in encoder
        ? beginPass(encoder, 'keysweep sort', timestampWrites)
        : encoder;
    if (bound.chunks !== undefined) {
      this.#chunkSort?.record(pass, bound.chunks, countBinding, within);
    } else {
      this.#recordWhole(pass, bound.whole, countBinding, most);
    }
    if (pass !== encoder) pass.end();
  }

  /** Records a sort of what one binding holds. */
  #recordWhole(
    pass: GPUComputePassEncoder,
    { indices, inPlace, pingPong }: BoundWhole,
    count: CountBinding,
    most: number,
  ): void {
    if (indices !== undefined) this.#indices.record(pass, indices, count, most);
    if (most <= this.#workgroupSort.most || this.#deviceSort === undefined) {
      this.#workgroupSort.record(pass, inPlace, count, most);
    } else {
      this.#deviceSort.record(pass, pingPong as PingPong, count, most);
    }
  }

  /** Frees the memory that the sorter holds. Sorts that were submitted before are finished. */
  destroy(): void {
    this.#bound = undefined;
    this.#workgroupSort.destroy();
    this.#deviceSort?.destroy();
    this.#chunkSort?.destroy();
  }

  [Symbol.dispose](): void {
    this.destroy();
  }

  /**
   * What the GPU planned for the last sort by many workgroups, or for its last chunk: `Plan` of
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
    const group = this.#countGroup();
    const length = alignedDown(this.#mostBound);
    for (let first = 0; first < count; first += length) {
      const own = Math.min(length, count - first);
      const window = { buffer: values, offset: 4 * first, size: 4 * own };
      const countBinding = { group, offsets: directCount(own, 0) };
      this.#indices.record(pass, this.#indices.bind(window, first), countBinding, own);
    }
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
   * Bind groups for the buffers of `args`, and `places` records there; those of the last sort are
   * used again where they fit.
   */
  #bind({ keys, values, count, offset = 0 }: RadixSortArguments, places: number): BoundBuffers {
    const first = alignedDown(offset);
    const gpuCount = typeof count === 'number' ? undefined : count;
    const countAt = (gpuCount?.offset ?? 0) - ((gpuCount?.offset ?? 0) % (4 * ALIGNED));
    // Of chunks their number and lengths depend on the number of records.
    const divided = places > this.#mostBound ? places : 0;
    const identity = [keys, values, first, gpuCount?.buffer, countAt, divided];
    const last = this.#bound;
    if (last?.identity.every((part, i) => part === identity[i])) return last;

    const counts =
      gpuCount === undefined
        ? undefined
        : {
            buffer: gpuCount.buffer,
            offset: countAt,
            size: Math.min(
              4 * ALIGNED,
              gpuCount.buffer.size - (gpuCount.buffer.size % 4) - countAt,
            ),
          };
    const bound = { identity, count: this.#countGroup(counts) };
    const buffers = values === undefined ? [keys] : [keys, values];
    this.#bound =
      divided > 0 && this.#chunkSort !== undefined
        ? { ...bound, chunks: this.#chunkSort.bind(buffers, first, places) }
        : { ...bound, whole: this.#bindWhole(buffers, first) };
    return this.#bound;
  }

  #bindWhole(buffers: readonly GPUBuffer[], first: number): BoundWhole {
    const { keyWords, valueWords } = this.#widths;
    const records = buffers.map((buffer, i) =>
      this.#window(buffer, first, 4 * (i === 0 ? keyWords : valueWords)),
    );
    const [, values] = records;
    return {
      indices:
        values && this.#options.valueType === 'index'
          ? this.#indices.bind(values, first)
          : undefined,
      inPlace: this.#workgroupSort.bind(records),
      pingPong: this.#deviceSort?.bind(records),
    };
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
    const elements = Math.min(Math.floor((buffer.size - offset) / bytes), this.#mostBound);
    return { buffer, offset, size: bytes * elements };
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
  globalThis.console?.warn(`keysweep: ${message} [${code}]`, cause);

/** Of records that one binding holds. */
interface BoundWhole {
  /** Of a sorter that writes the indices. */
  readonly indices: GPUBindGroup | undefined;
  readonly inPlace: GPUBindGroup;
  readonly pingPong: PingPong | undefined;
}

type BoundBuffers = {
  /** The buffers and offsets that the groups were made for. */
  readonly identity: readonly unknown[];
  readonly count: GPUBindGroup;
} & (
  | { readonly whole: BoundWhole; readonly chunks?: undefined }
  | { readonly chunks: BoundChunks }
);
