/** The twin of kernels/wgsl/chained-scan/digit-starts.wgsl. */

import { CONSTANTS } from '@keysweep/kernels/wgsl';
import type { Pass } from '../order.js';

/** What is known before the first sweep. */
export interface ChainedPlan {
  readonly passesSkipped: number;
  readonly passes: readonly Pass[];
  /** For each pass, the number of keys of smaller digit values. */
  readonly starts: readonly (readonly number[])[];
}

/**
 * The passes of digits that not all of `count` keys share; none if the keys are in order already.
 * `counts` is the histogram.
 */
export function digitStarts(
  counts: readonly (readonly number[])[],
  count: number,
  offset: number,
  isSorted: boolean,
): ChainedPlan {
  const { RADIX_BITS } = CONSTANTS;
  const digits = [...counts.keys()].filter((p) => !isSorted && !counts[p]?.includes(count));
  const passes = digits.map(
    (p, slot): Pass => ({
      bias: 0n,
      shift: p * RADIX_BITS,
      width: RADIX_BITS,
      isFirst: slot === 0,
      isLast: slot === digits.length - 1,
      sourceOffset: slot % 2 === 0 ? offset : 0,
      targetOffset: slot % 2 === 0 ? 0 : offset,
    }),
  );
  const starts = digits.map((p) => {
    let sum = 0;
    return (counts[p] as readonly number[]).map((own) => {
      sum += own;
      return sum - own;
    });
  });
  return { passesSkipped: counts.length - passes.length, passes, starts };
}
