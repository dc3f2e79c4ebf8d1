/** The constants of the kernels that sort segments on devices with subgroups: segments/. */

import type { Constants } from './expand.js';

/** How segments are sorted, beside the shape of long ones' tiles. */
export interface SegmentShape {
  /** Keys a lane in the sort of short segments: a power of two, at most 32. */
  readonly shortKeys: number;
  /** Most keys of a segment that a workgroup of few keys sorts. */
  readonly fewerKeys: number;
  /** Whether keys that differ may be ties, or there are values: a place leads to each. */
  readonly isPlaced: boolean;
}

/** Most keys of a short segment, which a subgroup sorts. */
export const shortOf = ({ shortKeys }: SegmentShape, subgroup: number): number =>
  shortKeys * subgroup;

/** Keys of a window, in which short segments begin that a subgroup sorts. */
export const shortWindowOf = (shape: SegmentShape, subgroup: number): number =>
  (shortOf(shape, subgroup) * 3) / 4;

/** Whether short segments may be sorted by a word a key. */
export const hasNarrow = (keyWords: 1 | 2): boolean => keyWords === 1;

/** The constants of `kernel` that depend on the shape, besides those of a chained scan. */
export function segmentConstants(
  shape: SegmentShape,
  subgroup: number,
  keyWords: 1 | 2,
  kernel: string,
): Constants {
  const { shortKeys, fewerKeys, isPlaced } = shape;
  const short = shortOf(shape, subgroup);
  const constants = {
    SHORT: short,
    WINDOW: shortWindowOf(shape, subgroup),
    FEWER_KEYS: fewerKeys,
    FEWER: kernel === 'fewerSort' ? 1 : 0,
    PLACED: isPlaced ? 1 : 0,
  };
  const isNarrow = hasNarrow(keyWords);
  if (kernel === 'findWindows') return { ...constants, NARROW: isNarrow ? 1 : 0 };
  if (kernel !== 'shortSort' && kernel !== 'evenSort') return constants;
  return {
    ...constants,
    NARROW: kernel === 'evenSort' ? 1 : 0,
    SLOT_BITS: Math.log2(short),
    THREADS: subgroup,
    SUBGROUPS: 1,
    KEYS: shortKeys,
    POOL_WORDS: keyWords,
  };
}
