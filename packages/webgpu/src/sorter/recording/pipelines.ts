/**
 * The pipelines of the radix sort: compiled once a device and specialization, for all its sorters.
 */

import {
  constantsFor,
  KERNELS,
  type Kernel,
  type Specialization,
  shader,
  type Widths,
} from '@keysweep/kernels/wgsl';
import type {
  GPUBindGroup,
  GPUBufferBinding,
  GPUComputePipeline,
  GPUDevice,
} from '../../device/gpu-types.js';
import { ShaderStage } from '../../device/usage.js';
import { CHUNK_NUMBERS, COMMAND_NUMBERS, named } from './uniforms.js';

/** The bind group layouts of every kernel, groups 0, 1 and 2. */
const GROUPS = {
  workgroupSort: ['order', 'commandNumbers', 'inPlace'],
  segmentSort: ['order', 'segments', 'inPlace'],
  survey: ['pass', 'commandNumbers', 'pingPong'],
  plan: ['plan', 'commandNumbers'],
  upsweep: ['pass', 'slot', 'pingPong'],
  spine: ['pass', 'slot'],
  downsweep: ['pass', 'slot', 'pingPong'],
  tileSort: ['order', 'commandNumbers', 'inPlace'],
  sortRuns: ['planning', 'commandNumbers', 'pingPong'],
  sortBuckets: ['planning', 'commandNumbers', 'pingPong'],
  histogram: ['planning', 'commandNumbers', 'pingPong'],
  firstSweep: ['pass', 'slot', 'pingPong'],
  sweep: ['pass', 'slot', 'pingPong'],
  sample: ['planning', 'commandNumbers', 'pingPong'],
  countBuckets: ['planning', 'commandNumbers', 'pingPong'],
  splitBuckets: ['pass', 'slot', 'pingPong'],
  countBins: ['pass', 'slot', 'pingPong'],
  cutBatches: ['planning'],
  splitBins: ['pass', 'slot', 'pingPong'],
  batchSort: ['pass', 'slot', 'exchange'],
  copyBack: ['pass', 'slot', 'pingPong'],
  gather: ['gather'],
  identity: ['order', 'commandNumbers', 'numbered'],
  dispatchSize: ['order', 'commandNumbers', 'numbered'],
  chunkCounts: ['order', 'commandNumbers', 'numbered'],
  mergeChunks: ['order', 'chunkNumbers', 'merge'],
  segmentBounds: ['order', 'commandNumbers', 'segmentBounds'],
  segmentGroups: ['order', 'bounded'],
  segmentIndices: ['order', 'bounded'],
  longOffsets: ['order', 'longOffsets'],
  takeLong: ['order', 'segments', 'longKeys'],
  numberLong: ['order', 'segments', 'longKeys'],
  gatherLong: ['order', 'segments', 'longMoves'],
  putLong: ['order', 'segments', 'longMoves'],
  clearMarks: ['order', 'marks'],
  markSegments: ['order', 'commandNumbers', 'segmentPlaces'],
  findWindows: ['order', 'windows'],
  shortSort: ['order', 'listed', 'inPlace'],
  evenSort: ['order', 'listed', 'inPlace'],
  evenSingles: ['order', 'listed', 'inPlace'],
  shortSingles: ['order', 'listed', 'inPlace'],
  fewerSort: ['order', 'segments', 'inPlace'],
  middleSort: ['order', 'segments', 'inPlace'],
  cutLong: ['order', 'longTiles'],
  countLong: ['order', 'longCounts', 'inPlace'],
  startLong: ['order', 'longStarts'],
  longFirstSweep: ['longPass', 'slot', 'pingPong'],
  longSweep: ['longPass', 'slot', 'pingPong'],
  cutRows: ['order', 'commandNumbers', 'firstKeys'],
  firstOfShort: ['order', 'commandNumbers', 'firstKeys'],
  firstOfRows: ['order', 'commandNumbers', 'firstKeys'],
  firstOfLong: ['order', 'commandNumbers', 'firstKeys'],
} as const satisfies { readonly [kernel in Kernel]: readonly Layout[] };

