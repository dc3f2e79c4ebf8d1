/// <reference lib="esnext.disposable" preserve="true" />
/** Sorting buffers that already live on the GPU. */

import { deviceDescriptor } from '../device/device-descriptor.js';
import type {
  GPUAdapter,
  GPUBuffer,
  GPUCommandEncoder,
  GPUComputePassEncoder,
  GPUComputePassTimestampWrites,
  GPUDevice,
  GPUDeviceDescriptor,
  WantedDevice,
} from '../device/gpu-types.js';
import { ALIGNED, type RadixSorterOptions, type SorterOptions } from './arguments/options.js';
import {
  checkArguments,
  checkEncoder,
  type RadixSortArguments,
  roomOf,
} from './arguments/sort-arguments.js';
import { type BoundWhole, countOffsets } from './buffers/bindings.js';
import { createTried, type SegmentModule } from './create-tried.js';
import { bytesOf, makeParts, type Parts } from './parts.js';
import type { PingPong, RecordBuffers } from './recording/device-sort.js';
import { type CountBinding, named } from './recording/uniforms.js';
import { checkSegments, type SegmentSortArguments } from './segments/segment-options.js';
import type { SegmentTables } from './sorts/workgroup-sort.js';

/**
 * Sorts keys, or keys with payloads, in place, in GPU buffers of the caller's.
 *
 * Cost: O(`count`) for each digit of 8 bits in which the keys differ. The GPU finds out by itself
 * which digits these are. With chained scans, keys that are in order already are only read if they
 * are more than 2^16.
 *
 * Stable: equal keys keep the order of their payloads, ascending and descending.
 *
 * Order: as in ECMAScript's typed arrays. −0 comes before +0, every NaN comes last (descending: the
 * reverse), and all bits of a key are kept. 64-bit keys are two 32-bit words, the low word first.
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
 * Devices: WebGPU's default limits and no feature are enough. Chained scans are up to twice as
 * fast, and with values up to five times. They need the feature 'subgroups', and
 * 'subgroup-size-control' if the adapter has subgroups of several sizes. `deviceDescriptor` asks
 * for what the adapter has.
 *
 * Memory: see `scratchBytes`. The device, the buffers and the encoder stay the caller's.
 *
 * Sources: Ha, Krüger and Silva, "Implicit radix sorting on GPUs"; Merrill and Grimshaw,
 * "Revisiting sorting for GPGPU stream architectures"; with subgroups Adinets and Merrill,
 * "Onesweep", Stehle and Jacobsen, "A memory bandwidth-efficient hybrid radix sort on GPUs", and
 * Shi and Schaeffer, "Parallel sorting by regular sampling".
 */
export class RadixSorter {
  /**
   * Bytes of GPU memory that the sorter holds: the keys and payloads of `maxCount` records, and a
   * little more.
   *
   * - That is at most 3 % and 4 KiB more, or with chained scans 3 % and 160 KiB. On a device with
   *   no more than 16 KiB of workgroup storage, chained scans take 8 % in place of 3 %.
   * - Without chained scans: 4 % and 640 KiB for 2^19 keys or more without values (2^18 of 64
   *   bits), because these may be sorted by a map.
   * - If one binding cannot hold `maxCount` records: 63 records and 256 bytes more.
   * - With `maxSegments`, and chained scans: about a byte a key more, however many segments there
   *   are, and 12 KiB.
   * - With `maxSegments`, without chained scans: 8 bytes a segment and 32 for every 1,700 keys
   *   more, 12 KiB, and as much as another sorter of `maxCount` keys with u32 values; if the sorter
   *   has no values, also 4 bytes a key.
   * - If one workgroup can sort `maxCount` keys (3,328 of 32 bits, 2,304 of 64, or 4,096 with
   *   chained scans), only 88 bytes.
   *
   * Memory that `scratch` gives is not counted. All sorters of a device also share 64 KiB.
   */
  readonly scratchBytes: number;
  readonly #device: GPUDevice;
  readonly #options: SorterOptions;
  readonly #parts: Parts;

