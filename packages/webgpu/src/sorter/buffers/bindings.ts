/** The bind groups of a sorter. It keeps those for the buffers that were recorded last. */

import type {
  GPUBindGroup,
  GPUBuffer,
  GPUBufferBinding,
  GPUDevice,
} from '../../device/gpu-types.js';
import { ALIGNED, alignedDown } from '../arguments/options.js';
import type { GpuCount, RadixSortArguments } from '../arguments/sort-arguments.js';
import type { DeviceSort, PingPong } from '../recording/device-sort.js';
import { type LabelledWidths, type Pipelines, pipelinesFor } from '../recording/pipelines.js';
import {
  type CountBinding,
  countBindings,
  directCount,
  indirectCount,
  numberTable,
} from '../recording/uniforms.js';
import type { BoundChunks, ChunkSort } from '../sorts/chunk-sort.js';
import type { Indices } from '../sorts/indices.js';
import type { WorkgroupSort } from '../sorts/workgroup-sort.js';

/** Sets of buffers whose bind groups are kept: frames take turns with two or three. */
const MAX_KEPT = 4;

/** What was made last for some things, the latest first. */
export class LastMade<T> {
  #kept: { readonly parts: readonly unknown[]; readonly made: T }[] = [];

  /** What was made for `parts`, which are compared one by one, or is made now. */
  get(parts: readonly unknown[], make: () => T): T {
    const known = this.#kept.find((one) => one.parts.every((part, i) => part === parts[i]));
    const latest = known ?? { parts, made: make() };
    if (latest !== this.#kept[0]) {
      const others = this.#kept.filter((one) => one !== known);
      this.#kept = [latest, ...others.slice(0, MAX_KEPT - 1)];
    }
    return latest.made;
  }

  clear(): void {
    this.#kept = [];
  }
}

/** Records that one binding holds. */
export interface BoundWhole {
  /** Present if the sorter writes the indices. */
  readonly indices: GPUBindGroup | undefined;
  readonly inPlace: GPUBindGroup;
  readonly pingPong: PingPong | undefined;
}

type BoundBuffers = {
  readonly count: GPUBindGroup;
} & (
  | { readonly whole: BoundWhole; readonly chunks?: undefined }
  | { readonly chunks: BoundChunks }
);

/** The sorts whose bind groups are made. */
interface Sorts {
  readonly workgroupSort: WorkgroupSort;
  readonly deviceSort: DeviceSort | undefined;
  readonly chunkSort: ChunkSort | undefined;
  /** Present if the sorter writes the indices. */
  readonly indices: Indices | undefined;
}

export class Bindings {
  readonly #pipelines: Pipelines;
  readonly #widths: LabelledWidths;
  /** Kept from the start, because `encode` allocates nothing. */
  readonly #numbers: GPUBuffer;
  readonly #maxBound: number;
  readonly #sorts: Sorts;
  readonly #last = new LastMade<BoundBuffers>();
  readonly #lastCounts = new LastMade<GPUBindGroup>();

  /** `maxBound`: most records that one binding holds. */
  constructor(device: GPUDevice, widths: LabelledWidths, maxBound: number, sorts: Sorts) {
    this.#pipelines = pipelinesFor(device, widths);
    this.#numbers = numberTable(device);
    this.#widths = widths;
    this.#maxBound = maxBound;
    this.#sorts = sorts;
  }

  /** Bind groups for the buffers of `args`, and `places` records there. */
  bind({ keys, values, count, offset = 0 }: RadixSortArguments, places: number): BoundBuffers {
    const first = alignedDown(offset);
    const gpuCount = typeof count === 'number' ? undefined : count;
    const countAt = gpuCount === undefined ? 0 : countWindowAt(gpuCount);
    // Of chunks their number and lengths depend on the number of records.
    const divided = places > this.#maxBound ? places : 0;
    const parts = [keys, values, first, gpuCount?.buffer, countAt, divided];
    return this.#last.get(parts, () => {
      const bound = { count: this.countGroup(gpuCount) };
      const buffers = values === undefined ? [keys] : [keys, values];
      const { chunkSort } = this.#sorts;
      return divided > 0 && chunkSort !== undefined
        ? { ...bound, chunks: chunkSort.bind(buffers, first, places) }
        : { ...bound, whole: this.#bindWhole(buffers, first) };
    });
  }

  /** Of layout 'commandNumbers': for a count in the command, or in a buffer. */
  countGroup(count?: GpuCount): GPUBindGroup {
    const counts = count && countWindow(count);
    return this.#pipelines.group('commandNumbers', countBindings(this.#numbers, counts));
  }

  /** The same group, kept for the counts that were recorded last. */
  keptCountGroup(count: number | GpuCount): GPUBindGroup {
    const gpuCount = typeof count === 'number' ? undefined : count;
    const parts = [gpuCount?.buffer, gpuCount && countWindowAt(gpuCount)];
    return this.#lastCounts.get(parts, () => this.countGroup(gpuCount));
  }

  clear(): void {
    this.#last.clear();
    this.#lastCounts.clear();
  }

  #bindWhole(buffers: readonly GPUBuffer[], first: number): BoundWhole {
    const { workgroupSort, deviceSort, indices } = this.#sorts;
    const { keyWords, valueWords } = this.#widths;
    const records = buffers.map((buffer, i) =>
      this.#window(buffer, first, 4 * (i === 0 ? keyWords : valueWords)),
    );
    const [, values] = records;
    return {
      indices: values && indices?.bind(values, first),
      inPlace: workgroupSort.bind(records),
      pingPong: deviceSort?.bind(records),
    };
  }

  /** As much of a buffer as a binding may be, from element `first` on. */
  #window(buffer: GPUBuffer, first: number, bytes: number): GPUBufferBinding {
    const offset = first * bytes;
    const elements = Math.min(Math.floor((buffer.size - offset) / bytes), this.#maxBound);
    return { buffer, offset, size: bytes * elements };
  }
}

/** Where the binding of a count begins, in bytes. */
const countWindowAt = ({ offset = 0 }: GpuCount): number => offset - (offset % (4 * ALIGNED));

/** The words around a count that are bound, as a binding may not begin everywhere. */
function countWindow(count: GpuCount): GPUBufferBinding {
  const { buffer } = count;
  const offset = countWindowAt(count);
  return { buffer, offset, size: Math.min(4 * ALIGNED, alignedWords(buffer) - offset) };
}

/** Bytes of the whole words in a buffer. */
export const alignedWords = ({ size }: GPUBuffer): number => size - (size % 4);

/** The numbers of a command that sorts `count` records, the first at `within` of its binding. */
export const countOffsets = (count: number | GpuCount, within: number): CountBinding['offsets'] =>
  typeof count === 'number'
    ? directCount(count, within)
    : indirectCount(((count.offset ?? 0) / 4) % ALIGNED, within);