/** The bind group layouts: `BINDINGS` says what each binds. */
export type Layout =
  | 'order'
  | 'pass'
  | 'planning'
  | 'plan'
  | 'longPass'
  | 'gather'
  | 'commandNumbers'
  | 'slot'
  | 'chunkNumbers'
  | 'segments'
  | 'bounded'
  | 'longOffsets'
  | 'marks'
  | 'windows'
  | 'listed'
  | 'longTiles'
  | 'longCounts'
  | 'longStarts'
  | 'inPlace'
  | 'pingPong'
  | 'exchange'
  | 'merge'
  | 'numbered'
  | 'segmentBounds'
  | 'segmentPlaces'
  | 'firstKeys'
  | 'longKeys'
  | 'longMoves';

const UNIFORM: GPUBufferBindingLayout = { type: 'uniform' };
const NUMBER: GPUBufferBindingLayout = { type: 'uniform', hasDynamicOffset: true };
const READ: GPUBufferBindingLayout = { type: 'read-only-storage' };
const WRITE: GPUBufferBindingLayout = { type: 'storage' };

/** A number that does not change with the dispatch: its four bytes, lowest first. */
const BYTES = [UNIFORM, UNIFORM, UNIFORM, UNIFORM] as const;

const times = (count: number, binding: GPUBufferBindingLayout): readonly GPUBufferBindingLayout[] =>
  Array.from({ length: count }, () => binding);

/**
 * The bindings of every layout, 0, 1, … Group 0 belongs to the sorter, group 1 to one dispatch, and
 * group 2 is keys and values. `READ` and `WRITE` are as the kernel sees a buffer.
 */
const BINDINGS: Readonly<Record<Layout, readonly GPUBufferBindingLayout[]>> = {
  // Group 0. `order` comes first everywhere but for a gather, which has no order.
  order: [UNIFORM],
  /** Order, plan, spine or scan state. */
  pass: [UNIFORM, READ, WRITE],
  /** The same, and the plan is written. */
  planning: [UNIFORM, WRITE, WRITE],
  /** Order, key ranges, plan. */
  plan: [UNIFORM, READ, WRITE],
  /** Order, state of segments, tiles of long ones and where their digits begin. */
  longPass: [UNIFORM, WRITE, READ, WRITE],
  /** Permutation, column, keys. */
  gather: [READ, READ, WRITE],

  // Group 1.
  /** The bytes of the count, the offset, the buffer of a count that only the GPU knows. */
  commandNumbers: [...times(COMMAND_NUMBERS, NUMBER), READ],
  /** The number of the pass. */
  slot: [NUMBER],
  /** The numbers of two chunks, the part, the offset; the counts of all chunks. */
  chunkNumbers: [...times(CHUNK_NUMBERS, NUMBER), READ],
  /**
   * Groups of segments, starts of segments; or the starts, and offsets of long ones; or the state
   * of segments, and a list of them.
   */
  segments: [READ, READ],
  /** Bounds of segments, and the output for them. */
  bounded: [READ, WRITE],
  /** Bounds of segments, sums, offsets of long ones. */
  longOffsets: [READ, READ, WRITE],
  /** State of segments, marks. */
  marks: [WRITE, WRITE],
  /** State of segments, marks, windows, numbers of refused ones. */
  windows: [WRITE, READ, WRITE, WRITE],
  /** State of segments, marks, a list of windows, numbers of refused ones. */
  listed: [READ, READ, READ, WRITE],
  /** State of segments, long ones, their tiles and counts. */
  longTiles: [WRITE, READ, WRITE, WRITE],
  /** State of segments, tiles of long ones, counts. */
  longCounts: [READ, READ, WRITE],
  /** State of segments, long ones, counts. */
  longStarts: [WRITE, READ, WRITE],

  // Group 2.
  /** Keys. */
  inPlace: [WRITE],
  /** Keys from and to. */
  pingPong: [READ, WRITE],
  /** Keys here and there. */
  exchange: [WRITE, WRITE],
  /** Keys of two chunks and of the target. Chunks may lie in its buffer, so all are written. */
  merge: [WRITE, WRITE, WRITE],
  /** The output, and a number. */
  numbered: [WRITE, ...BYTES],
  /** Places, bounds of segments, sums, the room. */
  segmentBounds: [READ, WRITE, WRITE, ...BYTES],
  /** Places, state of segments, marks, three lists of segments, the room. */
  segmentPlaces: [READ, ...times(5, WRITE), ...BYTES],
  /** Places, counters, parts; the room, and two bytes of how many keys are wanted; keys. */
  firstKeys: [READ, WRITE, WRITE, ...BYTES, UNIFORM, UNIFORM, WRITE],
  /** Keys, words and places of long segments. */
  longKeys: [READ, WRITE, WRITE],
  /** Places of long segments, a column, what moves. */
  longMoves: [READ, WRITE, WRITE],
};

