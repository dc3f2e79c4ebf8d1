/**
 * The sort of segments that are in GPU memory: of any number and length, which only the GPU knows.
 *
 *   bounds → groups → sort of each group by a workgroup
 *     (→ long offsets → take → sort by key → number → sort by segment → gather and put)
 *
 * Neighbouring short segments are sorted many to a workgroup, and middle ones one each, in its
 * storage. The keys of segments that no workgroup holds are all sorted together, by the sort of
 * whole arrays: by key, and then, stably, by segment. Where `maxCount` keys fit a workgroup, there
 * are none. The host reads nothing back, so the dispatches of long segments are recorded even if
 * there is no such segment; then they return at once.
 */

import { LAYOUTS, THREADS, tileOf, windowOf } from '@keysweep/kernels/wgsl';
import type {
  GPUBindGroup,
  GPUBuffer,
  GPUBufferBinding,
  GPUCommandEncoder,
  GPUComputePassEncoder,
  GPUDevice,
} from '../../device/gpu-types.js';
import { ALIGNED, type SorterOptions } from '../arguments/options.js';
import type { RadixSortArguments } from '../arguments/sort-arguments.js';
import { roomOf } from '../arguments/sort-arguments.js';
import { alignedWords, type Bindings, countOffsets, LastMade } from '../buffers/bindings.js';
import { makeBuffer, scratchBuffers } from '../recording/device-sort.js';
import { type LabelledWidths, type Pipelines, pipelinesFor } from '../recording/pipelines.js';
import { type CountBinding, fixedNumbers, named, numberTable } from '../recording/uniforms.js';
import type { WorkgroupSort } from '../sorts/workgroup-sort.js';
import type { SegmentSortArguments } from './segment-options.js';
import { whole } from './segment-places.js';

/** Most workgroups that share the bounds; also of kernels that take any number of records. */
const MAX_BOUND_GROUPS = 256;
const MAX_GROUPS = 2048;

/** The part of a sorter that long segments need. */
export interface LongSorter {
  readonly scratchBytes: number;
  compile(): void;
  encode(encoder: GPUCommandEncoder | GPUComputePassEncoder, args: RadixSortArguments): void;
  destroy(): void;
}

/** What sorts long segments, and its memory. */
interface Long {
  readonly sorter: LongSorter;
  /** Keys of long segments before each segment. */
  readonly offsets: GPUBuffer;
  readonly offsetsGroup: GPUBindGroup;
  readonly placesGroup: GPUBindGroup;
  /** What long segments are sorted by; then a column in their order. */
  readonly words: GPUBuffer;
  /** The places of their keys. */
  readonly taken: GPUBuffer;
}

/** A column of the caller's that long segments bring into their order. */
interface BoundColumn {
  readonly pipelines: Pipelines;
  readonly group: GPUBindGroup;
}

/** Bind groups for the caller's buffers. */
interface BoundSegments {
  readonly count: GPUBindGroup;
  readonly places: GPUBindGroup;
  readonly inPlace: GPUBindGroup;
  /** Present if the sorter writes the indices. */
  readonly indices: GPUBindGroup | undefined;
  readonly longKeys: GPUBindGroup | undefined;
  readonly columns: readonly BoundColumn[];
}

/** The options of the sorter of long segments: by words of keys, and by numbers of segments. */
export const longOptions = (
  { maxCount, label }: SorterOptions,
  { keyWords }: LabelledWidths,
): SorterOptions | undefined =>
  maxCount <= tileOf(keyWords)
    ? undefined
    : { keyType: keyWords === 1 ? 'u32' : 'u64', valueType: 'u32', maxCount, label };

export class SegmentSort {
  /** Bytes of GPU memory held. */
  readonly bytes: number;
  readonly #options: SorterOptions;
  readonly #widths: LabelledWidths;
  readonly #workgroupSort: WorkgroupSort;
  readonly #bindings: Bindings;
  readonly #pipelines: Pipelines;
  /** Pipelines of columns, keys and then values. */
  readonly #columns: readonly Pipelines[];
  readonly #numbers: GPUBuffer;
  readonly #bounds: GPUBuffer;
  readonly #sums: GPUBuffer;
  readonly #groupsGroup: GPUBindGroup;
  readonly #tables: GPUBindGroup;
  readonly #windows: number;
  readonly #boundGroups: number;
  readonly #long: Long | undefined;
  readonly #own: GPUBuffer[] = [];
  readonly #last = new LastMade<BoundSegments>();

