/** What is known of a sort before it runs. */

import type { Plan, Shape } from './plan.js';

/** What one key costs, keys alone: an analytic model, to be held against what is measured. */
export interface Cost {
  /** Read from and written to memory, counts left out. */
  readonly bytes: number;
  /** Comparisons, additions or counters. */
  readonly operations: number;
}

/** A sort of 32-bit unsigned keys that one of the sources describes. */
export interface Algorithm {
  /** As its file in kernels/wgsl is called, or with a layout. */
  readonly name: string;
  readonly title: string;
  /** Who describes it, and where. */
  readonly source: string;
  /** The longest input that it is for. */
  readonly maxLength: number;
  /** Whether it moves values with their keys, and equal keys stay in order. */
  readonly isStable: boolean;
  /** Whether it sorts pairs alone. */
  readonly isForPairs?: boolean;
  /** The sort of `count` keys, at least 1, of the shape that is measured or of another. */
  readonly plan: (count: number, hasValues: boolean, shape?: Shape) => Plan;
  readonly cost: (count: number) => Cost;
}

/** Longer input takes longer than anybody waits, or does not fit a device. */
export const LONGEST: number = 2 ** 28;