/** What follows if there are values: they are bound as the keys are. */
const VALUE_BINDINGS: Readonly<Partial<Record<Layout, readonly GPUBufferBindingLayout[]>>> = {
  inPlace: [WRITE],
  pingPong: [READ, WRITE],
  exchange: [WRITE, WRITE],
  merge: [WRITE, WRITE, WRITE],
  firstKeys: [WRITE],
};

const bindingsOf = (layout: Layout, { valueWords }: Specialization): GPUBufferBindingLayout[] => [
  ...BINDINGS[layout],
  ...((valueWords > 0 && VALUE_BINDINGS[layout]) || []),
];

/** Widths of a sorter's records, and the label that all it makes bears. */
export interface LabelledWidths extends Widths {
  readonly label?: string | undefined;
}

/** What pipelines are compiled for, and the label that they bear. */
type Compiled = Specialization & Pick<LabelledWidths, 'label'>;

const cache = new WeakMap<GPUDevice, Map<string, Pipelines>>();

/** The pipelines of one specialization and label on `device`; compiles none of them. */
export function pipelinesFor(device: GPUDevice, specialization: Compiled): Pipelines {
  const known = cache.get(device) ?? new Map<string, Pipelines>();
  cache.set(device, known);
  const key = JSON.stringify(specialization);
  const pipelines = known.get(key) ?? new Pipelines(device, specialization);
  known.set(key, pipelines);
  return pipelines;
}

/**
 * Forgets the pipelines of `device` after a failure: one that is invalid cannot be told from the
 * others.
 */
export function forgetPipelines(device: GPUDevice): void {
  cache.delete(device);
}

/** Pipelines and layouts of one specialization, each made when it is first needed. */
export class Pipelines {
  readonly #device: GPUDevice;
  readonly #specialization: Compiled;
  readonly #layouts = new Map<Layout, GPUBindGroupLayout>();
  readonly #pipelines = new Map<Kernel, GPUComputePipeline>();

  constructor(device: GPUDevice, specialization: Compiled) {
    this.#device = device;
    this.#specialization = specialization;
  }

  /** The pipeline of a kernel. Compiling takes some milliseconds on most devices. */
  get(kernel: Kernel): GPUComputePipeline {
    const pipeline = this.#pipelines.get(kernel) ?? this.#compile(kernel);
    this.#pipelines.set(kernel, pipeline);
    return pipeline;
  }

  /** A bind group of `layout` with `resources` as bindings 0, 1, … */
  group(layout: Layout, resources: readonly GPUBufferBinding[]): GPUBindGroup {
    return this.#device.createBindGroup({
      label: named(layout, this.#specialization),
      layout: this.#layout(layout),
      entries: resources.map((resource, binding) => ({ binding, resource })),
    });
  }

  // createComputePipelineAsync is left out: it ends the process in Dawn for Node.
  #compile(kernel: Kernel): GPUComputePipeline {
    const { file, entryPoint } = KERNELS[kernel];
    const label = named(kernel, this.#specialization);
    const code = shader(file, constantsFor(this.#specialization, kernel));
    const module = this.#device.createShaderModule({ label, code });
    const bindGroupLayouts = GROUPS[kernel].map((group) => this.#layout(group));
    const layout = this.#device.createPipelineLayout({ label, bindGroupLayouts });
    return this.#device.createComputePipeline({ label, layout, compute: { module, entryPoint } });
  }

  #layout(name: Layout): GPUBindGroupLayout {
    const layout = this.#layouts.get(name) ?? this.#makeLayout(name);
    this.#layouts.set(name, layout);
    return layout;
  }

  #makeLayout(name: Layout): GPUBindGroupLayout {
    return this.#device.createBindGroupLayout({
      label: named(name, this.#specialization),
      entries: bindingsOf(name, this.#specialization).map((buffer, binding) => ({
        binding,
        visibility: ShaderStage.COMPUTE,
        buffer,
      })),
    });
  }
}