  /** `scratch`: room for `maxCount` records, where the sorter has it. */
  constructor(
    device: GPUDevice,
    options: SorterOptions & { readonly maxSegments: number },
    widths: LabelledWidths,
    workgroupSort: WorkgroupSort,
    bindings: Bindings,
    longSorter: LongSorter | undefined,
    scratch: readonly GPUBuffer[] | undefined,
  ) {
    const { maxCount, maxSegments } = options;
    const { keyWords, valueWords, label } = widths;
    this.#options = options;
    this.#widths = widths;
    this.#workgroupSort = workgroupSort;
    this.#bindings = bindings;
    this.#pipelines = pipelinesFor(device, { keyWords, valueWords, approximate: false, label });
    this.#columns = ([keyWords, valueWords] as const)
      .filter((words) => words !== 0)
      .map((words) =>
        pipelinesFor(device, { keyWords: words, valueWords: 0, approximate: false, label }),
      );
    this.#numbers = numberTable(device);
    this.#windows = Math.max(1, Math.ceil(maxCount / windowOf(keyWords)));
    this.#boundGroups = Math.min(MAX_BOUND_GROUPS, Math.ceil((maxSegments + 1) / THREADS));

    const make = (name: string, size: number): GPUBuffer => {
      const buffer = makeBuffer(device, named(name, widths), size);
      this.#own.push(buffer);
      return buffer;
    };
    const boundsBytes = 4 * (maxSegments + 1);
    this.#bounds = make('segment bounds', boundsBytes);
    this.#sums = make('segment sums', 4 * this.#boundGroups);
    const groups = {
      buffer: make('segment groups', 2 * this.#windows * LAYOUTS.SegmentGroup.size),
    };
    const bounds = { buffer: this.#bounds };
    this.#groupsGroup = this.#pipelines.group('bounded', [bounds, groups]);
    this.#tables = workgroupSort.bindTables(groups, bounds);
    if (longSorter !== undefined) {
      const records = scratch ?? scratchBuffers(device, widths, maxCount, options.scratch);
      if ((scratch ?? options.scratch) === undefined) this.#own.push(...records);
      const [keys, values] = records as [GPUBuffer, GPUBuffer?];
      // A column of either width fits the wider one.
      const isWide = valueWords > keyWords;
      const words = isWide ? (values as GPUBuffer) : keys;
      const taken = (isWide ? keys : values) ?? make('taken', 4 * maxCount);
      const offsets = make('long offsets', boundsBytes);
      this.#long = {
        sorter: longSorter,
        offsets,
        offsetsGroup: this.#pipelines.group('longOffsets', [
          bounds,
          { buffer: this.#sums },
          { buffer: offsets },
        ]),
        placesGroup: this.#pipelines.group('segments', [bounds, { buffer: offsets }]),
        words,
        taken,
      };
    }
    this.bytes =
      this.#own.reduce((sum, { size }) => sum + size, 0) + (longSorter?.scratchBytes ?? 0);
  }

