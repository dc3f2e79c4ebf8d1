/** The numbers that the kernels are specialised with. */

import type { Constants } from '@keysweep/kernels/wgsl';
import type { Shape } from './tuning.js';

/** Widths of a record in 32-bit words. */
export interface Widths {
  readonly keyWords: 1 | 2;
  /** 0 where there is no payload. */
  readonly valueWords: 0 | 1 | 2;
  /** Whether large arrays are sorted by 24-bit codes of floats. */
  readonly approximate: boolean;
}

/** What kernels are specialised in. */
export interface Specialty extends Widths {
  /** Of the kernels of a chained sort. */
  readonly chained?: ChainedShape | undefined;
}

/** How a chained sort cuts an array, and waits. */
export interface ChainedShape extends Shape {
  readonly lookLimit: number;
  readonly stalledTile: number | undefined;
  /** Whether keys that differ may be ties that have to keep their order. */
  readonly hasNanTies: boolean;
}

/** Bits of a digit, and of the counters of a thread: see kernels/wgsl/fragments/presort.wgsl. */
const RADIX_BITS = 8;
export const RADIX: number = 1 << RADIX_BITS;

/** Threads a workgroup: as many as every device allows. One for each value of a digit. */
export const THREADS = 256;

/**
 * Keys a thread, by words of a key: at most 15, so that no counter overflows; odd, so that threads read their
 * keys from different banks. Of 7, 9, 11, 13 and 15 these were the fastest on an NVIDIA H200.
 */
const KEYS = { 1: 13, 2: 9 } as const;

/** Keys that a workgroup sorts at a time. */
export const tileOf = (keyWords: 1 | 2): number => THREADS * KEYS[keyWords];

/** Keys that a survey's thread loads at a time. */
const SURVEY_KEYS = 8;
export const SURVEY_CHUNK: number = THREADS * SURVEY_KEYS;

/** Statuses that a lookback asks for at a time: more brought nothing on an NVIDIA H200, fewer cost 1 % to 10 %. */
const LOOK_AHEAD = 4;

/** The constants of a kernel for records of these widths. */
export function constantsFor(specialty: Specialty, kernel: string): Constants {
  const { keyWords, valueWords, approximate, chained } = specialty;
  const records = {
    KEY_WORDS: keyWords,
    VALUE_WORDS: valueWords,
    MAX_PASSES: 4 * keyWords,
    RADIX_BITS,
    RADIX,
    COPY_BACK_GROUPS: 2048,
  };
  if (chained !== undefined) return { ...records, ...chainedConstants(chained, kernel) };
  const isOneGroup = kernel === 'workgroupSort' || kernel === 'segmentSort';
  const usesCodes = approximate && !isOneGroup;
  const movesKeys = keyWords + valueWords === 1 && !usesCodes && kernel !== 'segmentSort';
  return {
    ...records,
    // What one workgroup sorts is sorted exactly.
    APPROXIMATE: usesCodes ? 1 : 0,
    MOVES_KEYS: movesKeys ? 1 : 0,
    SEGMENTS: kernel === 'segmentSort' ? 1 : 0,
    THREADS,
    KEYS: KEYS[keyWords],
    TILE: tileOf(keyWords),
    SPINE_COUNTS: 16,
    SURVEY_KEYS,
    SURVEY_CHUNK,
  };
}

function chainedConstants(shape: ChainedShape, kernel: string): Constants {
  const { subgroup, needsSizeControl, hasSubgroupId, hasNanTies, keys, lookLimit, stalledTile } =
    shape;
  const isSweep = kernel === 'sweep' || kernel === 'firstSweep';
  const isUnstable = kernel === 'firstSweep';
  // The starts kernel has a thread for each value of a digit, the others need not care.
  const threads = isSweep ? shape.threads : THREADS;
  const subgroups = threads / subgroup;
  return {
    APPROXIMATE: 0,
    THREADS: threads,
    KEYS: keys,
    TILE: shape.threads * keys,
    SUBGROUP_SIZE: subgroup,
    SUBGROUPS: subgroups,
    SIZE_CONTROL: needsSizeControl ? 1 : 0,
    SUBGROUP_ID: hasSubgroupId ? 1 : 0,
    UNSTABLE: isUnstable ? 1 : 0,
    NAN_TIES: hasNanTies ? 1 : 0,
    /** Rows of counters: one for all where the order of equal digits does not matter. */
    COUNTER_ROWS: isUnstable ? 1 : subgroups,
    /** Digits of a thread that has any, and subgroups of such threads. */
    DIGITS_PER_THREAD: Math.max(1, RADIX / threads),
    DIGIT_SUBGROUPS: Math.min(subgroups, RADIX / subgroup),
    LOOK_AHEAD,
    LOOK_LIMIT: lookLimit,
    /** Counted from 1. */
    STALLED_TILE: stalledTile === undefined ? 0 : stalledTile + 1,
    HISTOGRAM_KEYS: 8,
  };
}
