/**
 * @keysweep/webgpu: implicit radix sort on WebGPU, for arrays and for data already in GPU buffers.
 */

export { type WebgpuOptions, webgpu } from './backend.js';
export type { GpuKeyType, GpuValueType, RadixSorterOptions } from './sorter/options.js';
export { RadixSorter } from './sorter/radix-sorter.js';
export type { GpuSegments, SegmentSortArguments } from './sorter/segment-options.js';
export type { GpuCount, NextDispatch, RadixSortArguments } from './sorter/sort-arguments.js';
export type { SharedScratch } from './sorter/uniforms.js';
