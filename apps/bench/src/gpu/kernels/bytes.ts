/** What each kernel of a sort has to move at least: see kernels/wgsl. */

import { RADIX } from '@keysweep/webgpu/tuning';

/** What the bytes depend on. */
export interface Sizes {
  readonly length: number;
  readonly keyBytes: number;
  readonly valueBytes: number;
}

type Bytes = (sizes: Sizes, blocks: number) => number;

const readKeys: Bytes = ({ length, keyBytes }) => keyBytes * length;
const moveRecords: Bytes = ({ length, keyBytes, valueBytes }) =>
  2 * (keyBytes + valueBytes) * length;

const BYTES: Readonly<Record<string, Bytes>> = {
  workgroupSort: moveRecords,
  copyBack: moveRecords,
  // Reduce, then scan: a row of counts a block.
  survey: readKeys,
  upsweep: (sizes, blocks) => readKeys(sizes, blocks) + 4 * RADIX * blocks,
  spine: (_, blocks) => 8 * RADIX * blocks,
  downsweep: (sizes, blocks) => moveRecords(sizes, blocks) + 4 * RADIX * blocks,
  // Regular sampling. Samples are left out.
  sortRuns: moveRecords,
  sortBuckets: moveRecords,
  // One sweep for each digit. The tiles' published counts, at most 4 KiB a tile, are left out.
  histogram: readKeys,
  firstSweep: moveRecords,
  sweep: moveRecords,
  // By a map.
  splitBuckets: moveRecords,
  countBins: readKeys,
  splitBins: moveRecords,
  batchSort: moveRecords,
};

/**
 * Bytes that one dispatch of a kernel has to read and write; `blocks` are the workgroups of an
 * upsweep. 0 of kernels that do not touch the records.
 */
export function bytesOf(kernel: string, sizes: Sizes, blocks: number): number {
  return BYTES[kernel]?.(sizes, blocks) ?? 0;
}
