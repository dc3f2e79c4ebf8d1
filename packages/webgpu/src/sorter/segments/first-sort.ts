/**
 * The first keys of each segment in GPU memory, for a top-k.
 *
 *   first of short segments → cut long ones → first of others and of parts → first of long ones
 *
 * Each key is read once: most come after a bound that is known early. No kernel needs subgroups.
 */

import { FIRST_LIMITS, THREADS } from '@keysweep/kernels/wgsl';
import type {
  GPUBindGroup,
  GPUBuffer,
  GPUComputePassEncoder,
  GPUDevice,
} from '../../device/gpu-types.js';
import { ALIGNED, type SorterOptions } from '../arguments/options.js';
import { roomOf } from '../arguments/sort-arguments.js';
import { type Bindings, countOffsets, LastMade } from '../buffers/bindings.js';
import { makeBuffer } from '../recording/device-sort.js';
import { type LabelledWidths, type Pipelines, pipelinesFor } from '../recording/pipelines.js';
import { fixedNumbers, named, numberTable } from '../recording/uniforms.js';
import type { SegmentSortArguments } from './segment-options.js';
import { placesOf, whole } from './segment-places.js';

/** Most workgroups: of short segments, of the others and parts, and of long ones. */
const SHORT_GROUPS = 4224;
const ROW_GROUPS = 1056;
const LONG_GROUPS = 512;

/** Most workgroups that cut long segments. */
const CUT_GROUPS = 2048;

/** Bytes of a `Row` of kernels/wgsl/fragments/first-rows.wgsl. */
const ROW_BYTES = 8;

interface Bound {
  readonly count: GPUBindGroup;
  readonly records: GPUBindGroup;
}

export class FirstSort {
  /** Bytes of GPU memory held. */
  readonly bytes: number;
  readonly #options: SorterOptions & { readonly maxSegments: number };
  readonly #widths: LabelledWidths;
  readonly #pipelines: Pipelines;
  readonly #orderGroup: GPUBindGroup;
  readonly #bindings: Bindings;
  readonly #numbers: GPUBuffer;
  readonly #counters: GPUBuffer;
  readonly #cuts: GPUBuffer;
  /** Most segments that are longer than a part. */
  readonly #longs: number;
  readonly #last = new LastMade<Bound>();

  constructor(
    device: GPUDevice,
    options: SorterOptions & { readonly maxSegments: number },
    widths: LabelledWidths,
    orderGroup: GPUBindGroup,
    bindings: Bindings,
  ) {
    const { keyWords, valueWords, label } = widths;
    const first = {
      storage: device.limits.maxComputeWorkgroupStorageSize,
      isIndexed: options.valueType === 'index',
    };
    this.#options = options;
    this.#widths = widths;
    this.#orderGroup = orderGroup;
    this.#bindings = bindings;
    this.#numbers = numberTable(device);
    const records = { keyWords, valueWords, approximate: false, label };
    this.#pipelines = pipelinesFor(device, { ...records, first });
    const { longs, parts, minPart } = FIRST_LIMITS;
    this.#longs = Math.min(longs, Math.floor(options.maxCount / (minPart + 1)));
    this.#counters = makeBuffer(device, named('first counters', widths), 8);
    this.#cuts = makeBuffer(device, named('first parts', widths), ROW_BYTES * (longs + parts));
    this.bytes = this.#counters.size + this.#cuts.size;
  }

  /** Compiles what `record` would compile. */
  compile(): void {
    this.#pipelines.get('firstOfShort');
    this.#pipelines.get('firstOfRows');
    if (this.#longs === 0) return;
    this.#pipelines.get('cutRows');
    this.#pipelines.get('firstOfLong');
  }

  /** Records a search for the first `first` keys of each segment of `args`, which were checked. */
  record(pass: GPUComputePassEncoder, args: SegmentSortArguments, first: number): void {
    const { offset = 0, count } = args.segments;
    const { maxSegments } = this.#options;
    const bound = this.#bind(args, first);
    pass.setBindGroup(0, this.#orderGroup);
    pass.setBindGroup(1, bound.count, countOffsets(count, (offset / 4) % ALIGNED));
    pass.setBindGroup(2, bound.records);
    const dispatch = (
      kernel: 'firstOfShort' | 'cutRows' | 'firstOfRows' | 'firstOfLong',
      groups: number,
    ): void => {
      pass.setPipeline(this.#pipelines.get(kernel));
      pass.dispatchWorkgroups(groups);
    };
    dispatch('firstOfShort', Math.min(SHORT_GROUPS, maxSegments));
    if (this.#longs > 0)
      dispatch('cutRows', Math.min(CUT_GROUPS, Math.ceil(maxSegments / THREADS)));
    // Of equal parts there are no more than of the shortest, and each long segment has another.
    const parts = Math.floor(this.#options.maxCount / FIRST_LIMITS.minPart) + this.#longs;
    dispatch('firstOfRows', Math.min(ROW_GROUPS, maxSegments + parts));
    if (this.#longs > 0) dispatch('firstOfLong', Math.min(LONG_GROUPS, this.#longs));
  }

  destroy(): void {
    this.#last.clear();
    this.#counters.destroy();
    this.#cuts.destroy();
  }

  #bind({ keys, values, segments }: SegmentSortArguments, first: number): Bound {
    const { buffer, offset = 0, count } = segments;
    const gpuCount = typeof count === 'number' ? undefined : count;
    const countAt = gpuCount?.offset ?? 0;
    const parts = [keys, values, buffer, offset, gpuCount?.buffer, countAt, first];
    return this.#last.get(parts, () => {
      const { keyWords, valueWords } = this.#widths;
      const records = this.#pipelines.group('firstKeys', [
        placesOf(segments, this.#options.maxSegments),
        { buffer: this.#counters },
        { buffer: this.#cuts },
        ...fixedNumbers(this.#numbers, roomOf({ keys, values }, this.#widths)),
        ...fixedNumbers(this.#numbers, first).slice(0, 2),
        whole(keys, keyWords),
        ...(values === undefined ? [] : [whole(values, valueWords)]),
      ]);
      return { count: this.#bindings.countGroup(gpuCount), records };
    });
  }
}
