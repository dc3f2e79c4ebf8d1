/**
 * @keysweep/webgpu: implicit radix sort on WebGPU, for arrays and for data already in GPU buffers.
 *
 * Folders import in one direction. A request for arrays comes from backend.ts through transfer/,
 * which brings them to the GPU and back, to sorter/, which records the sort of GPU buffers; device/
 * holds what WebGPU and its devices need. A caller with GPU buffers of its own enters at
 * sorter/radix-sorter.ts. docs/architecture/webgpu.md follows a call through the files.
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
