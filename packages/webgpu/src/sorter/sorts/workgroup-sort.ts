/** The sort of as many keys as a workgroup holds, in place, in one dispatch. */

import type { OnArrayBuffer } from '@keysweep/core';
import { LAYOUTS } from '@keysweep/kernels/wgsl';
import type {
  GPUBindGroup,
  GPUBuffer,
  GPUBufferBinding,
  GPUComputePassEncoder,
  GPUDevice,
} from '../../device/gpu-types.js';
import type { RecordBuffers, RecordedSort } from '../recording/device-sort.js';
import { type LabelledWidths, type Pipelines, pipelinesFor } from '../recording/pipelines.js';
import {
  type CountBinding,
  nansTie,
  type OrderOptions,
  orderBuffer,
} from '../recording/uniforms.js';
import { maxInWorkgroup, type Shapes } from '../tuning/tuning.js';

/** Workgroups in one dimension that every device allows. */
const MAX_WORKGROUPS = 65_535;

/** Segments in GPU buffers, as kernels/wgsl/workgroup-sort.wgsl takes them. */
export interface SegmentTables {
  /** `SegmentGroup` after `SegmentGroup`, one a workgroup: what `groupSegments` returned. */
  readonly groups: GPUBufferBinding;
  /** The first key of every segment. */
  readonly starts: GPUBufferBinding;
  readonly groupCount: number;
}

/** A tile that a chained scan's kernel sorts, and the kernel that is compiled for it. */
interface Tile {
  readonly most: number;
  readonly pipelines: Pipelines;
}

export class WorkgroupSort implements RecordedSort<GPUBindGroup> {
  /** Bytes of GPU memory held. */
  readonly bytes: number;
  /** Most records of a sort. */
  readonly most: number;
  /** The uniform `Order`, and its bind group of layout 'order'. */
  readonly orderBinding: GPUBufferBinding;
  readonly orderGroup: GPUBindGroup;
  readonly #pipelines: Pipelines;
  /** Present if the device sorts by chained scans: the records that are sorted as a tile. */
  readonly #tile: Tile | undefined;
  readonly #order: GPUBuffer;

  constructor(
    device: GPUDevice,
    options: OrderOptions,
    widths: LabelledWidths,
    shapes: Shapes | undefined,
  ) {
    this.#pipelines = pipelinesFor(device, widths);
    this.#order = orderBuffer(device, options);
    this.bytes = this.#order.size;
    this.orderBinding = { buffer: this.#order };
    this.orderGroup = this.#pipelines.group('order', [this.orderBinding]);
    this.most = maxInWorkgroup(widths.keyWords, shapes);
    if (shapes === undefined) return;
    const { one } = shapes;
    const hasNanTies = nansTie(options, widths);
    const chained = { ...one, lookLimit: 0, stalledTile: undefined, hasNanTies };
    const pipelines = pipelinesFor(device, { ...widths, chained });
    this.#tile = { most: one.threads * one.keys, pipelines };
  }

  compile(): void {
    this.#tile?.pipelines.get('tileSort');
    if ((this.#tile?.most ?? 0) < this.most) this.#pipelines.get('workgroupSort');
  }

  /** Compiles what `recordSegments` would compile. */
  compileSegments(): void {
    this.#pipelines.get('segmentSort');
  }

  bind(records: RecordBuffers): GPUBindGroup {
    return this.#pipelines.group('inPlace', records);
  }

  record(
    pass: GPUComputePassEncoder,
    records: GPUBindGroup,
    count: CountBinding,
    most: number,
  ): void {
    const tile = most <= (this.#tile?.most ?? 0) ? this.#tile : undefined;
    pass.setBindGroup(0, this.orderGroup);
    pass.setBindGroup(1, count.group, count.offsets);
    pass.setBindGroup(2, records);
    pass.setPipeline(tile?.pipelines.get('tileSort') ?? this.#pipelines.get('workgroupSort'));
    pass.dispatchWorkgroups(1);
  }

  /** Sorts each segment of `segments` by itself. */
  recordSegments(
    pass: GPUComputePassEncoder,
    records: GPUBindGroup,
    { groups, starts, groupCount }: SegmentTables,
  ): void {
    this.recordGroups(pass, records, this.bindTables(groups, starts), groupCount);
  }

  /** The bind group of tables. */
  bindTables(groups: GPUBufferBinding, starts: GPUBufferBinding): GPUBindGroup {
    return this.#pipelines.group('segments', [groups, starts]);
  }

  /** As `recordSegments`, with tables that were bound before. */
  recordGroups(
    pass: GPUComputePassEncoder,
    records: GPUBindGroup,
    tables: GPUBindGroup,
    groupCount: number,
  ): void {
    pass.setBindGroup(0, this.orderGroup);
    pass.setBindGroup(1, tables);
    pass.setBindGroup(2, records);
    pass.setPipeline(this.#pipelines.get('segmentSort'));
    dispatchRows(pass, groupCount);
  }

  destroy(): void {
    this.#order.destroy();
  }
}

/** Dispatches `groupCount` workgroups or a few more, in rows that every device allows. */
function dispatchRows(pass: GPUComputePassEncoder, groupCount: number): void {
  const rows = Math.ceil(groupCount / MAX_WORKGROUPS);
  pass.dispatchWorkgroups(Math.ceil(groupCount / rows), rows);
}

/**
 * Neighbouring segments in groups of at most `tile` keys, as `SegmentGroup`s of
 * kernels/wgsl/workgroup-sort.wgsl; undefined if one segment is longer. Groups of fewer
 * than two keys, in which nothing is to be sorted, are left out. O(segments).
 */
export function groupSegments(
  starts: Uint32Array,
  length: number,
  tile: number,
): OnArrayBuffer<Uint32Array> | undefined {
  const groups: number[] = [];
  let first = 0;
  let firstSegment = 0;
  for (let segment = 0; segment < starts.length; segment++) {
    const start = starts[segment] as number;
    const end = starts[segment + 1] ?? length;
    if (end - start > tile) return undefined;
    if (end - first > tile) {
      if (start - first > 1) groups.push(first, start, firstSegment, segment);
      first = start;
      firstSegment = segment;
    }
  }
  if (length - first > 1) groups.push(first, length, firstSegment, starts.length);
  return Uint32Array.from({ length: groups.length }, (_, i) => groups[i] as number);
}

/** The number of groups in what `groupSegments` returned. */
export const groupCountOf = (groups: Uint32Array): number =>
  groups.byteLength / LAYOUTS.SegmentGroup.size;
