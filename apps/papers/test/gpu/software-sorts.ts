/** A device for the papers' sorts, and their sorts as the conformance suite calls sorters. */

import '../../../../packages/webgpu/test/software-gpu.js';
import type { GpuSorter, GpuSubject } from '@keysweep/conformance/gpu';
import { type Algorithm, PaperSorter } from '@keysweep/papers';

/** Sorters of one algorithm, for checks whose options are those that it has. */
export const createBy =
  (algorithm: Algorithm): GpuSubject['create'] =>
  async (device, { maxCount, valueType }): Promise<GpuSorter> => {
    const hasValues = valueType !== undefined;
    const sorter = PaperSorter.create(device, algorithm, { count: maxCount, hasValues });
    return {
      scratchBytes: sorter.scratchBytes,
      encode: (encoder, args) => sorter.encode(encoder as GPUCommandEncoder, args),
      destroy: () => sorter.destroy(),
      [Symbol.dispose]: () => sorter.destroy(),
    };
  };
