/** What kernels keep in the storage of a workgroup, where their speed hangs on it. */

import { describe, expect, it } from 'vitest';
import { storageOf } from '../../tools/test/workgroup-storage.js';
import { constantsFor, KERNELS, type Kernel, type SweepShape, shader } from '../wgsl/index.js';

describe('workgroup storage', () => {
  const shape: SweepShape = {
    ...{ threads: 512, keys: 23, subgroup: 32, needsSizeControl: false, hasSubgroupId: true },
    ...{ lookLimit: 4096, stalledTile: undefined, hasNanTies: false },
    batch: { threads: 256, keys: 13, isMapped: true },
  };
  const storageFor = (kernel: Kernel): number => {
    const widths = { keyWords: 1, valueWords: 0, approximate: false } as const;
    const constants = constantsFor({ ...widths, chained: shape }, kernel);
    return storageOf(shader(KERNELS[kernel].file, constants));
  };

  it.each(['splitBuckets', 'splitBins', 'batchSort'] as const)(
    '%s: two workgroups share 48 KiB, of 32-bit keys without values',
    (kernel) => {
      const bytes = storageFor(kernel);
      expect(bytes).toBeGreaterThan(8192);
      expect(bytes).toBeLessThanOrEqual(24 * 1024);
    },
  );
});
