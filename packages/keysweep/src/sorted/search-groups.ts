/**
 * Numbers searched among keys that are not evenly spread: values are brought together by keys at
 * even places, and then each group is searched among as few keys as the caches hold.
 */

import { slicesOf } from '@keysweep/core';
import { SLICE, type Steps } from './steps.js';

/** Keys are split into as many groups, of one length but the last. */
const GROUPS = 512;

/** Values that are brought together, and where the place of each is written. */
export interface Sought {
  readonly values: Float64Array;
  /** The row of each value. */
  readonly rows: Uint32Array;
  /** By row. */
  readonly places: Uint32Array;
}

/** Finds values in any order among one or more keys. O(v log n), whatever the keys are. */
export function* findInGroups(
  keys: Float64Array,
  values: Float64Array,
  places: Uint32Array,
): Steps<undefined> {
  const { length } = values;
  const size = Math.ceil(keys.length / GROUPS);
  const groups = Math.ceil(keys.length / size);
  // The last key of each group but the last one.
  const lasts = Float64Array.from(
    { length: Math.max(groups - 1, 1) },
    (_, group) => keys[Math.min((group + 1) * size, keys.length) - 1] as number,
  );
  const all = { first: 0, count: lasts.length };
  const groupOf = new Uint32Array(length);
  for (const [from, to] of slicesOf(length, SLICE)) {
    findAmong(lasts, all, { values, rows: undefined, places: groupOf }, from, to);
    yield (0.4 * to) / length;
  }
  const cursors = new Uint32Array(lasts.length + 2);
  for (let i = 0; i < length; i++) {
    const group = (groupOf[i] as number) + 1;
    cursors[group] = (cursors[group] as number) + 1;
  }
  for (let i = 1; i < cursors.length; i++) {
    cursors[i] = (cursors[i] as number) + (cursors[i - 1] as number);
  }
  const grouped = new Float64Array(length);
  const rows = new Uint32Array(length);
  for (const [from, to] of slicesOf(length, SLICE)) {
    for (let i = from; i < to; i++) {
      const group = groupOf[i] as number;
      const at = cursors[group] as number;
      cursors[group] = at + 1;
      grouped[at] = values[i] as number;
      rows[at] = i;
    }
    yield 0.4 + (0.2 * to) / length;
  }
  for (let group = 0, from = 0; group <= lasts.length; group++) {
    const end = cursors[group] as number;
    const first = Math.min(group * size, keys.length - 1);
    const stretch = { first, count: Math.min(size, keys.length - first) };
    for (; from < end; from = Math.min(from + SLICE, end)) {
      const to = Math.min(from + SLICE, end);
      findAmong(keys, stretch, { values: grouped, rows, places }, from, to);
      yield 0.6 + (0.4 * to) / length;
    }
  }
}

/**
 * Finds the values [from, to) among a stretch of keys, four at a time, and writes their places by
 * row; without rows, by their own numbers.
 */
function findAmong(
  keys: Float64Array,
  { first, count }: { readonly first: number; readonly count: number },
  { values, rows, places }: Omit<Sought, 'rows'> & { readonly rows: Uint32Array | undefined },
  from: number,
  to: number,
): void {
  const last = to - 1;
  for (let i = from; i < to; i += 4) {
    const i1 = Math.min(i + 1, last);
    const i2 = Math.min(i + 2, last);
    const i3 = Math.min(i + 3, last);
    const x0 = values[i] as number;
    const x1 = values[i1] as number;
    const x2 = values[i2] as number;
    const x3 = values[i3] as number;
    let [at0, at1, at2, at3] = [first, first, first, first];
    for (let length = count; length > 1; ) {
      const half = length >>> 1;
      const middle = half - 1;
      at0 += half & -Number((keys[at0 + middle] as number) < x0);
      at1 += half & -Number((keys[at1 + middle] as number) < x1);
      at2 += half & -Number((keys[at2 + middle] as number) < x2);
      at3 += half & -Number((keys[at3 + middle] as number) < x3);
      length -= half;
    }
    places[rows === undefined ? i : (rows[i] as number)] = at0 + Number((keys[at0] as number) < x0);
    places[rows === undefined ? i1 : (rows[i1] as number)] =
      at1 + Number((keys[at1] as number) < x1);
    places[rows === undefined ? i2 : (rows[i2] as number)] =
      at2 + Number((keys[at2] as number) < x2);
    places[rows === undefined ? i3 : (rows[i3] as number)] =
      at3 + Number((keys[at3] as number) < x3);
  }
}
