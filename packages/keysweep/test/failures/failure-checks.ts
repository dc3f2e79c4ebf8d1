/** Calls whose GPU fails: another backend serves them, and the report has the error. */

import { isThorough, randomKeys } from '@keysweep/conformance/data';
import { assertNoFault, faultOfOrder } from '@keysweep/conformance/verify';
import { cpu } from '@keysweep/cpu';
import { type WebgpuOptions, webgpu } from '@keysweep/webgpu';
import type { Progress, Sorter, SortReport } from 'keysweep';
import { expect } from 'vitest';
import { testRandom } from '../../../../tools/test/random.js';
import { eagerSorter } from '../eager.js';
import { hardware } from '../hardware.js';

const random = testRandom();

/** Rows whose argsort 'auto' gives to the GPU: few, by a profile that says so. */
const MANY = isThorough ? 2 ** 21 : 3000;
const TIMES = isThorough ? {} : ({ webgpu: { 'argsort u32': [[MANY, 0.001]] } } as const);

/** A sorter that has a GPU, which may fail, and threads. */
export const gpuSorter = (options: WebgpuOptions): Promise<Sorter> =>
  eagerSorter([hardware(webgpu(options)), cpu({ threads: 2 })], {}, TIMES);

/**
 * Gives an argsort that a GPU is preferred for to 'auto', and returns the report of the right
 * result.
 */
export async function argsorts(
  sorter: Sorter,
  onProgress?: (progress: Progress) => void,
): Promise<SortReport> {
  const keys = randomKeys(MANY, random);
  expect(sorter.plan({ operation: 'argsort', keyType: 'u32', length: MANY }).steps).toMatchObject([
    { backend: 'webgpu' },
    { backend: 'cpu' },
  ]);
  let report: SortReport | undefined;
  const permutation = await sorter.argsort(keys, {
    onReport: (said) => {
      report = said;
    },
    ...(onProgress ? { onProgress } : {}),
  });
  assertNoFault('argsort by another backend', faultOfOrder([keys], permutation));
  return report as SortReport;
}

/** Sorts a few keys by the named backend. */
export async function sortsOnGpu(sorter: Sorter): Promise<void> {
  const keys = randomKeys(1000, random);
  const expected = keys.slice().sort();
  await sorter.sort(keys, { backend: 'webgpu' });
  expect(keys).toEqual(expected);
}
