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

/** Group 0 belongs to the sorter, group 1 to one dispatch, group 2 is keys and values. */
export type Layout =
  /** Group 0: order. */
  | 'order'
  /** Group 0: order, plan, spine or scan state. */
  | 'pass'
  /** Group 0: order, plan, scan state; the plan is written. */
  | 'planning'
  /** Group 0: order, key ranges, plan. */
  | 'plan'
  /** Group 0: permutation, column, keys. */
  | 'gather'
  /** Group 1: the bytes of the count, the offset, the buffer of a count on the GPU. */
  | 'commandNumbers'
  /** Group 1: the number of the pass. */
  | 'slot'
  /**
   * Group 1: groups of segments, starts of segments; or the starts, and offsets of long ones; or
   * the state of segments, and a list of them.
   */
  | 'segments'
  /** Group 1: bounds of segments, and what is written for them. */
  | 'bounded'
  /** Group 1: bounds of segments, sums, offsets of long ones. */
  | 'longOffsets'
  /** Group 0: order, state of segments, tiles and digit starts of long ones. */
  | 'longPass'
  /** Group 1: state of segments, marks. */
  | 'marks'
  /** Group 1: state of segments, marks, windows that are written, and numbers of some. */
  | 'windows'
  /** Group 1: state of segments, marks, a list of windows, and numbers of some, written. */
  | 'listed'
  /** Group 1: state of segments, long ones, their tiles and counts. */
  | 'longTiles'
  /** Group 1: state of segments, tiles of long ones, counts. */
  | 'longCounts'
  /** Group 1: state of segments, long ones, counts. */
  | 'longStarts'
  /** Group 1: the numbers of two chunks, the part, the offset; the counts of all chunks. */
  | 'chunkNumbers'
  /** Group 2: places, bounds of segments, sums, the bytes of the room. */
  | 'segmentBounds'
  /** Group 2: places, counters, parts; the bytes of the room, and of how many; keys and values. */
  | 'firstKeys'
  /** Group 2: places, state of segments, marks, lists of segments, the bytes of the room. */
  | 'segmentPlaces'
  /** Group 2: keys, words and places of long segments. */
  | 'longKeys'
  /** Group 2: places of long segments, a column, what moves. */
  | 'longMoves'
  /** Group 2: what is written, and the bytes of a number. */
  | 'numbered'
  /** Group 2: keys and values. */
  | 'inPlace'
  /** Group 2: keys from and to, values from and to. */
  | 'pingPong'
  /** Group 2: keys here and there, values here and there, all written. */
  | 'exchange'
  /** Group 2: keys of two chunks and the target's, then values, in buffers that are written. */
  | 'merge';

const UNIFORM: GPUBufferBindingLayout = { type: 'uniform' };
const NUMBER: GPUBufferBindingLayout = { type: 'uniform', hasDynamicOffset: true };
const READ: GPUBufferBindingLayout = { type: 'read-only-storage' };
const WRITE: GPUBufferBindingLayout = { type: 'storage' };

function bindingsOf(layout: Layout, { valueWords }: Specialization): GPUBufferBindingLayout[] {
  const isKeysOnly = valueWords === 0;
  switch (layout) {
    case 'order':
      return [UNIFORM];
    case 'pass':
      return [UNIFORM, READ, WRITE];
    case 'planning':
      return [UNIFORM, WRITE, WRITE];
    case 'plan':
      return [UNIFORM, READ, WRITE];
    case 'gather':
      return [READ, READ, WRITE];
    case 'commandNumbers':
      return [...Array.from({ length: COMMAND_NUMBERS }, () => NUMBER), READ];
    case 'slot':
      return [NUMBER];
    case 'segments':
      return [READ, READ];
    case 'bounded':
      return [READ, WRITE];
    case 'longOffsets':
      return [READ, READ, WRITE];
    case 'segmentBounds':
      return [READ, WRITE, WRITE, UNIFORM, UNIFORM, UNIFORM, UNIFORM];
    case 'longKeys':
    case 'longMoves':
      return [READ, WRITE, WRITE];
    case 'longPass':
      return [UNIFORM, WRITE, READ, WRITE];
    case 'marks':
      return [WRITE, WRITE];
    case 'windows':
      return [WRITE, READ, WRITE, WRITE];
    case 'listed':
      return [READ, READ, READ, WRITE];
    case 'longCounts':
      return [READ, READ, WRITE];
    case 'longTiles':
      return [WRITE, READ, WRITE, WRITE];
    case 'longStarts':
      return [WRITE, READ, WRITE];
    case 'segmentPlaces':
      return [
        READ,
        ...Array.from({ length: 5 }, () => WRITE),
        ...Array.from({ length: 4 }, () => UNIFORM),
      ];
    case 'firstKeys':
      return [READ, WRITE, WRITE, ...Array.from({ length: 6 }, () => UNIFORM), WRITE].concat(
        isKeysOnly ? [] : WRITE,
      );
    case 'chunkNumbers':
      return [...Array.from({ length: CHUNK_NUMBERS }, () => NUMBER), READ];
    case 'numbered':
      return [WRITE, UNIFORM, UNIFORM, UNIFORM, UNIFORM];
    case 'inPlace':
      return isKeysOnly ? [WRITE] : [WRITE, WRITE];
    case 'pingPong':
      return isKeysOnly ? [READ, WRITE] : [READ, WRITE, READ, WRITE];
    case 'exchange':
      return isKeysOnly ? [WRITE, WRITE] : [WRITE, WRITE, WRITE, WRITE];
    case 'merge':
      return Array.from({ length: isKeysOnly ? 3 : 6 }, () => WRITE);
  }
}

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
