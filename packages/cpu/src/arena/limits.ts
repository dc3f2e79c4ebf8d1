/** How much an arena holds. Longer requests are sorted in parts. */

import type { RequestShape } from '@keysweep/core';
import { maxKeys } from './layout.js';
import { planRecords } from './record-plan.js';

/** Every row has an index of 32 bits. */
export const MAX_KEYS: number = 2 ** 32 - 1;

/** Keys and segments that fit into an arena whatever they are: at most 2^28 bytes, twice. */
const ALWAYS_FITS = 2 ** 24;

/**
 * Parts that would fill an arena. A part takes a gibibyte at most; larger ones would save nothing.
 */
const PARTS_OF_ARENA = 4;

/** The limits of one backend's arena. */
export class ArenaLimits {
  readonly #maxPartLength: number | undefined;
  readonly #threads: () => number | undefined;

  /**
   * `maxPartLength` is the limit that a test has set, if any. `threads` says how many threads share
   * the arena, or undefined if there is none because the kernels do not work here.
   */
  constructor(maxPartLength: number | undefined, threads: () => number | undefined) {
    this.#maxPartLength = maxPartLength;
    this.#threads = threads;
  }

  /** Whether a request of this shape is sorted undivided. */
  fits(shape: RequestShape): boolean {
    const { length, segmentCount } = shape;
    if (this.#maxPartLength !== undefined) return length <= this.#maxPartLength;
    return length + segmentCount <= ALWAYS_FITS || length <= this.#maxKeys(shape);
  }

  /** The most keys of a part of a request of this shape. */
  partLength(shape: RequestShape): number {
    const undivided = this.#maxKeys({ ...shape, segmentCount: 1 });
    return this.#maxPartLength ?? Math.floor(undivided / PARTS_OF_ARENA);
  }

  /** How many keys of a request of this shape the arena holds. */
  #maxKeys(shape: RequestShape): number {
    const threads = this.#threads();
    if (threads === undefined) return MAX_KEYS;
    const plans = shape.keyTypes.map((keyType) => planRecords(shape, keyType));
    return maxKeys(plans, shape.segmentCount, { threads, pauses: threads === 1 });
  }
}
