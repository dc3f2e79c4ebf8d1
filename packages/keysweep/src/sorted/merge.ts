/**
 * merge and mergeOrder: sorted arrays become one, two neighbours at a time, in rounds. The loop has
 * no branch that depends on a key: of random keys, every other one would be mispredicted.
 */

import {
  bitsOf,
  emptyLike,
  identity,
  type KeyArray,
  type OnArrayBuffer,
  type Order,
  type OrderWords,
  pickSteps,
} from '@keysweep/core';
import { concat, SLICE, type Steps, wordsOf } from './steps.js';

/** More arrays than this are sorted anew, because as many rounds would take longer. */
const MAX_ARRAYS = 16;

/** Words and the places in the concatenation that they come from. */
interface Runs extends OrderWords {
  readonly places: OnArrayBuffer<Uint32Array>;
}

/** The steps of `mergeOrder`, of a list that is not empty. */
export function* mergeOrderSteps(
  arrays: readonly KeyArray[],
  order: Order,
): Steps<OnArrayBuffer<Uint32Array>> {
  return yield* orderOf(concat(arrays), arrays, order);
}

/** The steps of `merge`, of a list that is not empty. */
export function* mergeSteps<K extends KeyArray>(
  arrays: readonly K[],
  order: Order,
): Steps<OnArrayBuffer<K>> {
  const all: OnArrayBuffer<K> = concat(arrays);
  const places = yield* orderOf(all, arrays, order);
  const merged = emptyLike<KeyArray>(all);
  for (const _ of pickSteps(all, places, bitsOf(merged))) yield 1;
  return merged as OnArrayBuffer<K>;
}

/** The order that merges arrays, which `all` are one after the other. */
function* orderOf(
  all: KeyArray,
  arrays: readonly KeyArray[],
  order: Order,
): Steps<OnArrayBuffer<Uint32Array>> {
  if (arrays.length > MAX_ARRAYS) {
    return (yield { argsort: all, order }) as OnArrayBuffer<Uint32Array>;
  }
  const { length } = all;
  let starts = [0];
  for (const array of arrays) starts.push((starts.at(-1) as number) + array.length);
  let source: Runs = { ...wordsOf(all, order), places: identity(length) };
  if (arrays.length === 1) return source.places;
  let target: Runs = {
    lows: new Uint32Array(length),
    highs: new Uint32Array(source.highs.length),
    places: new Uint32Array(length),
  };
  const merge = source.highs.length > 0 ? mergeWide : mergeNarrow;
  const rounds = Math.ceil(Math.log2(arrays.length));
  for (let round = 0; round < rounds; round++) {
    const next: number[] = [];
    for (let run = 0; run < starts.length - 1; run += 2) {
      const start = starts[run] as number;
      const middle = starts[run + 1] as number;
      const end = starts[run + 2] ?? middle;
      next.push(start);
      const cursor: Cursor = { first: start, second: middle, at: start };
      while (cursor.first < middle && cursor.second < end) {
        merge(source, target, cursor, middle, end, SLICE);
        yield (round + cursor.at / length) / rounds;
      }
      copyRest(source, target, cursor.first, middle, cursor.at);
      copyRest(source, target, cursor.second, end, cursor.at + middle - cursor.first);
    }
    starts = [...next, length];
    [source, target] = [target, source];
  }
  return source.places;
}

/** How far a merge of two runs has come: the next of each run, and where it goes. */
interface Cursor {
  first: number;
  second: number;
  at: number;
}

/** Copies the rest of one run once the other is at its end. */
function copyRest(source: Runs, target: Runs, from: number, to: number, at: number): void {
  if (from >= to) return;
  target.lows.set(source.lows.subarray(from, to), at);
  target.places.set(source.places.subarray(from, to), at);
  if (source.highs.length > 0) target.highs.set(source.highs.subarray(from, to), at);
}

function mergeNarrow(
  { lows, places }: Runs,
  target: Runs,
  cursor: Cursor,
  middle: number,
  end: number,
  count: number,
): void {
  let { first, second, at } = cursor;
  const last = at + count;
  while (first < middle && second < end && at < last) {
    const isSecond = Number((lows[second] as number) < (lows[first] as number));
    const from = first + ((second - first) & -isSecond);
    target.lows[at] = lows[from] as number;
    target.places[at] = places[from] as number;
    at++;
    second += isSecond;
    first += 1 - isSecond;
  }
  Object.assign(cursor, { first, second, at });
}

function mergeWide(
  { lows, highs, places }: Runs,
  target: Runs,
  cursor: Cursor,
  middle: number,
  end: number,
  count: number,
): void {
  let { first, second, at } = cursor;
  const last = at + count;
  while (first < middle && second < end && at < last) {
    const [a, b] = [highs[first] as number, highs[second] as number];
    const isSecond =
      Number(b < a) |
      (Number(b === a) & Number((lows[second] as number) < (lows[first] as number)));
    const from = first + ((second - first) & -isSecond);
    target.lows[at] = lows[from] as number;
    target.highs[at] = highs[from] as number;
    target.places[at] = places[from] as number;
    at++;
    second += isSecond;
    first += 1 - isSecond;
  }
  Object.assign(cursor, { first, second, at });
}
