/**
 * searchSorted: where values would go in a sorted array.
 *
 * Few values are searched one by one, among the keys where they are. Otherwise keys and values are
 * copied as doubles. Values in order are walked along with the keys; values in any order are
 * brought together by the stretch of keys that they go to, and searched there.
 */

import { type OnArrayBuffer, slicesOf, traitsOf } from '@keysweep/core';
import { compareKeys } from '../builtin/builtin-rows.js';
import { findInGroups } from './search-groups.js';
import { walkAlong } from './search-in-order.js';
import { addOne, distancesOf } from './search-words.js';
import { type Search, SLICE, type Steps } from './steps.js';

/** One value among more keys than this is searched on its own, so that keys need no copy. */
const KEYS_A_VALUE = 64;

/** The steps of `searchSorted`. */
export function* searchSteps(search: Search): Steps<OnArrayBuffer<Uint32Array>> {
  const { sorted, values, order } = search;
  if (values.length * KEYS_A_VALUE <= sorted.length) return findFew(search);
  if (order === 'ascending') return yield* findNumbers(search);
  // What goes before ties in one direction goes after them in the other.
  const side = search.side === 'left' ? 'right' : 'left';
  const reversed = { ...search, sorted: sorted.slice().reverse(), side } as const;
  const places = yield* findNumbers(reversed);
  for (let i = 0; i < places.length; i++) places[i] = sorted.length - (places[i] as number);
  return places;
}

/** Compares keys one by one, where they are. */
function findFew({ sorted, values, side, order }: Search): OnArrayBuffer<Uint32Array> {
  const places = new Uint32Array(values.length);
  const sign = order === 'descending' ? -1 : 1;
  const most = side === 'right' ? 0 : -1;
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number;
    places[i] = partitionPoint(
      sorted.length,
      (at) => sign * compareKeys(sorted[at] as number, value) <= most,
    );
  }
  return places;
}

/** The first of `length` places for which `isBefore` is not true any more. O(log length). */
function partitionPoint(length: number, isBefore: (at: number) => boolean): number {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBefore(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Finds keys in ascending order, as doubles. */
function* findNumbers(search: Search): Steps<OnArrayBuffer<Uint32Array>> {
  const { sorted, values, side, isAtOnce } = search;
  const { kind, bits } = traitsOf(sorted);
  if (bits === 64 && kind !== 'float') {
    const places = new Uint32Array(values.length);
    if (sorted.length === 0) return places;
    const { keys, values: sought, refine } = distancesOf(sorted, values, side);
    yield* findDoubles(keys, sought, places);
    if (refine === undefined) return places;
    for (const [from, to] of slicesOf(places.length, SLICE)) {
      refine(places, from, to);
      yield 1;
    }
    return places;
  }
  // What pauses must not see the caller's changes.
  const mayStay = isAtOnce && kind === 'float' && bits === 64;
  const all = mayStay ? (sorted as Float64Array) : new Float64Array(sorted as ArrayLike<number>);
  const sought =
    mayStay && side === 'left'
      ? (values as Float64Array)
      : new Float64Array(values as ArrayLike<number>);
  const count = partitionPoint(all.length, (at) => !Number.isNaN(all[at]));
  const specials = kind === 'float' ? specialsIn(sought, all, count, side) : undefined;
  if (side === 'right') (kind === 'float' ? toNext : addOne)(sought);
  const places = new Uint32Array(sought.length);
  yield* findDoubles(all.subarray(0, count), sought, places);
  specials?.rows.forEach((row, i) => {
    places[row] = specials.places[i] as number;
  });
  return places;
}

/** Finds where values go, on the left of ties, among doubles in ascending order. */
function* findDoubles(
  keys: Float64Array,
  values: Float64Array,
  places: Uint32Array,
): Steps<undefined> {
  if (keys.length === 0) return;
  if (areAscending(values)) return yield* walkAlong(keys, values, places);
  if (!tieOften(keys)) return yield* findInGroups(keys, values, places);
  // Ties would fill cells of their own, and be searched in vain.
  const { different, firsts } = differentKeys(keys);
  yield* findInGroups(different, values, places);
  for (const [from, to] of slicesOf(places.length, SLICE)) {
    pickPlaces(firsts, places, from, to);
    yield 1;
  }
}

/** Pairs of neighbours that are looked at. */
const PAIRS = 256;

/** Whether at least half of the keys are like the next one, by a sample. */
function tieOften(keys: Float64Array): boolean {
  const stride = Math.max(1, Math.floor(keys.length / PAIRS));
  let [ties, pairs] = [0, 0];
  for (let i = 1; i < keys.length; i += stride) {
    ties += Number(keys[i] === keys[i - 1]);
    pairs++;
  }
  return 2 * ties > pairs;
}

/** Keys in order without repeats, the first place of each, and after these the end. O(n). */
function differentKeys(keys: Float64Array): { different: Float64Array; firsts: Uint32Array } {
  const different = new Float64Array(keys.length);
  const firsts = new Uint32Array(keys.length + 1);
  let [count, before] = [0, Number.NaN];
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i] as number;
    if (key === before) continue;
    different[count] = key;
    firsts[count++] = i;
    before = key;
  }
  firsts[count] = keys.length;
  return { different: different.subarray(0, count), firsts };
}

