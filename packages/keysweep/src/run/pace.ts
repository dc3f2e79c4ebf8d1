/** How long a backend's sorts take on this machine, now: corrected by each. */

import type { KeyType, RequestShape } from '@keysweep/core';
import { classOf } from '../plan/cost.js';

/** Fewer keys say little about others. */
const LEARNT_FROM = 10_000;

/** One sort corrects by this factor at most: keys that are in order take next to no time. */
const MOST = 2;

/**
 * Milliseconds that sorts take over those that the figures expect, by operation and key type. Only
 * what callers are told is corrected by it: a machine that is slow, or busy, is so for all
 * backends, and a choice among them by what one has taken would be wrong.
 */
export class Pace {
  readonly #factors: Map<string, number> = new Map();

  of({ operation, keyTypes }: RequestShape): number {
    return this.#factors.get(classOf(operation, keyTypes[0] as KeyType)) ?? 1;
  }

  /** Notes what a sort took that was `expected` to take so many milliseconds, by this pace. */
  note(shape: RequestShape, expected: number, took: number): void {
    // By a clock that ticks slowly, it may have taken no time.
    if (shape.length < LEARNT_FROM || took <= 0) return;
    const ratio = Math.min(MOST, Math.max(took / expected, 1 / MOST));
    const { operation, keyTypes } = shape;
    // The geometric mean: a figure may be as many times too large as too small.
    const factor = this.of(shape) * Math.sqrt(ratio);
    this.#factors.set(classOf(operation, keyTypes[0] as KeyType), factor);
  }
}
