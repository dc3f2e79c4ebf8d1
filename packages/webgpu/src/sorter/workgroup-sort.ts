/** Sorting what one workgroup can, in place, in one dispatch. */

import type { Given } from './command-numbers.js';
import type { Widths } from './constants.js';
import { type OrderOptions, orderBuffer } from './order.js';
import { type Pipelines, pipelinesFor } from './pipelines.js';
import type { Records } from './reduce-scan-sort.js';

/** Workgroups in one dimension that every device allows. */
const MOST_WORKGROUPS = 65_535;

/** Segments in GPU buffers, as kernels/wgsl/workgroup-sort.wgsl takes them. */
export interface SegmentTables {
  readonly groups: GPUBufferBinding;
  readonly starts: GPUBufferBinding;
  readonly groupCount: number;
}

export class SmallSort {
  /** Bytes of GPU memory held. */
  readonly bytes: number;
  readonly #pipelines: Pipelines;
  readonly #order: GPUBuffer;
  readonly #orderGroup: GPUBindGroup;

  constructor(device: GPUDevice, options: OrderOptions, widths: Widths) {
    this.#pipelines = pipelinesFor(device, widths);
    this.#order = orderBuffer(device, options);
    this.bytes = this.#order.size;
    this.#orderGroup = this.#pipelines.group('order', [{ buffer: this.#order }]);
  }

  /** Compiles now what `record` would compile. */
  compile(): void {
    this.#pipelines.get('workgroupSort');
  }

  /** The bind group that goes with `home`, the buffers that are sorted. */
  bind(home: Records): GPUBindGroup {
    return this.#pipelines.group('inPlace', home);
  }

  record(pass: GPUComputePassEncoder, home: GPUBindGroup, given: Given): void {
    pass.setBindGroup(0, this.#orderGroup);
    pass.setBindGroup(1, given.group, given.offsets);
    pass.setBindGroup(2, home);
    pass.setPipeline(this.#pipelines.get('workgroupSort'));
    pass.dispatchWorkgroups(1);
  }

  /** Sorts each segment of `segments` on its own. */
  recordSegments(pass: GPUComputePassEncoder, home: GPUBindGroup, segments: SegmentTables): void {
    const { groups, starts, groupCount } = segments;
    pass.setBindGroup(0, this.#orderGroup);
    pass.setBindGroup(1, this.#pipelines.group('segments', [groups, starts]));
    pass.setBindGroup(2, home);
    pass.setPipeline(this.#pipelines.get('segmentSort'));
    const rows = Math.ceil(groupCount / MOST_WORKGROUPS);
    pass.dispatchWorkgroups(Math.ceil(groupCount / rows), rows);
  }

  destroy(): void {
    this.#order.destroy();
  }
}
