/** The size of a dispatch over the sorted keys, which kernels/wgsl/dispatch-size.wgsl writes. */

import type { GPUBindGroup, GPUComputePassEncoder, GPUDevice } from '../../device/gpu-types.js';
import { ALIGNED } from '../arguments/options.js';
import type { GpuCount, NextDispatch } from '../arguments/sort-arguments.js';
import { type LabelledWidths, type Pipelines, pipelinesFor } from '../recording/pipelines.js';
import { fixedNumbers, numberTable } from '../recording/uniforms.js';
import { alignedWords, type Bindings, countOffsets, LastMade } from './bindings.js';

export class DispatchSize {
  readonly #device: GPUDevice;
  readonly #pipelines: Pipelines;
  readonly #orderGroup: GPUBindGroup;
  readonly #bindings: Bindings;
  readonly #last = new LastMade<GPUBindGroup>();

  constructor(
    device: GPUDevice,
    widths: LabelledWidths,
    orderGroup: GPUBindGroup,
    bindings: Bindings,
  ) {
    this.#device = device;
    // The same for all widths.
    const { label } = widths;
    const one = { keyWords: 1, valueWords: 0, approximate: false, label } as const;
    this.#pipelines = pipelinesFor(device, one);
    this.#orderGroup = orderGroup;
    this.#bindings = bindings;
  }

  /** Compiles what `record` would compile. */
  compile(): void {
    this.#pipelines.get('dispatchSize');
  }

  /** Records that the GPU writes the size for `count` keys. */
  record(
    pass: GPUComputePassEncoder,
    { buffer, offset = 0, workgroupSize }: NextDispatch,
    count: number | GpuCount,
  ): void {
    const from = offset - (offset % (4 * ALIGNED));
    const group = this.#last.get([buffer, from, workgroupSize], () =>
      this.#pipelines.group('numbered', [
        { buffer, offset: from, size: alignedWords(buffer) - from },
        ...fixedNumbers(numberTable(this.#device), workgroupSize),
      ]),
    );
    pass.setBindGroup(0, this.#orderGroup);
    // In place of the first key's index.
    const word = (offset / 4) % ALIGNED;
    pass.setBindGroup(1, this.#bindings.keptCountGroup(count), countOffsets(count, word));
    pass.setBindGroup(2, group);
    pass.setPipeline(this.#pipelines.get('dispatchSize'));
    pass.dispatchWorkgroups(1);
  }

  clear(): void {
    this.#last.clear();
  }
}
