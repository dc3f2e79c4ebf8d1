/** A sort of a paper as the conformance suite calls sorters. */

import type { Random } from '@keysweep/conformance/data';
import type { GpuSubject } from '@keysweep/conformance/gpu';
import { type Algorithm, PaperSorter, TILE } from '../sorts/index.js';

/** For checks whose options are those that the sort has; how much scratch it takes is its own. */
export const subjectOf = (
  device: GPUDevice,
  algorithm: Algorithm,
  random: Random,
  thorough = false,
): GpuSubject => ({
  device,
  async create(on, { maxCount: count, valueType }) {
    const hasValues = valueType !== undefined;
    const sorter = PaperSorter.create(on, algorithm, { count, hasValues });
    return {
      scratchBytes: sorter.scratchBytes,
      encode: (encoder, args) => sorter.encode(encoder as GPUCommandEncoder, args),
      destroy: () => sorter.destroy(),
      [Symbol.dispose]: () => sorter.destroy(),
    };
  },
  random,
  tile: { 4: TILE, 8: TILE },
  scratch: { share: Number.POSITIVE_INFINITY, bytes: 0 },
  maxLength: algorithm.maxLength,
  thorough,
});