  /** Compiles what `record` would compile. */
  compile(): void {
    this.#workgroupSort.compileSegments();
    const kernels = ['segmentBounds', 'segmentGroups'] as const;
    for (const kernel of kernels) this.#pipelines.get(kernel);
    if (this.#options.valueType === 'index') this.#pipelines.get('segmentIndices');
    if (this.#long === undefined) return;
    this.#long.sorter.compile();
    const long = ['longOffsets', 'takeLong', 'numberLong'] as const;
    for (const kernel of long) this.#pipelines.get(kernel);
    for (const column of this.#columns) {
      for (const kernel of ['gatherLong', 'putLong'] as const) column.get(kernel);
    }
  }

  /** Records a sort of the segments of `args`, which were checked. */
  record(pass: GPUComputePassEncoder, args: SegmentSortArguments): void {
    const { offset = 0, count } = args.segments;
    const bound = this.#bind(args);
    const counted = { group: bound.count, offsets: countOffsets(count, (offset / 4) % ALIGNED) };
    this.#recordBounds(pass, bound, counted);
    this.#workgroupSort.recordGroups(pass, bound.inPlace, this.#tables, 2 * this.#windows);
    if (this.#long !== undefined) this.#recordLong(pass, bound, this.#long);
  }

  destroy(): void {
    this.#last.clear();
    for (const buffer of this.#own) buffer.destroy();
    this.#long?.sorter.destroy();
  }

  /** Records what finds out which segments there are, and their indices. */
  #recordBounds(pass: GPUComputePassEncoder, bound: BoundSegments, count: CountBinding): void {
    pass.setBindGroup(0, this.#workgroupSort.orderGroup);
    pass.setBindGroup(1, count.group, count.offsets);
    pass.setBindGroup(2, bound.places);
    pass.setPipeline(this.#pipelines.get('segmentBounds'));
    pass.dispatchWorkgroups(this.#boundGroups);

    pass.setBindGroup(1, this.#groupsGroup);
    pass.setPipeline(this.#pipelines.get('segmentGroups'));
    pass.dispatchWorkgroups(Math.ceil(this.#windows / THREADS));
    if (bound.indices === undefined) return;
    pass.setBindGroup(1, bound.indices);
    pass.setPipeline(this.#pipelines.get('segmentIndices'));
    pass.dispatchWorkgroups(this.#recordGroups());
  }

  #recordLong(pass: GPUComputePassEncoder, bound: BoundSegments, long: Long): void {
    const { sorter, offsets, words, taken } = long;
    const count = { buffer: offsets, offset: offsets.size - 4 };
    const dispatch = (kernel: 'takeLong' | 'numberLong'): void => {
      pass.setBindGroup(0, this.#workgroupSort.orderGroup);
      pass.setBindGroup(1, long.placesGroup);
      pass.setBindGroup(2, bound.longKeys as GPUBindGroup);
      pass.setPipeline(this.#pipelines.get(kernel));
      pass.dispatchWorkgroups(this.#recordGroups());
    };
    pass.setBindGroup(0, this.#workgroupSort.orderGroup);
    pass.setBindGroup(1, long.offsetsGroup);
    pass.setPipeline(this.#pipelines.get('longOffsets'));
    pass.dispatchWorkgroups(this.#boundGroups);
    for (const kernel of ['takeLong', 'numberLong'] as const) {
      dispatch(kernel);
      sorter.encode(pass, { keys: words, values: taken, count });
    }
    pass.setBindGroup(0, this.#workgroupSort.orderGroup);
    pass.setBindGroup(1, long.placesGroup);
    for (const { pipelines, group } of bound.columns) {
      pass.setBindGroup(2, group);
      for (const kernel of ['gatherLong', 'putLong'] as const) {
        pass.setPipeline(pipelines.get(kernel));
        pass.dispatchWorkgroups(this.#recordGroups());
      }
    }
  }

  /** Workgroups of a kernel with a thread for each record, at most. */
  #recordGroups(): number {
    return Math.max(1, Math.min(MAX_GROUPS, Math.ceil(this.#options.maxCount / THREADS)));
  }

  #bind({ keys, values, segments }: SegmentSortArguments): BoundSegments {
    const { buffer, offset = 0, count } = segments;
    const gpuCount = typeof count === 'number' ? undefined : count;
    const placesAt = offset - (offset % (4 * ALIGNED));
    const countAt = gpuCount?.offset ?? 0;
    const parts = [keys, values, buffer, placesAt, gpuCount?.buffer, countAt];
    return this.#last.get(parts, () => {
      const size = Math.min(alignedWords(buffer) - placesAt, this.#bounds.size + 4 * ALIGNED);
      return {
        ...this.#bindRecords(keys, values, { buffer, offset: placesAt, size }),
        count: this.#bindings.countGroup(gpuCount),
      };
    });
  }

  #bindRecords(
    keys: GPUBuffer,
    values: GPUBuffer | undefined,
    places: GPUBufferBinding,
  ): Omit<BoundSegments, 'count'> {
    const { keyWords, valueWords } = this.#widths;
    const records = [
      whole(keys, keyWords),
      ...(values === undefined ? [] : [whole(values, valueWords)]),
    ];
    const bounds = { buffer: this.#bounds };
    const long = this.#long;
    const taken = long && whole(long.taken, 1);
    return {
      places: this.#pipelines.group('segmentBounds', [
        places,
        bounds,
        { buffer: this.#sums },
        ...fixedNumbers(this.#numbers, roomOf({ keys, values }, this.#widths)),
      ]),
      inPlace: this.#workgroupSort.bind(records),
      indices:
        this.#options.valueType === 'index'
          ? this.#pipelines.group('bounded', [bounds, records[1] as GPUBufferBinding])
          : undefined,
      longKeys:
        long &&
        this.#pipelines.group('longKeys', [
          records[0] as GPUBufferBinding,
          whole(long.words, keyWords),
          whole(long.taken, 1),
        ]),
      columns:
        !taken || !long
          ? []
          : this.#columns.map((pipelines, i) => {
              const column = records[i] as GPUBufferBinding;
              const moved = whole(long.words, 1);
              return { pipelines, group: pipelines.group('longMoves', [taken, column, moved]) };
            }),
    };
  }
}
