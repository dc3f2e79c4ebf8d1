/** Inputs of the stages of a hybrid sort, and their plans. */

import {
  type BatchShape,
  CONSTANTS,
  LAYOUTS,
  maxPassesOf,
  SAMPLE_WORDS,
  type Specialization,
  type Widths,
} from '@keysweep/kernels/wgsl';
import { chain } from '../chained-devices.js';
import type { Buckets } from '../twins/hybrid/batches.js';
import { planWords } from './gpu-stage.js';
import { type Input, randomInput } from './inputs.js';

const { RADIX, TILE_COUNTERS, HYBRID_PASSES } = CONSTANTS;

/** Records that may be sorted so. */
export const HYBRID_WIDTHS: readonly Widths[] = ([1, 2] as const).flatMap((keyWords) =>
  ([0, 1, 2] as const).map((valueWords) => ({ keyWords, valueWords, approximate: false })),
);

export const BATCH: BatchShape = { threads: 32, keys: 5, isSampled: true };

/** Where parts of the scan state are, in words. */
export function partsOf({ keyWords }: Widths): {
  readonly starts: number;
  readonly sample: number;
  readonly statuses: number;
} {
  const starts = TILE_COUNTERS + RADIX * maxPassesOf(keyWords);
  const sample = starts + RADIX * maxPassesOf(keyWords);
  return { starts, sample, statuses: sample + SAMPLE_WORDS };
}

/** An input without key bits, which is never sorted so, and what is compiled for it. */
export interface Planned {
  readonly input: Input;
  readonly hasNanTies: boolean;
  readonly specialization: Specialization;
  /** Keys of a tile. */
  readonly tile: number;
}

export function planned(device: GPUDevice, widths: Widths, maxCount: number): Planned {
  let input = randomInput(widths, maxCount);
  while (input.keyBits !== undefined || input.count < 2) input = randomInput(widths, maxCount);
  const shape = chain(device).chained![widths.keyWords].many;
  const hasNanTies = widths.valueWords > 0 && input.keyType.startsWith('f');
  const waits = { lookLimit: 16, stalledTile: undefined };
  const chained = { ...shape, ...waits, hasNanTies, batch: BATCH };
  return {
    input,
    hasNanTies,
    specialization: { ...widths, chained },
    tile: shape.threads * shape.keys,
  };
}

/** The plan of a sort that is hybrid where there are `buckets`. */
export function planOf(
  { keyWords }: Widths,
  { count, offset }: Input,
  buckets: Buckets | undefined,
  batchBuckets = 0,
): Uint32Array {
  const none = { tilesPerBlock: 0, blocks: 0, spineLanes: 0 };
  const plan = { count, offset, ...none, passesSkipped: 0, passes: [] };
  const words = planWords(plan, maxPassesOf(keyWords), false);
  if (buckets !== undefined) {
    words[LAYOUTS.Plan.isHybrid / 4] = 1;
    words[LAYOUTS.Plan.passesRun / 4] = HYBRID_PASSES;
  }
  words.set(buckets?.bounds ?? [0, 0xffffffff], LAYOUTS.Plan.bounds / 4);
  words[LAYOUTS.Plan.bucketShift / 4] = buckets?.bucketShift ?? 0;
  words[LAYOUTS.Plan.batchBuckets / 4] = batchBuckets;
  return words;
}
