/** The index of every record as its value, written by the GPU: kernels/wgsl/identity.wgsl. */

import { THREADS } from '@keysweep/kernels/wgsl';
import type {
  GPUBindGroup,
  GPUBuffer,
  GPUBufferBinding,
  GPUComputePassEncoder,
  GPUDevice,
} from '../../device/gpu-types.js';
import { alignedDown } from '../arguments/options.js';
import { type LabelledWidths, type Pipelines, pipelinesFor } from '../recording/pipelines.js';
import {
  type CountBinding,
  directCount,
  fixedNumbers,
  numberTable,
} from '../recording/uniforms.js';

/** Most workgroups: each of their threads writes any number of indices. */
const MAX_GROUPS = 2048;

export class Indices {
  readonly #device: GPUDevice;
  readonly #pipelines: Pipelines;
  readonly #orderGroup: GPUBindGroup;

  constructor(device: GPUDevice, widths: LabelledWidths, orderGroup: GPUBindGroup) {
    this.#device = device;
    this.#pipelines = pipelinesFor(device, widths);
    this.#orderGroup = orderGroup;
  }

  /** Compiles what `record` would compile. */
  compile(): void {
    this.#pipelines.get('identity');
  }

  /** The bind group of `values`, which begin at record `first` of their buffer. */
  bind(values: GPUBufferBinding, first: number): GPUBindGroup {
    const numbers = fixedNumbers(numberTable(this.#device), first);
    return this.#pipelines.group('numbered', [values, ...numbers]);
  }

  /** Records the indices of as many values as `count` binds, at most `most`. */
  record(
    pass: GPUComputePassEncoder,
    values: GPUBindGroup,
    count: CountBinding,
    most: number,
  ): void {
    pass.setBindGroup(0, this.#orderGroup);
    pass.setBindGroup(1, count.group, count.offsets);
    pass.setBindGroup(2, values);
    pass.setPipeline(this.#pipelines.get('identity'));
    pass.dispatchWorkgroups(Math.min(MAX_GROUPS, Math.ceil(most / THREADS)));
  }

  /** Records the first `count` indices. A binding holds `most`. `group`: of a count. */
  recordAll(
    pass: GPUComputePassEncoder,
    values: GPUBuffer,
    count: number,
    group: GPUBindGroup,
    most: number,
  ): void {
    const length = alignedDown(most);
    for (let first = 0; first < count; first += length) {
      const own = Math.min(length, count - first);
      const window = { buffer: values, offset: 4 * first, size: 4 * own };
      this.record(pass, this.bind(window, first), { group, offsets: directCount(own, 0) }, own);
    }
  }
}
