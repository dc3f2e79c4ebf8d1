/** quantiles, by NumPy's methods of the same names. */

import { copyOf, emptyLike, type KeyArray, type OnArrayBuffer, traitsOf } from '@keysweep/core';
import type { Steps } from './steps.js';

/** How a quantile between two keys is made. */
export type QuantileMethod = 'linear' | 'lower' | 'higher' | 'nearest';

/** The quantiles of keys: of 64-bit integers in an array of their own type. */
export type Quantiles<K extends KeyArray> = K extends BigInt64Array | BigUint64Array
  ? OnArrayBuffer<K>
  : OnArrayBuffer<Float64Array>;

/** The steps of `quantiles`. 64-bit integers are at least one, and their method is not linear. */
export function* quantileSteps<K extends KeyArray>(
  given: K,
  fractions: Float64Array,
  method: QuantileMethod,
): Steps<Quantiles<K>> {
  const sorted: KeyArray = copyOf(given);
  yield { sort: sorted };
  const count = countOfNumbers(sorted);
  const result = (
    typeof sorted[0] === 'bigint'
      ? emptyLike(sorted, fractions.length)
      : new Float64Array(fractions.length).fill(Number.NaN)
  ) as Float64Array;
  if (count > 0) {
    for (let i = 0; i < fractions.length; i++) {
      const place = (fractions[i] as number) * (count - 1);
      result[i] = valueAt(sorted.subarray(0, count) as Float64Array, place, method);
    }
  }
  return result as unknown as Quantiles<K>;
}

/** How many keys are no NaN: NaNs are last. */
function countOfNumbers(sorted: KeyArray): number {
  if (traitsOf(sorted).kind !== 'float') return sorted.length;
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (Number.isNaN(sorted[middle])) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The key at a place that may be between two. */
function valueAt(sorted: Float64Array, place: number, method: QuantileMethod): number {
  const lower = Math.floor(place);
  if (method === 'nearest') return sorted[roundToEven(place)] as number;
  if (method === 'lower') return sorted[lower] as number;
  const upper = Math.ceil(place);
  if (method === 'higher') return sorted[upper] as number;
  const [a, b] = [
    sorted[lower] as number,
    sorted[Math.min(lower + 1, sorted.length - 1)] as number,
  ];
  return between(a, b, place - lower);
}

function roundToEven(place: number): number {
  const lower = Math.floor(place);
  if (place - lower === 0.5) return lower + (lower % 2);
  return Math.round(place);
}

/** As NumPy: counted from the nearer end, which is then exact. */
function between(a: number, b: number, share: number): number {
  const step = b - a;
  return share < 0.5 ? a + step * share : b - step * (1 - share);
}
