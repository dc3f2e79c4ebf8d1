/**
 * The sort of segments in GPU memory on devices that sort by chained scans.
 *
 *   clear → marks → windows → sort of short segments, by a subgroup each
 *                 → sort of middle ones, by a workgroup each
 *                 → tiles → histogram → starts → sweep × digits, of long ones
 *
 * One dispatch marks where segments begin, and lists those that are not short by their length. Long
 * ones are sorted by the passes of a chained scan, in which each segment is a chain of its own. The
 * host reads nothing back, so all is recorded that `maxCount` keys may need; what finds its list
 * empty returns at once.
 */

import {
  CONSTANTS,
  hasNarrow,
  type Kernel,
  LAYOUTS,
  maxPassesOf,
  type SegmentShape,
  shortOf,
  shortWindowOf,
  singleOf,
  THREADS,
} from '@keysweep/kernels/wgsl';
import type {
  GPUBindGroup,
  GPUBuffer,
  GPUBufferBinding,
  GPUComputePassEncoder,
  GPUDevice,
} from '../../device/gpu-types.js';
import { ALIGNED, type SorterOptions } from '../arguments/options.js';
import { roomOf } from '../arguments/sort-arguments.js';
import { type Bindings, countOffsets, LastMade } from '../buffers/bindings.js';
import {
  makeBuffer,
  type PingPong,
  pingPong,
  recordsIn,
  scratchBuffers,
} from '../recording/device-sort.js';
import { type LabelledWidths, type Pipelines, pipelinesFor } from '../recording/pipelines.js';
import {
  fixedNumbers,
  named,
  nansTie,
  numberBinding,
  numberTable,
  offsetOf,
} from '../recording/uniforms.js';
import type { WorkgroupSort } from '../sorts/workgroup-sort.js';
import { NARROW } from '../tuning/fit-shapes.js';
import type { Shapes, Tuning } from '../tuning/tuning.js';
import type { SegmentSortArguments } from './segment-options.js';
import { placesOf, whole } from './segment-places.js';

/** Most workgroups of kernels that take any number of records. */
const MAX_GROUPS = 2048;

/** Most workgroups of the sorts of short segments, a subgroup each. */
const SHORT_GROUPS = 4224;

/** Most workgroups that share the long segments, or their tiles. */
const LONG_GROUPS = 1056;

/** Most slots of a subgroup with more than 32 lanes. */
const MAX_SHORT = 1024;

/** Bind groups for the caller's buffers. */
interface BoundSegments {
  readonly count: GPUBindGroup;
  readonly places: GPUBindGroup;
  readonly inPlace: GPUBindGroup;
  /** Present if the sorter writes the indices. */
  readonly indices: GPUBindGroup | undefined;
  readonly pingPong: PingPong | undefined;
}

/** Windows of short segments, and the kernels that sort those. */
interface ShortList {
  readonly group: GPUBindGroup;
  readonly kernels: readonly Kernel[];
  /** Most windows. */
  readonly most: number;
}

/** What sorts segments by a workgroup each. */
interface MiddleSort {
  readonly kernel: 'fewerSort' | 'middleSort';
  readonly pipelines: Pipelines;
  /** Most segments. */
  readonly most: number;
}

/** What sorts long segments, and its memory. */
interface Long {
  readonly scratch: readonly GPUBuffer[];
  readonly tileGroup: GPUBindGroup;
  readonly countGroup: GPUBindGroup;
  readonly startGroup: GPUBindGroup;
  readonly passGroup: GPUBindGroup;
  readonly slotGroup: GPUBindGroup;
  /** Most segments, and most tiles. */
  readonly segments: number;
  readonly tiles: number;
}

/** How segments are sorted where whole arrays have `shapes`. */
export function segmentShape(
  { one }: Shapes,
  options: SorterOptions,
  { keyWords, valueWords }: LabelledWidths,
): SegmentShape {
  // Loops over a lane's keys are unrolled, and slow to compile where subgroups are narrow.
  const shortKeys = one.subgroup < NARROW ? 8 : Math.min(16, MAX_SHORT / one.subgroup);
  return {
    shortKeys,
    // Wide items of more keys would not fit the registers.
    singleKeys: keyWords === 1 ? 2 * shortKeys : 0,
    fewerKeys: one.threads * one.keys,
    isPlaced: valueWords > 0 || options.keyBits !== undefined,
  };
}

