/**
 * @keysweep/conformance/gpu: what every sorter of GPU buffers has to do, as data, without a test
 * runner.
 *
 * ```ts
 * const subject = { device, create: RadixSorter.create, … };
 * for (const check of GPU_CHECKS) await runCheck(check, subject, seed);
 * ```
 */

import { type Check, runCheck } from '../check.js';
import { GPU_APPROXIMATE_CHECKS } from './approximate-checks.js';
import { GPU_ARGUMENT_CHECKS } from './argument-checks.js';
import { Bench, withoutErrors } from './bench.js';
import { GPU_CONDUCT_CHECKS } from './conduct-checks.js';
import { FIRST_CHECKS } from './first-checks.js';
import { GPU_ORDER_CHECKS } from './order-checks.js';
import { GPU_PLACE_CHECKS } from './place-checks.js';
import { SEGMENT_CHECKS } from './segment-checks.js';
import { describeSort, type Sort, verifySort } from './sorts.js';
import type { GpuSubject } from './subject.js';

export { type Sort, SPECIAL } from './sorts.js';
export type {
  GpuSegmentArguments,
  GpuSortArguments,
  GpuSorter,
  GpuSorterOptions,
  GpuSubject,
} from './subject.js';
export { type Allowance, PORTABLE_SCRATCH } from './subject.js';

/** One property of a sorter. */
export type GpuCheck = Check<GpuSubject>;

/** A check with buffers of its own, on a device that nothing may go wrong on. */
const onBench = ({ name, run }: Check<Bench>): GpuCheck => ({
  name,
  run: (subject, seed) =>
    withoutErrors(subject.device, async () => {
      const bench = new Bench(subject);
      try {
        await run(bench, seed);
      } finally {
        bench.free();
      }
    }),
});

/** The check of one sort. */
export const checkOf = (sort: Sort): GpuCheck =>
  onBench({ name: describeSort(sort), run: (bench) => verifySort(bench, sort) });

/**
 * All checks. The checks of conduct come first, because they show which work a device's first
 * sorter leaves to `encode`.
 */
export const GPU_CHECKS: readonly GpuCheck[] = [
  ...GPU_CONDUCT_CHECKS,
  ...GPU_ORDER_CHECKS,
  ...GPU_APPROXIMATE_CHECKS,
  ...GPU_PLACE_CHECKS,
  ...GPU_ARGUMENT_CHECKS,
].map(onBench);

/** Checks of segments in GPU memory, which a sorter need not have. */
export const GPU_SEGMENT_CHECKS: readonly GpuCheck[] = SEGMENT_CHECKS.map(onBench);

/** Checks of the first keys of such segments. */
export const GPU_FIRST_CHECKS: readonly GpuCheck[] = FIRST_CHECKS.map(onBench);

export { runCheck };
