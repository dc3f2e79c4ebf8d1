/** The constants of the kernels that sort segments on devices with subgroups: segments/. */

import { CONSTANTS } from './constants.js';
import type { Constants } from './expand.js';

/** How segments are sorted, beside the shape of long ones' tiles. */
export interface SegmentShape {
  /** Keys a lane in the sort of short segments: a power of two, at most 32. */
  readonly shortKeys: number;
  /** The same of a segment that a subgroup sorts by itself; 0 where none does. */
  readonly singleKeys: number;
  /** Most keys of a segment that a workgroup of few keys sorts. */
  readonly fewerKeys: number;
  /** Whether keys that differ may be ties, or there are values: a place leads to each. */
  readonly isPlaced: boolean;
}

/** Most keys of a short segment, which a subgroup sorts. */
export const shortOf = ({ shortKeys }: SegmentShape, subgroup: number): number =>
  shortKeys * subgroup;

/** Most keys of a segment that a subgroup sorts. */
export const singleOf = (shape: SegmentShape, subgroup: number): number =>
  Math.max(shape.singleKeys, shape.shortKeys) * subgroup;

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
  const { shortKeys, singleKeys, fewerKeys, isPlaced } = shape;
  const constants = {
    SHORT: shortOf(shape, subgroup),
    SINGLE: singleOf(shape, subgroup),
    WINDOW: shortWindowOf(shape, subgroup),
    FEWER_KEYS: fewerKeys,
    FEWER: kernel === 'fewerSort' ? 1 : 0,
    PLACED: isPlaced ? 1 : 0,
  };
  if (kernel === 'findWindows') return { ...constants, NARROW: hasNarrow(keyWords) ? 1 : 0 };
  if (!SHORT_KERNELS.has(kernel)) return constants;
  const isSingle = kernel === 'evenSingles' || kernel === 'shortSingles';
  const keys = isSingle ? singleKeys : shortKeys;
  return {
    ...constants,
    SHORT: keys * subgroup,
    NARROW: kernel === 'evenSort' || kernel === 'evenSingles' ? 1 : 0,
    // Where in the state, and in front of what was refused, the lengths of lists are.
    LIST_AT: isSingle ? CONSTANTS.SINGLES_AT : CONSTANTS.EVEN_AT,
    REFUSED_AT: isSingle ? 1 : 0,
    SLOT_BITS: Math.log2(keys * subgroup),
    THREADS: subgroup,
    SUBGROUPS: 1,
    KEYS: keys,
    POOL_WORDS: keyWords,
  };
}

const SHORT_KERNELS: ReadonlySet<string> = new Set([
  'evenSort',
  'shortSort',
  'evenSingles',
  'shortSingles',
]);