  /**
   * Describes a device that sorts as fast as its GPU can. Adds to `descriptor` the features and
   * limits that sorts use, as far as `adapter` has them. If both name a limit, the higher value
   * counts.
   *
   * ```ts
   * const device = await adapter.requestDevice(RadixSorter.deviceDescriptor(adapter));
   * ```
   *
   * @throws TypeError if `adapter` is not an adapter, or `descriptor` not an object.
   */
  static deviceDescriptor(adapter: GPUAdapter, descriptor?: WantedDevice): GPUDeviceDescriptor {
    return deviceDescriptor(adapter, descriptor);
  }

  /**
   * Makes a sorter for up to `maxCount` keys: compiles its kernels, if no sorter of the same widths
   * has done so on `device`, and allocates scratch memory. Kernels take milliseconds each on most
   * devices. Kernels of chained scans then sort some thousand keys as a trial. If the result is
   * wrong, `onWarning` is called, and sorters on `device` use the portable kernels.
   *
   * ```ts
   * const options = { keyType: 'u64', order: 'descending', maxCount: 2 ** 20 } as const;
   * const sorter = await RadixSorter.create(device, options);
   * sorter.scratchBytes; // at least 8,388,608: the keys once more
   * ```
   *
   * @throws TypeError if `device` is not a device, or for an option of the wrong type or of an
   *   unknown name; RangeError for an option out of range; Error if the device refuses a kernel or
   *   has no memory.
   */
  static create(device: GPUDevice, options: RadixSorterOptions): Promise<RadixSorter> {
    return createTried(device, options, (checked, segments) => {
      const sorter = RadixSorter.make(device, checked, segments);
      sorter.compile();
      return sorter;
    });
  }

  /**
   * A sorter at once, also for keys of 8 and 16 bits in the highest bits of a word. The caller has
   * checked the options, and opens error scopes; kernels are compiled when they are first
   * recorded. With `maxSegments`, `segments` is needed, the module that sorts them.
   * @internal
   */
  static make(device: GPUDevice, options: SorterOptions, segments?: SegmentModule): RadixSorter {
    return new RadixSorter(device, options, segments);
  }

