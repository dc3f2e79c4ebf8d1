/**
 * Values that are in order, searched along with the keys: these are passed one by one or, if they
 * are many, in steps that double (Bentley and Yao, "An almost optimal algorithm for unbounded
 * searching", 1976).
 */

import { SLICE, type Steps } from './steps.js';

/** Finds values that are in order. O(n + v), or less if keys are many. */
export function* walkAlong(
  keys: Float64Array,
  values: Float64Array,
  places: Uint32Array,
): Steps<undefined> {
  const walk = new Walk(keys, values, places);
  while (!walk.isDone) {
    yield walk.go();
  }
}

/** Fewer keys for each value than this are passed one by one, without a branch on a key. */
const KEYS_PASSED = 4;

/** Finds values that are in order, each from the place of the one before. */
class Walk {
  readonly #keys: Float64Array;
  readonly #values: Float64Array;
  readonly #places: Uint32Array;
  #low = 0;
  #done = 0;

  constructor(keys: Float64Array, values: Float64Array, places: Uint32Array) {
    this.#keys = keys;
    this.#values = values;
    this.#places = places;
  }

  get isDone(): boolean {
    return this.#done >= this.#values.length;
  }

  /** Goes on for a while. Returns the share of the values that is done. */
  go(): number {
    if (this.#keys.length < KEYS_PASSED * this.#values.length) this.#pass();
    else this.#leap();
    return this.#done / this.#values.length;
  }

  #pass(): void {
    const [keys, values, places] = [this.#keys, this.#values, this.#places];
    let [low, i] = [this.#low, this.#done];
    for (let steps = 2 * SLICE; steps > 0 && low < keys.length && i < values.length; steps--) {
      places[i] = low;
      const isBefore = Number((keys[low] as number) < (values[i] as number));
      low += isBefore;
      i += 1 - isBefore;
    }
    if (low >= keys.length) {
      places.fill(low, i);
      i = values.length;
    }
    [this.#low, this.#done] = [low, i];
  }

  #leap(): void {
    const [keys, values, places] = [this.#keys, this.#values, this.#places];
    const to = Math.min(this.#done + SLICE, values.length);
    let low = this.#low;
    for (let i = this.#done; i < to; i++) {
      const value = values[i] as number;
      let high = low;
      for (let step = 1; high < keys.length && (keys[high] as number) < value; step *= 2) {
        low = high + 1;
        high += step;
      }
      high = Math.min(high, keys.length);
      while (low < high) {
        const middle = (low + high) >>> 1;
        if ((keys[middle] as number) < value) low = middle + 1;
        else high = middle;
      }
      places[i] = low;
    }
    [this.#low, this.#done] = [low, to];
  }
}