export class SubgroupSegmentSort {
  /** Bytes of GPU memory held. */
  readonly bytes: number;
  readonly #options: SorterOptions & { readonly maxSegments: number };
  readonly #widths: LabelledWidths;
  readonly #bindings: Bindings;
  readonly #orderGroup: GPUBindGroup;
  readonly #pipelines: Pipelines;
  readonly #numbers: GPUBuffer;
  readonly #state: GPUBuffer;
  readonly #marks: GPUBuffer;
  readonly #singles: GPUBuffer;
  readonly #pieces: GPUBuffer;
  readonly #longs: GPUBuffer;
  readonly #markGroup: GPUBindGroup;
  readonly #windowGroup: GPUBindGroup;
  readonly #pieceGroup: GPUBindGroup;
  readonly #windows: number;
  readonly #shortLists: readonly ShortList[];
  /** The first pass may be unstable if keys that are equal are the same. */
  readonly #firstSweep: 'longFirstSweep' | 'longSweep';
  readonly #middle: readonly MiddleSort[];
  readonly #sweepGroups: number;
  readonly #long: Long | undefined;
  readonly #own: GPUBuffer[] = [];
  readonly #last = new LastMade<BoundSegments>();

  /** `scratch`: room for `maxCount` records, where the sorter has it. */
  constructor(
    device: GPUDevice,
    options: SorterOptions & { readonly maxSegments: number },
    widths: LabelledWidths,
    shapes: Shapes,
    { lookLimit, stalledTile }: Tuning,
    { orderBinding, orderGroup }: WorkgroupSort,
    bindings: Bindings,
    scratch: readonly GPUBuffer[] | undefined,
  ) {
    const { maxCount } = options;
    const { one, many } = shapes;
    this.#options = options;
    this.#widths = widths;
    this.#bindings = bindings;
    this.#orderGroup = orderGroup;
    this.#numbers = numberTable(device);
    const segments = segmentShape(shapes, options, widths);
    const hasNanTies = nansTie(options, widths);
    const chained = { lookLimit, stalledTile, hasNanTies, segments };
    this.#pipelines = pipelinesFor(device, { ...widths, chained: { ...many, ...chained } });
    this.#firstSweep = segments.isPlaced ? 'longSweep' : 'longFirstSweep';
    const short = shortOf(segments, one.subgroup);
    const single = singleOf(segments, one.subgroup);
    const tile = many.threads * many.keys;
    const most = Math.floor(maxCount / (single + 1));
    const middle: readonly MiddleSort[] = [
      {
        kernel: 'fewerSort',
        most,
        pipelines: pipelinesFor(device, { ...widths, chained: { ...one, ...chained } }),
      },
      {
        kernel: 'middleSort',
        most: Math.floor(maxCount / (Math.max(segments.fewerKeys, single) + 1)),
        pipelines: this.#pipelines,
      },
    ];
    this.#middle = middle.filter((sort) => sort.most > 0);
    this.#sweepGroups = many.groups;

    const make = (name: string, size: number): GPUBuffer => {
      const buffer = makeBuffer(device, named(name, widths), size);
      this.#own.push(buffer);
      return buffer;
    };
    const longMost = Math.floor(maxCount / (tile + 1));
    const tiles = longMost + Math.floor(maxCount / tile);
    const { RADIX, STATE_WORDS } = CONSTANTS;
    const stateWords = STATE_WORDS + (longMost > 0 ? RADIX * tiles : 0);
    this.#windows = Math.max(1, Math.ceil(maxCount / shortWindowOf(segments, one.subgroup)));
    this.#state = make('segment state', 4 * stateWords);
    this.#marks = make('segment marks', 4 * (Math.floor(maxCount / 32) + 1));
    this.#pieces = make('segment pieces', Math.max(1, most) * LAYOUTS.Piece.size);
    this.#longs = make('long segments', Math.max(1, longMost) * LAYOUTS.Piece.size);
    // At most two for the segments that begin in each, and one for the last of them.
    const windows = make('segment windows', 3 * this.#windows * LAYOUTS.Window.size);
    const singlesMost = single > short ? Math.floor(maxCount / (short + 1)) : 0;
    this.#singles = make('single segments', Math.max(1, singlesMost) * LAYOUTS.Window.size);
    const refusedMost = segments.isPlaced ? Math.max(3 * this.#windows, singlesMost) : 0;
    const refused = { buffer: make('refused windows', 4 * (2 + refusedMost)) };
    const [state, marks] = [{ buffer: this.#state }, { buffer: this.#marks }];
    const listed = (list: GPUBuffer): GPUBufferBinding[] => [
      state,
      marks,
      { buffer: list },
      refused,
    ];
    this.#markGroup = this.#pipelines.group('marks', [state, marks]);
    this.#windowGroup = this.#pipelines.group('windows', listed(windows));
    const isNarrow = hasNarrow(widths.keyWords);
    const narrow = (kernel: 'evenSort' | 'evenSingles'): readonly Kernel[] =>
      isNarrow ? [kernel] : [];
    const shortLists: readonly ShortList[] = [
      {
        group: this.#pipelines.group('listed', listed(windows)),
        kernels: [...narrow('evenSort'), 'shortSort'],
        most: 3 * this.#windows,
      },
      {
        group: this.#pipelines.group('listed', listed(this.#singles)),
        kernels: [
          ...narrow('evenSingles'),
          ...(segments.isPlaced ? (['shortSingles'] as const) : []),
        ],
        most: singlesMost,
      },
    ];
    this.#shortLists = shortLists.filter((list) => list.most > 0);
    this.#pieceGroup = this.#pipelines.group('segments', [state, { buffer: this.#pieces }]);
    if (longMost > 0) {
      const own = scratch ?? scratchBuffers(device, widths, maxCount, options.scratch);
      if ((scratch ?? options.scratch) === undefined) this.#own.push(...own);
      const longs = { buffer: this.#longs };
      const table = { buffer: make('long tiles', tiles * LAYOUTS.Tile.size) };
      const countsBytes = 4 * RADIX * maxPassesOf(widths.keyWords) * longMost;
      const counts = { buffer: make('long counts', countsBytes) };
      this.#long = {
        scratch: own,
        tileGroup: this.#pipelines.group('longTiles', [state, longs, table, counts]),
        countGroup: this.#pipelines.group('longCounts', [state, table, counts]),
        startGroup: this.#pipelines.group('longStarts', [state, longs, counts]),
        passGroup: this.#pipelines.group('longPass', [orderBinding, state, table, counts]),
        slotGroup: this.#pipelines.group('slot', [numberBinding(this.#numbers)]),
        segments: longMost,
        tiles,
      };
    }
    this.bytes = this.#own.reduce((sum, { size }) => sum + size, 0);
  }

  /** Compiles what `record` would compile. */
  compile(): void {
    const kernels = ['clearMarks', 'markSegments', 'findWindows'] as const;
    const short = this.#shortLists.flatMap((list) => list.kernels);
    for (const kernel of [...kernels, ...short]) this.#pipelines.get(kernel);
    if (this.#options.valueType === 'index') this.#pipelines.get('segmentIndices');
    for (const { kernel, pipelines } of this.#middle) pipelines.get(kernel);
    if (this.#long === undefined) return;
    const long = ['cutLong', 'countLong', 'startLong', 'longSweep', this.#firstSweep] as const;
    for (const kernel of long) this.#pipelines.get(kernel);
  }

  /** Records a sort of the segments of `args`, which were checked. */
  record(pass: GPUComputePassEncoder, args: SegmentSortArguments): void {
    const { offset = 0, count } = args.segments;
    const bound = this.#bind(args);
    const { maxCount, maxSegments } = this.#options;
    pass.setBindGroup(0, this.#orderGroup);
    pass.setBindGroup(1, this.#markGroup);
    this.#dispatch(pass, 'clearMarks', groupsFor(this.#marks.size / 4));

    pass.setBindGroup(1, bound.count, countOffsets(count, (offset / 4) % ALIGNED));
    pass.setBindGroup(2, bound.places);
    this.#dispatch(pass, 'markSegments', groupsFor(maxSegments));

    pass.setBindGroup(1, this.#windowGroup);
    this.#dispatch(pass, 'findWindows', Math.ceil(this.#windows / THREADS));
    if (bound.indices !== undefined) {
      pass.setBindGroup(1, bound.indices);
      this.#dispatch(pass, 'segmentIndices', groupsFor(maxCount));
    }
    pass.setBindGroup(2, bound.inPlace);
    for (const { group, kernels, most } of this.#shortLists) {
      pass.setBindGroup(1, group);
      for (const kernel of kernels) this.#dispatch(pass, kernel, Math.min(SHORT_GROUPS, most));
    }
    pass.setBindGroup(1, this.#pieceGroup);
    for (const { kernel, pipelines, most } of this.#middle) {
      pass.setPipeline(pipelines.get(kernel));
      pass.dispatchWorkgroups(Math.min(most, MAX_GROUPS));
    }
    if (this.#long !== undefined && bound.pingPong !== undefined) {
      this.#recordLong(pass, this.#long, bound.inPlace, bound.pingPong);
    }
  }

  destroy(): void {
    this.#last.clear();
    for (const buffer of this.#own) buffer.destroy();
  }

  #recordLong(
    pass: GPUComputePassEncoder,
    long: Long,
    inPlace: GPUBindGroup,
    { toScratch, toCaller }: PingPong,
  ): void {
    pass.setBindGroup(1, long.tileGroup);
    this.#dispatch(pass, 'cutLong', Math.min(long.segments, LONG_GROUPS));
    pass.setBindGroup(1, long.countGroup);
    pass.setBindGroup(2, inPlace);
    this.#dispatch(pass, 'countLong', Math.min(long.tiles, LONG_GROUPS));
    pass.setBindGroup(1, long.startGroup);
    this.#dispatch(pass, 'startLong', Math.min(4 * long.segments, LONG_GROUPS));
    pass.setBindGroup(0, long.passGroup);
    for (let slot = 0; slot < maxPassesOf(this.#widths.keyWords); slot++) {
      pass.setBindGroup(1, long.slotGroup, [offsetOf(slot)]);
      pass.setBindGroup(2, slot % 2 === 0 ? toScratch : toCaller);
      const kernel = slot === 0 ? this.#firstSweep : 'longSweep';
      this.#dispatch(pass, kernel, Math.min(long.tiles, this.#sweepGroups));
    }
  }

  #dispatch(pass: GPUComputePassEncoder, kernel: Kernel, groups: number): void {
    pass.setPipeline(this.#pipelines.get(kernel));
    pass.dispatchWorkgroups(groups);
  }

  #bind({ keys, values, segments }: SegmentSortArguments): BoundSegments {
    const { buffer, offset = 0, count } = segments;
    const gpuCount = typeof count === 'number' ? undefined : count;
    const countAt = gpuCount?.offset ?? 0;
    const parts = [keys, values, buffer, offset, gpuCount?.buffer, countAt];
    return this.#last.get(parts, () => ({
      ...this.#bindRecords(keys, values, placesOf(segments, this.#options.maxSegments)),
      count: this.#bindings.countGroup(gpuCount),
    }));
  }

  #bindRecords(
    keys: GPUBuffer,
    values: GPUBuffer | undefined,
    places: GPUBufferBinding,
  ): Omit<BoundSegments, 'count'> {
    const { keyWords, valueWords } = this.#widths;
    const { maxCount, valueType } = this.#options;
    const records = [
      whole(keys, keyWords),
      ...(values === undefined ? [] : [whole(values, valueWords)]),
    ];
    const [state, marks] = [{ buffer: this.#state }, { buffer: this.#marks }];
    const lists = [this.#pieces, this.#longs, this.#singles].map((buffer) => ({ buffer }));
    const numbers = fixedNumbers(this.#numbers, roomOf({ keys, values }, this.#widths));
    // Its first two words are the first place and the end.
    const bounds = { ...state, size: 8 };
    const long = this.#long;
    return {
      places: this.#pipelines.group('segmentPlaces', [places, state, marks, ...lists, ...numbers]),
      inPlace: this.#pipelines.group('inPlace', records),
      indices:
        valueType === 'index'
          ? this.#pipelines.group('bounded', [bounds, records[1] as GPUBufferBinding])
          : undefined,
      pingPong:
        long &&
        pingPong(this.#pipelines, records, recordsIn(long.scratch, this.#widths, 0, maxCount)),
    };
  }
}

/** Workgroups of a kernel with a thread for each of `count` things, at most. */
const groupsFor = (count: number): number =>
  Math.max(1, Math.min(MAX_GROUPS, Math.ceil(count / THREADS)));
