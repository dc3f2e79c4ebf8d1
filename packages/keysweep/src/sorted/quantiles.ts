/**
 * quantiles, by NumPy's methods of the same names. Few places are wanted of the sorted keys, so
 * keys are counted in bins by their values, and only those in the bins that hold such a place are
 * sorted.
 */

import { copyOf, emptyLike, type KeyArray, type OnArrayBuffer, slicesOf } from '@keysweep/core';
import { SLICE, type Steps } from './steps.js';

/** How a quantile between two keys is made. */
export type QuantileMethod = 'linear' | 'lower' | 'higher' | 'nearest';

/** The quantiles of keys: of 64-bit integers in an array of their own type. */
export type Quantiles<K extends KeyArray> = K extends BigInt64Array | BigUint64Array
  ? OnArrayBuffer<K>
  : OnArrayBuffer<Float64Array>;

/** The keys at some places of the sorted order of `count` keys that are no NaN. */
interface Sorted {
  readonly count: number;
  keyAt(place: number): number;
}

/** Up to this many keys are read without a pause, so that they need not be copied before. */
const READ_AT_ONCE = 2 ** 20;

/** Bins, and keys of the sample that says what they span. */
const BINS = 2 ** 12;

/** The steps of `quantiles`. 64-bit integers are at least one, and their method is not linear. */
export function* quantileSteps<K extends KeyArray>(
  given: K,
  fractions: Float64Array,
  method: QuantileMethod,
  isSync: boolean,
): Steps<Quantiles<K>> {
  const isAtOnce = isSync || given.length <= READ_AT_ONCE;
  const keys: KeyArray = isAtOnce ? given : copyOf(given);
  const isBigInt = typeof keys[0] === 'bigint';
  // Threads sort very many narrower keys as soon as one finds those that are wanted.
  const isSelected = isAtOnce || keys.BYTES_PER_ELEMENT === 8;
  const sorted =
    (isSelected && !isBigInt && keys.length >= BINS
      ? yield* select(keys as Float64Array, fractions, !isAtOnce)
      : undefined) ?? (yield* sortAll(isAtOnce ? copyOf(keys) : keys));
  const result = (
    isBigInt
      ? emptyLike(keys, fractions.length)
      : new Float64Array(fractions.length).fill(Number.NaN)
  ) as Float64Array;
  if (sorted.count > 0) {
    for (const [i, share] of fractions.entries()) result[i] = valueAt(sorted, share, method);
  }
  return result as unknown as Quantiles<K>;
}

/** Sorts all keys. */
function* sortAll(keys: KeyArray): Steps<Sorted> {
  yield { sort: keys };
  // NaNs are last. No integer differs from itself.
  let [low, high] = [0, keys.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (Number.isNaN(keys[middle])) high = middle;
    else low = middle + 1;
  }
  return { count: low, keyAt: (place) => keys[place] as number };
}

/**
 * Sorts the keys that may be at the places of the fractions. Undefined if they are many, or if the
 * keys of a sample span nothing, or infinitely much.
 */
function* select(
  keys: Float64Array,
  fractions: Float64Array,
  hasPauses: boolean,
): Steps<Sorted | undefined> {
  const bins = binsOf(keys);
  if (bins === undefined) return undefined;
  const { counts } = bins;
  for (const [from, to] of slicesOf(keys.length, SLICE)) {
    countKeys(keys, bins, from, to);
    if (hasPauses) yield to / keys.length / 2;
  }
  const count = counts.reduce((sum, some) => sum + some, 0);
  const lowers = Array.from(fractions, (fraction) => Math.floor(fraction * (count - 1)));
  const places = lowers.flatMap((lower) => [lower, lower + 1]).sort((a, b) => a - b);
  // Where wanted bins end, and how many keys before are in others.
  const ends: number[] = [];
  const skips: number[] = [];
  for (let bin = 0, end = 0, skipped = 0, next = 0; bin < BINS; bin++) {
    const size = counts[bin] as number;
    end += size;
    counts[bin] = 0;
    if (!((places[next] as number) < end)) {
      skipped += size;
      continue;
    }
    while ((places[next] as number) < end) next++;
    counts[bin] = 1;
    ends.push(end);
    skips.push(skipped);
  }
  const size = (ends.at(-1) ?? 0) - (skips.at(-1) ?? 0);
  if (4 * size > keys.length) return undefined;
  const picked = new Float64Array(size);
  let at = 0;
  for (const [from, to] of slicesOf(keys.length, SLICE)) {
    at = pickKeys(keys, bins, picked, at, from, to);
    if (hasPauses) yield (1 + to / keys.length) / 2;
  }
  picked.sort();
  const keyAt = (place: number): number =>
    picked[place - (skips[ends.findIndex((end) => place < end)] as number)] as number;
  return { count, keyAt };
}

/** Bins of equal widths. What is outside of them belongs to the first or the last one. */
interface Bins {
  readonly least: number;
  /** Bins for each unit of a key. */
  readonly scale: number;
  /** How many keys each bin has, and then whether they are wanted. */
  readonly counts: Uint32Array;
}

/** Bins for what a sample of keys spans. */
function binsOf(keys: Float64Array): Bins | undefined {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let i = 0; i < BINS; i++) {
    const key = keys[Math.floor((i * keys.length) / BINS)] as number;
    if (key < least) least = key;
    if (key > most) most = key;
  }
  const scale = BINS / (most - least);
  const isUsable = scale > 0 && scale < Number.POSITIVE_INFINITY;
  return isUsable ? { least, scale, counts: new Uint32Array(BINS) } : undefined;
}

/** The bin of a key, which is no less than that of a smaller key. */
function binOf(key: number, least: number, scale: number): number {
  const place = (key - least) * scale;
  return place > 0 ? (place < BINS ? place | 0 : BINS - 1) : 0;
}

/** Counts the keys of a slice that are no NaN. */
function countKeys(
  keys: Float64Array,
  { least, scale, counts }: Bins,
  from: number,
  to: number,
): void {
  for (let i = from; i < to; i++) {
    const key = keys[i] as number;
    if (!Number.isNaN(key)) (counts[binOf(key, least, scale)] as number)++;
  }
}

/** Writes those of wanted bins from `next` on. Returns where they end. */
function pickKeys(
  keys: Float64Array,
  { least, scale, counts }: Bins,
  picked: Float64Array,
  next: number,
  from: number,
  to: number,
): number {
  let at = next;
  for (let i = from; i < to; i++) {
    const key = keys[i] as number;
    if (counts[binOf(key, least, scale)] === 1 && !Number.isNaN(key)) picked[at++] = key;
  }
  return at;
}

/** The key at a share of all places, which may be between two. */
function valueAt({ count, keyAt }: Sorted, share: number, method: QuantileMethod): number {
  const place = share * (count - 1);
  const lower = Math.floor(place);
  if (method === 'nearest') return keyAt(roundToEven(place));
  if (method === 'lower') return keyAt(lower);
  if (method === 'higher') return keyAt(Math.ceil(place));
  return between(keyAt(lower), keyAt(Math.min(lower + 1, count - 1)), place - lower);
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
