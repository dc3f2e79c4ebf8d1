/** The twin of kernels/wgsl/hybrid/decision.wgsl. */

import { CONSTANTS } from '@keysweep/kernels/wgsl';

const { RADIX, SAMPLE_CELLS, BUCKETS } = CONSTANTS;

/** Whether the counts of a sample say that buckets of `count` keys are alike. */
export function isEven(counts: readonly number[], count: number, batchAim: number): boolean {
  const digits = counts.slice(0, RADIX);
  const samples = digits.reduce((sum, own) => sum + own, 0);
  const fullness = (Math.max(...digits) * RADIX) / samples;
  const mean = samples / SAMPLE_CELLS;
  const isFlat = Math.max(...counts.slice(RADIX)) <= mean + 6 * Math.sqrt(mean) + 8;
  return fullness <= 4 && fullness * count <= batchAim * BUCKETS && isFlat;
}
