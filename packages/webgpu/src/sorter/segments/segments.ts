/**
 * What sorts segments in GPU memory. A chunk of its own, with its shaders: sorters that are made
 * without `maxSegments` do not load it.
 */

import { addShaders } from '@keysweep/kernels/wgsl';
import { WGSL_SEGMENTS } from '@keysweep/kernels/wgsl-segments';
import type { GPUBuffer, GPUComputePassEncoder, GPUDevice } from '../../device/gpu-types.js';
import type { SorterOptions } from '../arguments/options.js';
import type { Bindings } from '../buffers/bindings.js';
import type { LabelledWidths } from '../recording/pipelines.js';
import type { WorkgroupSort } from '../sorts/workgroup-sort.js';
import { segmentShapes, tuningOf } from '../tuning/tuning.js';
import { FirstSort } from './first-sort.js';
import type { SegmentSortArguments } from './segment-options.js';
import { type LongSorter, longOptions, SegmentSort } from './segment-sort.js';
import { SubgroupSegmentSort } from './subgroup-segment-sort.js';

export { trySegments } from './segment-trial.js';

/**
 * Segments of at most this many times the wanted keys are sorted whole. On an NVIDIA
 * H200 the first 1,024 of 32,768 keys took half the time of all, the first 1,024 of 1,024 four
 * times as long.
 */
const MAX_WANTED = 4;

/** The parts of a sorter that its sorts of segments share. */
export interface SegmentContext {
  readonly workgroupSort: WorkgroupSort;
  readonly bindings: Bindings;
  /** Room for `maxCount` records, where the sorter has it. */
  readonly scratch: readonly GPUBuffer[] | undefined;
  /** Makes a sorter of whole arrays. */
  readonly makeSorter: (options: SorterOptions) => LongSorter;
}

/** The sorts of a sorter's segments: one of all keys, and one of only the first ones. */
export class Segments {
  /** Bytes of GPU memory held. */
  readonly bytes: number;
  readonly #sort: SegmentSort | SubgroupSegmentSort;
  readonly #first: FirstSort;
  readonly #maxCount: number;
  readonly #maxSegments: number;

  constructor(
    device: GPUDevice,
    options: SorterOptions & { readonly maxSegments: number },
    widths: LabelledWidths,
    { workgroupSort, bindings, scratch, makeSorter }: SegmentContext,
  ) {
    addShaders(WGSL_SEGMENTS);
    this.#maxCount = options.maxCount;
    this.#maxSegments = options.maxSegments;
    const shapes = segmentShapes(device, widths);
    if (shapes === undefined) {
      const long = longOptions(options, widths);
      this.#sort = new SegmentSort(
        device,
        options,
        widths,
        workgroupSort,
        bindings,
        long && makeSorter(long),
        scratch,
      );
    } else {
      this.#sort = new SubgroupSegmentSort(
        device,
        options,
        widths,
        shapes,
        tuningOf(device),
        workgroupSort,
        bindings,
        scratch,
      );
    }
    this.#first = new FirstSort(device, options, widths, workgroupSort.orderGroup, bindings);
    this.bytes = this.#sort.bytes + this.#first.bytes;
  }

  /** Compiles what `record` would compile. */
  compile(): void {
    this.#sort.compile();
    this.#first.compile();
  }

  /** Records a sort of the segments of `args`, which were checked. */
  record(pass: GPUComputePassEncoder, args: SegmentSortArguments): void {
    const { first, count } = args.segments;
    if (first === 0) return;
    const segments = typeof count === 'number' ? count : this.#maxSegments;
    // Of short segments most keys are wanted: to sort all of them takes no longer.
    if (first === undefined || this.#maxCount <= MAX_WANTED * first * segments) {
      this.#sort.record(pass, args);
    } else {
      this.#first.record(pass, args, first);
    }
  }

  destroy(): void {
    this.#sort.destroy();
    this.#first.destroy();
  }
}