  private constructor(device: GPUDevice, options: SorterOptions, segments?: SegmentModule) {
    this.#device = device;
    this.#options = options;
    this.#parts = makeParts(device, options, segments, (long) => RadixSorter.make(device, long));
    this.scratchBytes = bytesOf(this.#parts);
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
   * With `segments` each of many neighbouring arrays is sorted, wherever `segments.buffer` says
   * that they begin. Places beyond the buffers are taken as their end.
   *
   * ```ts
   * // keys: 5, 3, 4, 9, 1, 2     places: 0, 3, 3, 6
   * sorter.encode(encoder, { keys, segments: { buffer: places, count: 3 } });
   * // keys: 3, 4, 5, 1, 2, 9
   * ```
   *
   * With `first`, only the first keys of each segment are brought to its front, in order, which
   * reads each key once. The other keys follow in any order.
   *
   * ```ts
   * // keys: 5, 3, 4, 9, 1, 2     places: 0, 3, 6
   * sorter.encode(encoder, { keys, segments: { buffer: places, count: 2, first: 1 } });
   * // keys: 3, 5, 4, 1, 9, 2
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
  encode(
    encoder: GPUCommandEncoder | GPUComputePassEncoder,
    args: RadixSortArguments | SegmentSortArguments,
  ): void {
    checkEncoder(encoder);
    if (args.segments === undefined) this.encodeTimed(encoder, args, undefined);
    else this.#encodeGpuSegments(encoder, args);
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
    const { widths, bindings, dispatchSize, chunkSort } = this.#parts;
    checkArguments(args, this.#options, widths);
    const { count, offset = 0, dispatch } = args;
    if (dispatch !== undefined) {
      this.#inPass(encoder, undefined, (pass) => dispatchSize.record(pass, dispatch, count));
    }
    const within = offset % ALIGNED;
    // One record is in order, but for its index; a buffer that ends at `offset` cannot be bound.
    const fewest = this.#options.valueType === 'index' ? 1 : 2;
    const room = roomOf(args, widths) - offset;
    const most = typeof count === 'number' ? count : Math.min(room, this.#options.maxCount);
    if (most === 0 || room < fewest) return;
    const bound = bindings.bind(args, within + most);
    const countBinding = { group: bound.count, offsets: countOffsets(count, within) };
    this.#inPass(encoder, timestampWrites, (pass) => {
      if (bound.chunks !== undefined) {
        chunkSort?.record(pass, bound.chunks, countBinding, within);
      } else {
        this.#recordWhole(pass, bound.whole, countBinding, most);
      }
    });
  }

  /** Records a sort of segments whose places are in a buffer. */
  #encodeGpuSegments(
    encoder: GPUCommandEncoder | GPUComputePassEncoder,
    args: SegmentSortArguments,
  ): void {
    const { keys, values, segments } = args;
    const { keyWords, valueWords } = this.#parts.widths;
    checkSegments(args, this.#options, this.#device);
    // A buffer without room for a record can't be bound.
    const isEmpty = keys.size < 4 * keyWords || (values && values.size < 4 * valueWords);
    if (segments.count === 0 || this.#options.maxCount === 0 || isEmpty) return;
    this.#inPass(encoder, undefined, (pass) => this.#parts.segments?.record(pass, args));
  }

  /** Has `record` record into the caller's pass, or one of its own that writes timestamps. */
  #inPass(
    encoder: GPUCommandEncoder | GPUComputePassEncoder,
    timestampWrites: GPUComputePassTimestampWrites | undefined,
    record: (pass: GPUComputePassEncoder) => void,
  ): void {
    const { label } = this.#parts.widths;
    const pass =
      'beginComputePass' in encoder ? this.#beginPass(encoder, 'sort', timestampWrites) : encoder;
    if (label !== undefined) pass.pushDebugGroup(label);
    record(pass);
    if (label !== undefined) pass.popDebugGroup();
    if (pass !== encoder) pass.end();
  }

  /**
   * Compiles what sorts would compile when they are first recorded.
   * @internal
   */
  compile(): void {
    const { workgroupSort, deviceSort, chunkSort, segments, dispatchSize, indices } = this.#parts;
    for (const part of [workgroupSort, deviceSort, chunkSort, segments, dispatchSize]) {
      part?.compile();
    }
    if (this.#options.valueType === 'index') indices.compile();
  }

  /** Records a sort of what one binding holds. */
  #recordWhole(
    pass: GPUComputePassEncoder,
    { indices, inPlace, pingPong }: BoundWhole,
    count: CountBinding,
    most: number,
  ): void {
    const { workgroupSort, deviceSort } = this.#parts;
    if (indices !== undefined) this.#parts.indices.record(pass, indices, count, most);
    if (most <= workgroupSort.most || deviceSort === undefined) {
      workgroupSort.record(pass, inPlace, count, most);
    } else {
      deviceSort.record(pass, pingPong as PingPong, count, most);
    }
  }

  /** Frees the memory that the sorter holds. Sorts that were submitted before are finished. */
  destroy(): void {
    const { bindings, dispatchSize, workgroupSort, deviceSort, chunkSort, segments } = this.#parts;
    bindings.clear();
    dispatchSize.clear();
    for (const sort of [workgroupSort, deviceSort, chunkSort, segments]) sort?.destroy();
  }

  [Symbol.dispose](): void {
    this.destroy();
  }

  /**
   * The GPU's plan of the last sort by many workgroups, or of its last chunk: `Plan` of
   * kernels/wgsl/fragments/order.wgsl, usage COPY_SRC.
   * @internal
   */
  get plan(): GPUBuffer | undefined {
    return this.#parts.deviceSort?.plan;
  }

  /**
   * Records that the first `count` of `values`, of one word each, are their indices: for sorts of a
   * sorter with valueType 'u32', which other requests use, too.
   * @internal
   */
  encodeIndices(encoder: GPUCommandEncoder, values: GPUBuffer, count: number): void {
    const pass = this.#beginPass(encoder, 'indices', undefined);
    const { indices, bindings, maxBound } = this.#parts;
    indices.recordAll(pass, values, count, bindings.countGroup(), maxBound);
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
    const pass = this.#beginPass(encoder, 'segments', timestampWrites);
    const { workgroupSort } = this.#parts;
    workgroupSort.recordSegments(pass, workgroupSort.bind(records), segments);
    pass.end();
  }

  #beginPass(
    encoder: GPUCommandEncoder,
    name: string,
    timestampWrites: GPUComputePassTimestampWrites | undefined,
  ): GPUComputePassEncoder {
    const label = named(name, this.#parts.widths);
    return encoder.beginComputePass(
      timestampWrites === undefined ? { label } : { label, timestampWrites },
    );
  }
}
