/** The numbers that the kernels are specialised with. */

import type { Constants } from '@keysweep/kernels/wgsl';

/** Widths of a record in 32-bit words. */
export interface Widths {
  readonly keyWords: 1 | 2;
  /** 0 where there is no payload. */
  readonly valueWords: 0 | 1 | 2;
  /** Whether large arrays are sorted by 24-bit codes of floats. */
  readonly approximate: boolean;
}

/** Bits of a digit, and of the counters of a thread: see kernels/wgsl/presort.wgsl. */
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

/** The constants of a kernel for records of these widths. */
export function constantsFor(
  { keyWords, valueWords, approximate }: Widths,
  kernel: string,
): Constants {
  const isOneGroup = kernel === 'small' || kernel === 'segments';
  const usesCodes = approximate && !isOneGroup;
  const movesKeys = keyWords + valueWords === 1 && !usesCodes && kernel !== 'segments';
  return {
    KEY_WORDS: keyWords,
    VALUE_WORDS: valueWords,
    // What one workgroup sorts is sorted exactly.
    APPROXIMATE: usesCodes ? 1 : 0,
    MOVES_KEYS: movesKeys ? 1 : 0,
    SEGMENTS: kernel === 'segments' ? 1 : 0,
    RADIX_BITS,
    RADIX,
    THREADS,
    KEYS: KEYS[keyWords],
    TILE: tileOf(keyWords),
    SPINE_COUNTS: 16,
    SURVEY_KEYS,
    SURVEY_CHUNK,
    HOME_GROUPS: 2048,
  };
}
