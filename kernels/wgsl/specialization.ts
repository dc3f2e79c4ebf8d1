/**
 * What a kernel is compiled for, and the constants that it gets: by the widths of the records, and
 * by how its sort cuts the array.
 */

import { chainedConstants, type SweepShape } from './chained-kernels.js';
import { KEYS, MERGE_KEYS, maxPassesOf, THREADS, windowOf } from './constants.js';
import type { Constants } from './expand.js';
import { type FirstShape, firstConstants } from './first-kernels.js';
import { batchConstants, notHybrid } from './hybrid-kernels.js';
import type { Kernel } from './kernels.js';
import { sampledTile, samplingConstants } from './sampling-kernels.js';
import { segmentConstants } from './segment-kernels.js';
import type { Widths } from './shapes.js';

/** What the kernels are specialised in, besides the widths of the records. */
export interface Specialization extends Widths {
  /** Present for kernels of chained scans, and of the sorts that share their tiles. */
  readonly chained?: SweepShape | undefined;
  /** Present for kernels that find the first keys of segments. */
  readonly first?: FirstShape | undefined;
  /** Whether reduce-then-scan follows a hybrid sort by a map, and only sorts if that gave up. */
  readonly isAfterMap?: boolean | undefined;
}

/** The constants of `kernel` that depend on the specialization. */
export function constantsFor(specialization: Specialization, kernel: Kernel): Constants {
  const { keyWords, valueWords, approximate, chained, first, isAfterMap } = specialization;
  const records = {
    KEY_WORDS: keyWords,
    VALUE_WORDS: valueWords,
    MAX_PASSES: maxPassesOf(keyWords),
    HEAVY: 0,
  };
  if (chained !== undefined) {
    const batch = chained.batch && batchConstants(specialization, chained.batch);
    const { segments, subgroup, sampling } = chained;
    const tile = sampling && sampledTile(sampling, kernel);
    const cut = chainedConstants(specialization, { ...chained, ...tile }, kernel);
    const countsSome = valueWords === 0 ? 1 : 0;
    const ofBuckets =
      kernel === 'countBuckets'
        ? { COUNTS_BUCKETS: 1, COUNTS_SOME: countsSome, COUNTER_DIGITS: 1 }
        : {};
    const ofSegments = segments && segmentConstants(segments, subgroup, keyWords, kernel);
    const ofSampling = sampling && samplingConstants(sampling, keyWords);
    const all = { ...records, ...notHybrid(keyWords), ...batch, ...cut, ...ofBuckets };
    return { ...all, ...ofSegments, ...ofSampling };
  }
  if (first !== undefined) {
    return { ...records, APPROXIMATE: 0, ...firstConstants(first, keyWords, kernel) };
  }
  const isOneWorkgroup = kernel === 'workgroupSort' || kernel === 'segmentSort';
  // What one workgroup sorts is sorted exactly.
  const usesCodes = approximate && !isOneWorkgroup;
  const movesKeys = keyWords + valueWords === 1 && !usesCodes && kernel !== 'segmentSort';
  const keys = (kernel === 'mergeChunks' ? MERGE_KEYS : KEYS)[keyWords];
  return {
    ...records,
    APPROXIMATE: usesCodes ? 1 : 0,
    MOVES_KEYS: movesKeys ? 1 : 0,
    SEGMENTS: kernel === 'segmentSort' ? 1 : 0,
    MAPPED: isAfterMap ? 1 : 0,
    THREADS,
    KEYS: keys,
    TILE: THREADS * keys,
    WINDOW: windowOf(keyWords),
  };
}
