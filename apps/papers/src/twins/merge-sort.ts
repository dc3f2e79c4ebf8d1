/** The twin of kernels/cpu/merge-sort.ts. */

import { exchangeAll } from './network.js';
import { at, bufferOf, numberOf, type Twin } from './twin.js';

/** Keys of a vector. */
const VECTOR = 4;

/** The comparisons of four columns, as pairs of vectors. */
const COLUMNS = [
  [0, 1],
  [2, 3],
  [0, 2],
  [1, 3],
  [1, 2],
] as const;

/** Sorts each vector: four at a time as columns, the rest one by one. */
export const sortVectors: Twin = (stage) => {
  const keys = bufferOf(stage, 'keys');
  const count = numberOf(stage.params, 'count');
  let start = 0;
  for (; start + VECTOR * VECTOR <= count; start += VECTOR * VECTOR) {
    for (const [low, high] of COLUMNS) {
      const pairs = [0, 1, 2, 3].map(
        (lane) => [VECTOR * low + lane, VECTOR * high + lane] as const,
      );
      exchangeAll(keys, pairs, start, count);
    }
    const columns = Array.from({ length: VECTOR * VECTOR }, (_, i) => at(keys, start + i));
    for (let i = 0; i < VECTOR * VECTOR; i++) {
      keys[start + i] = at(columns, VECTOR * (i % VECTOR) + Math.floor(i / VECTOR));
    }
  }
  for (; start < count; start += VECTOR) {
    for (let i = start + 1; i < start + VECTOR; i++) {
      const key = at(keys, i);
      let place = i;
      for (; place > start && at(keys, place - 1) > key; place--) keys[place] = at(keys, place - 1);
      keys[place] = key;
    }
  }
};

/** Merges each two runs of `run` keys, a vector at a time. */
export const mergePass: Twin = (stage) => {
  const [from, to] = [bufferOf(stage, 'from'), bufferOf(stage, 'to')];
  const [count, run] = [numberOf(stage.params, 'count'), numberOf(stage.params, 'run')];
  const vectorAt = (start: number): number[] =>
    Array.from({ length: VECTOR }, (_, lane) => at(from, start + lane));
  for (let first = 0; first < count; first += 2 * run) {
    const second = Math.min(first + run, count);
    const end = Math.min(second + run, count);
    let [a, b] = [first, second];
    let left: number[] = [];
    for (let place = first; place < end; place += VECTOR) {
      // The first vectors of both runs; from then on one of the run whose next key is less.
      if (place === first && second < end) {
        left = vectorAt(b);
        b += VECTOR;
      }
      const isFirst = a < second && (a === first || b === end || at(from, a) <= at(from, b));
      const next = isFirst ? vectorAt(a) : b < end ? vectorAt(b) : [];
      if (isFirst) a += VECTOR;
      else b += VECTOR;
      const eight = [...left, ...next].sort((x, y) => x - y);
      for (const [lane, key] of eight.slice(0, VECTOR).entries()) to[place + lane] = key;
      left = eight.slice(VECTOR);
    }
  }
};
