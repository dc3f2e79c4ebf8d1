/** The constants of the kernels that find the first keys of segments. */

import { THREADS } from './constants.js';
import type { Constants } from './expand.js';

/** What those kernels depend on, beside the widths of records. */
export interface FirstShape {
  /** Bytes of workgroup storage. */
  readonly storage: number;
  /** Whether values are made: the places of the keys that are wanted. */
  readonly isIndexed: boolean;
}

/** How segments are divided among those kernels. */
export const FIRST_LIMITS = {
  /** Most keys that are wanted of a segment. */
  most: 1024,
  /** Most keys of a short segment, and most that are wanted of it. */
  shortRow: 1024,
  shortFirst: 128,
  /** Keys of a part of a long segment: at least this, and this share of all keys. */
  minPart: 16_384,
  share: 512,
  /** Most long segments, and most of their parts. */
  longs: 512,
  parts: 1040,
} as const;

/** Invocations of a workgroup that takes short segments. */
const SHORT_THREADS = 64;

/** Segments that a workgroup looks at, at a time: no more than it has threads. */
const LOOKS = 64;

/** Keys that a workgroup keeps at most: of a short segment, and of others where there is room. */
const SHORT_CAPACITY = 512;
const MAX_CAPACITY = 2048;

/** Keys that a thread loads at a time, by words of a key. */
const KEYS = { 1: 16, 2: 8 } as const;

const LEVELS: Readonly<Record<string, number>> = {
  firstOfShort: 0,
  firstOfRows: 1,
  firstOfLong: 2,
};

/** The constants of `kernel` beside the widths of records. */
export function firstConstants(
  { storage, isIndexed }: FirstShape,
  keyWords: 1 | 2,
  kernel: string,
): Constants {
  const { most, shortRow, shortFirst, minPart, share, longs } = FIRST_LIMITS;
  const level = LEVELS[kernel];
  const isShort = level === 0;
  const threads = isShort ? SHORT_THREADS : THREADS;
  const words = Math.floor(storage / 4) - 2 * LOOKS - 16;
  // One in nine is free: fragments/kept-sort.wgsl.
  const fitting = 8 * Math.floor(words / 9 / (keyWords + 1));
  return {
    THREADS: threads,
    KEYS: KEYS[keyWords],
    // Of cutting long segments there is none.
    LEVEL: level ?? 0,
    CAPACITY: isShort ? SHORT_CAPACITY : Math.min(MAX_CAPACITY, fitting),
    BY_EIGHT: isShort ? 0 : 1,
    MIN_ROOM: 256,
    LOOKS,
    MOVES: (isShort ? shortFirst : most) / threads,
    INDEXED: isIndexed && level !== 2 ? 1 : 0,
    SHORT_ROW: shortRow,
    SHORT_FIRST: shortFirst,
    MIN_PART: minPart,
    ROW_SHARE: share,
    MAX_LONGS: longs,
  };
}