/** Places [from, to) among different keys become places among all keys. */
function pickPlaces(firsts: Uint32Array, places: Uint32Array, from: number, to: number): void {
  for (let i = from; i < to; i++) places[i] = firsts[places[i] as number] as number;
}

/** Numbers become the next larger one: the right of a number is the left of the next. */
function toNext(numbers: Float64Array): void {
  const halves = new Uint32Array(numbers.buffer);
  for (let i = 0; i < numbers.length; i++) {
    const number = numbers[i] as number;
    if (number === 0) numbers[i] = Number.MIN_VALUE;
    if (number === 0 || Number.isNaN(number)) continue;
    const low = halves[2 * i] as number;
    if (number > 0) {
      halves[2 * i] = low + 1;
      if (low === 0xffff_ffff) halves[2 * i + 1] = (halves[2 * i + 1] as number) + 1;
    } else {
      halves[2 * i] = low - 1;
      if (low === 0) halves[2 * i + 1] = (halves[2 * i + 1] as number) - 1;
    }
  }
}

/** Rows of zeros (−0 before +0), infinities and NaNs, which are last, and where these go. */
interface Specials {
  readonly rows: number[];
  readonly places: number[];
}

/** The values that are not found as other doubles are, among keys of which `count` are no NaNs. */
function specialsIn(
  values: Float64Array,
  keys: Float64Array,
  count: number,
  side: 'left' | 'right',
): Specials {
  const zeros = partitionPoint(count, (at) => (keys[at] as number) < 0);
  const plusZeros = partitionPoint(
    count,
    (at) => (keys[at] as number) < 0 || Object.is(keys[at], -0),
  );
  const positives = partitionPoint(count, (at) => (keys[at] as number) <= 0);
  const isRight = side === 'right';
  // No double comes after it.
  const last = isRight ? Number.POSITIVE_INFINITY : Number.NaN;
  const placeOf = (value: number): number => {
    if (Number.isNaN(value)) return isRight ? keys.length : count;
    if (value !== 0) return count;
    if (Object.is(value, -0)) return isRight ? plusZeros : zeros;
    return isRight ? positives : plusZeros;
  };
  const specials: Specials = { rows: [], places: [] };
  for (let row = 0; row < values.length; row++) {
    const value = values[row] as number;
    if (value !== 0 && value !== last && !Number.isNaN(value)) continue;
    specials.rows.push(row);
    specials.places.push(placeOf(value));
  }
  return specials;
}

function areAscending(numbers: Float64Array): boolean {
  let i = 1;
  while (i < numbers.length && (numbers[i - 1] as number) <= (numbers[i] as number)) i++;
  return i >= numbers.length && !Number.isNaN(numbers[0]);
}
