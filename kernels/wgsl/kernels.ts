/** Every kernel: its file, its entry point, and the constants that it is specialised with. */

import { CONSTANTS, KEYS, maxPassesOf, THREADS, tileOf } from './constants.js';
import type { Constants } from './expand.js';

/** File and entry point of each kernel. A file may serve two kernels, with other constants. */
export const KERNELS = {
  workgroupSort: { file: 'workgroup-sort', entryPoint: 'sortWorkgroup' },
  segmentSort: { file: 'workgroup-sort', entryPoint: 'sortWorkgroup' },
  survey: { file: 'reduce-then-scan/survey', entryPoint: 'survey' },
  plan: { file: 'reduce-then-scan/plan', entryPoint: 'makePlan' },
  upsweep: { file: 'reduce-then-scan/upsweep', entryPoint: 'upsweep' },
  spine: { file: 'reduce-then-scan/spine', entryPoint: 'scanSpine' },
  downsweep: { file: 'reduce-then-scan/downsweep', entryPoint: 'downsweep' },
  histogram: { file: 'chained-scan/histogram', entryPoint: 'countDigits' },
  digitStarts: { file: 'chained-scan/digit-starts', entryPoint: 'findDigitStarts' },
  firstSweep: { file: 'chained-scan/sweep', entryPoint: 'sweep' },
  sweep: { file: 'chained-scan/sweep', entryPoint: 'sweep' },
  copyBack: { file: 'copy-back', entryPoint: 'copyBack' },
  gather: { file: 'gather', entryPoint: 'gather' },
  identity: { file: 'identity', entryPoint: 'makeIdentity' },
} as const;

export type Kernel = keyof typeof KERNELS;

/** Widths of a record in 32-bit words. */
export interface Widths {
  readonly keyWords: 1 | 2;
  /** 0 where there is no payload. */
  readonly valueWords: 0 | 1 | 2;
  /** Whether large arrays are sorted by 24-bit codes of floats. */
  readonly approximate: boolean;
}

/** How the kernels of a chained scan are cut, and how long they wait. */
export interface SweepShape {
  /** Invocations in every subgroup. */
  readonly subgroup: number;
  /** Whether the pipelines have to ask for that size. */
  readonly needsSizeControl: boolean;
  /** Whether shaders may read their subgroup's number. */
  readonly hasSubgroupId: boolean;
  /** Invocations of a workgroup. */
  readonly threads: number;
  /** Keys a thread. */
  readonly keys: number;
  /** Times that a workgroup reads an earlier tile's status before it counts that tile itself. */
  readonly lookLimit: number;
  /** For tests: a tile that never publishes its counts. */
  readonly stalledTile: number | undefined;
  /** Whether keys that differ may be ties that have to keep their order: floats with values. */
  readonly hasNanTies: boolean;
}

/** What the kernels are specialised in; `chained` for those of a chained scan. */
export interface Specialization extends Widths {
  readonly chained?: SweepShape | undefined;
}

/** The constants of `kernel` that depend on the specialization. */
export function constantsFor(specialization: Specialization, kernel: Kernel): Constants {
  const { keyWords, valueWords, approximate, chained } = specialization;
  const records = {
    KEY_WORDS: keyWords,
    VALUE_WORDS: valueWords,
    MAX_PASSES: maxPassesOf(keyWords),
  };
  if (chained !== undefined) return { ...records, ...chainedConstants(chained, kernel) };
  const isOneWorkgroup = kernel === 'workgroupSort' || kernel === 'segmentSort';
  // What one workgroup sorts is sorted exactly.
  const usesCodes = approximate && !isOneWorkgroup;
  const movesKeys = keyWords + valueWords === 1 && !usesCodes && kernel !== 'segmentSort';
  return {
    ...records,
    APPROXIMATE: usesCodes ? 1 : 0,
    MOVES_KEYS: movesKeys ? 1 : 0,
    SEGMENTS: kernel === 'segmentSort' ? 1 : 0,
    THREADS,
    KEYS: KEYS[keyWords],
    TILE: tileOf(keyWords),
  };
}

function chainedConstants(shape: SweepShape, kernel: Kernel): Constants {
  const { RADIX } = CONSTANTS;
  const { subgroup, needsSizeControl, hasSubgroupId, hasNanTies, stalledTile } = shape;
  const isUnstable = kernel === 'firstSweep';
  const isSweep = kernel === 'sweep' || isUnstable;
  // The digit starts have a thread for each value of a digit; histogram and copy back take any
  // number.
  const threads = isSweep ? shape.threads : THREADS;
  const subgroups = threads / subgroup;
  return {
    APPROXIMATE: 0,
    THREADS: threads,
    KEYS: shape.keys,
    TILE: shape.threads * shape.keys,
    SUBGROUP_SIZE: subgroup,
    SUBGROUPS: subgroups,
    SIZE_CONTROL: needsSizeControl ? 1 : 0,
    SUBGROUP_ID: hasSubgroupId ? 1 : 0,
    UNSTABLE: isUnstable ? 1 : 0,
    NAN_TIES: hasNanTies ? 1 : 0,
    // Rows of counters: one for all subgroups where the order of equal digits does not matter.
    COUNTER_ROWS: isUnstable ? 1 : subgroups,
    // Digits of a thread that has any, and subgroups of such threads.
    DIGITS_PER_THREAD: Math.max(1, RADIX / threads),
    DIGIT_SUBGROUPS: Math.min(subgroups, RADIX / subgroup),
    LOOK_LIMIT: shape.lookLimit,
    // Counted from 1; 0 is no tile.
    STALLED_TILE: stalledTile === undefined ? 0 : stalledTile + 1,
  };
}
