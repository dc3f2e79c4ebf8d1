/**
 * @keysweep/webgpu: implicit radix sort on WebGPU, for arrays and for data already in GPU buffers.
 */

export { type WebgpuOptions, webgpu } from './backend.js';
export type {
  GpuCount,
  GpuKeyType,
  GpuValueType,
  RadixSortArguments,
  RadixSorterOptions,
} from './sorter/options.js';
export { RadixSorter } from './sorter/radix-sorter.js';
export type { GpuSegments, SegmentSortArguments } from './sorter/segment-options.js';
