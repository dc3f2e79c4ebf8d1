/** The pipelines of the radix sort: compiled once a device and specialty, and shared by all its sorters. */

import { shader } from '@keysweep/kernels/wgsl';
import { ShaderStage } from '../device/usage.js';
import { GIVEN_NUMBERS } from './command-numbers.js';
import { constantsFor, type Specialty } from './constants.js';

/** Every kernel, with its file in kernels/wgsl, its entry point and its bind group layouts. */
const KERNELS = {
  workgroupSort: {
    file: 'workgroup-sort',
    entryPoint: 'sortWorkgroup',
    groups: ['order', 'commandNumbers', 'inPlace'],
  },
  segmentSort: {
    file: 'workgroup-sort',
    entryPoint: 'sortWorkgroup',
    groups: ['order', 'segments', 'inPlace'],
  },
  survey: {
    file: 'reduce-then-scan/survey',
    entryPoint: 'survey',
    groups: ['pass', 'commandNumbers', 'pingPong'],
  },
  plan: {
    file: 'reduce-then-scan/plan',
    entryPoint: 'makePlan',
    groups: ['plan', 'commandNumbers'],
  },
  upsweep: {
    file: 'reduce-then-scan/upsweep',
    entryPoint: 'upsweep',
    groups: ['pass', 'slot', 'pingPong'],
  },
  spine: {
    file: 'reduce-then-scan/spine',
    entryPoint: 'scanSpine',
    groups: ['pass'],
  },
  downsweep: {
    file: 'reduce-then-scan/downsweep',
    entryPoint: 'downsweep',
    groups: ['pass', 'slot', 'pingPong'],
  },
  identity: {
    file: 'identity',
    entryPoint: 'makeIdentity',
    groups: ['permutation'],
  },
  gather: {
    file: 'gather',
    entryPoint: 'gather',
    groups: ['gather'],
  },
  histogram: {
    file: 'chained-scan/histogram',
    entryPoint: 'countDigits',
    groups: ['pass', 'commandNumbers', 'pingPong'],
  },
  digitStarts: {
    file: 'chained-scan/digit-starts',
    entryPoint: 'findDigitStarts',
    groups: ['digitStarts', 'commandNumbers'],
  },
  sweep: {
    file: 'chained-scan/sweep',
    entryPoint: 'sweep',
    groups: ['pass', 'slot', 'pingPong'],
  },
  firstSweep: {
    file: 'chained-scan/sweep',
    entryPoint: 'sweep',
    groups: ['pass', 'slot', 'pingPong'],
  },
  copyBack: {
    file: 'copy-back',
    entryPoint: 'copyBack',
    groups: ['pass', 'slot', 'pingPong'],
  },
} as const;

export type Kernel = keyof typeof KERNELS;

/** Group 0 is the sorter's own, group 1 what one dispatch is told, group 2 keys and values. */
export type Layout =
  /** Group 0: order. */
  | 'order'
  /** Group 0: order, plan, spine or scan state. */
  | 'pass'
  /** Group 0: order, plan, scan state. */
  | 'digitStarts'
  /** Group 0: order, key ranges, plan, indirect. */
  | 'plan'
  /** Group 0: permutation. */
  | 'permutation'
  /** Group 0: permutation, column, keys. */
  | 'gather'
  /** Group 1: the bytes of the count, the offset, the buffer of a count on the GPU. */
  | 'commandNumbers'
  /** Group 1: the number of the pass. */
  | 'slot'
  /** Group 1: groups of segments, starts of segments. */
  | 'segments'
  /** Group 2: keys and values. */
  | 'inPlace'
  /** Group 2: keys from and to, values from and to. */
  | 'pingPong';

const UNIFORM: GPUBufferBindingLayout = { type: 'uniform' };
const NUMBER: GPUBufferBindingLayout = { type: 'uniform', hasDynamicOffset: true };
const READ: GPUBufferBindingLayout = { type: 'read-only-storage' };
const WRITE: GPUBufferBindingLayout = { type: 'storage' };

function bindingsOf(layout: Layout, { valueWords }: Specialty): GPUBufferBindingLayout[] {
  const once = valueWords === 0;
  switch (layout) {
    case 'order':
      return [UNIFORM];
    case 'pass':
      return [UNIFORM, READ, WRITE];
    case 'digitStarts':
      return [UNIFORM, WRITE, WRITE];
    case 'plan':
      return [UNIFORM, READ, WRITE, WRITE];
    case 'permutation':
      return [WRITE];
    case 'gather':
      return [READ, READ, WRITE];
    case 'commandNumbers':
      return [...Array.from({ length: GIVEN_NUMBERS }, () => NUMBER), READ];
    case 'slot':
      return [NUMBER];
    case 'segments':
      return [READ, READ];
    case 'inPlace':
      return once ? [WRITE] : [WRITE, WRITE];
    case 'pingPong':
      return once ? [READ, WRITE] : [READ, WRITE, READ, WRITE];
  }
}

const cache = new WeakMap<GPUDevice, Map<string, Pipelines>>();

/** The pipelines of one specialty on `device`, none of them compiled by this. */
export function pipelinesFor(device: GPUDevice, specialty: Specialty): Pipelines {
  const known = cache.get(device) ?? new Map<string, Pipelines>();
  cache.set(device, known);
  const key = JSON.stringify(specialty);
  const pipelines = known.get(key) ?? new Pipelines(device, specialty);
  known.set(key, pipelines);
  return pipelines;
}

/** Forgets what was made on `device`: some of it has failed, and what failed looks like what did not. */
export function forgetPipelines(device: GPUDevice): void {
  cache.delete(device);
}

/** Pipelines and layouts of one specialty, each made when it is first asked for. */
export class Pipelines {
  readonly #device: GPUDevice;
  readonly #specialty: Specialty;
  readonly #layouts = new Map<Layout, GPUBindGroupLayout>();
  readonly #pipelines = new Map<Kernel, GPUComputePipeline>();

  constructor(device: GPUDevice, specialty: Specialty) {
    this.#device = device;
    this.#specialty = specialty;
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
      label: `keysweep ${layout}`,
      layout: this.#layout(layout),
      entries: resources.map((resource, binding) => ({ binding, resource })),
    });
  }

  // Not createComputePipelineAsync: Dawn for Node ends the process in it.
  #compile(kernel: Kernel): GPUComputePipeline {
    const { file, entryPoint, groups } = KERNELS[kernel];
    const label = `keysweep ${kernel}`;
    const code = shader(file, constantsFor(this.#specialty, kernel));
    const module = this.#device.createShaderModule({ label, code });
    const bindGroupLayouts = groups.map((group) => this.#layout(group));
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
      label: `keysweep ${name}`,
      entries: bindingsOf(name, this.#specialty).map((buffer, binding) => ({
        binding,
        visibility: ShaderStage.COMPUTE,
        buffer,
      })),
    });
  }
}
