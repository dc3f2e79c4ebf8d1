/**
 * @keysweep/webgpu: implicit radix sort on WebGPU, for arrays and for data already in GPU buffers.
 */

export { type WebgpuOptions, webgpu } from './backend.js';
export type { GpuKeyType, GpuValueType, RadixSorterOptions } from './sorter/arguments/options.js';
export type {
  GpuCount,
  NextDispatch,
  RadixSortArguments,
} from './sorter/arguments/sort-arguments.js';
export { RadixSorter } from './sorter/radix-sorter.js';
export type { SharedScratch } from './sorter/recording/uniforms.js';
export type { GpuSegments, SegmentSortArguments } from './sorter/segments/segment-options.js';
