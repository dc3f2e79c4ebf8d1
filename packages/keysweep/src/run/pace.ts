/** How long a backend's sorts take on this machine, now: corrected by each. */

import type { KeyType, RequestShape } from '@keysweep/core';
import { classOf } from '../plan/cost.js';

/** Fewer keys say little about others. */
const LEARNT_FROM = 10_000;

/** One sort corrects by this factor at most: keys that are in order take next to no time. */
const MOST = 2;

/**
 * Milliseconds that sorts take, as a multiple of what the figures expect, by operation and key
 * type. It corrects only the times that callers are told. A slow or busy machine is slow for all
 * backends, so it would be wrong to choose among them by what one of them has taken.
 */
export class Pace {
  readonly #factors: Map<string, number> = new Map();

  of({ operation, keyTypes }: RequestShape): number {
    return this.#factors.get(classOf(operation, keyTypes[0] as KeyType)) ?? 1;
  }

  /** Notes how long a sort took that was expected to take `expected` milliseconds by this pace. */
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
