/** CUB and std::sort among the papers' sorts: times that cub-files.cu has printed. */

import { DISTRIBUTIONS } from '@keysweep/bench/gpu/inputs/distributions.js';
import { madeAs, type ReferenceTime } from '@keysweep/bench/gpu/reference.js';
import { CUB, STD_SORT } from './definitions.js';
import type { PaperResult } from './measure.js';

/** What programs are called here, and whose clock their times are from. */
const PROGRAMS: Readonly<Record<string, Pick<PaperResult, 'sort' | 'clock'>>> = {
  cub: { sort: CUB, clock: 'gpu' },
  'std::sort': { sort: STD_SORT, clock: 'host' },
};

/**
 * A line for each sort of u32 keys that are like those that are made here. Of several times of one
 * the smallest is taken.
 */
export function resultsOf(times: readonly ReferenceTime[]): PaperResult[] {
  const fastest = new Map<string, PaperResult>();
  for (const { name, operation, keyType, length, milliseconds, ...time } of times) {
    const program = PROGRAMS[name];
    const distribution = DISTRIBUTIONS.find((one) => one === madeAs(time.distribution));
    if (program === undefined || distribution === undefined || keyType !== 'u32') continue;
    const key = [name, operation, length, distribution].join();
    if ((fastest.get(key)?.milliseconds[0] ?? Number.POSITIVE_INFINITY) <= milliseconds) continue;
    fastest.set(key, {
      ...program,
      ...{ operation, length, distribution, calls: 1, milliseconds: [milliseconds] },
      // It prints no time of a sort that was wrong.
      ...{ dispatches: 0, cost: undefined, verified: true, fault: undefined },
    });
  }
  return [...fastest.values()];
}
