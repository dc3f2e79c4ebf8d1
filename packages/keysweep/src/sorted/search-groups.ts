/**
 * Numbers in any order searched among many keys. Keys are split at even places, whatever their
 * distribution, and the values that go to one stretch of keys are brought together. A stretch is
 * short enough for the caches, and so short that its keys are about evenly spread even if all keys
 * are not: its cells say where to look. What is found goes back to the values' own order.
 */

import { slicesOf } from '@keysweep/core';
import { type Cells, cellsOf, findInCells } from './search-cells.js';
import { SLICE, type Steps } from './steps.js';

/** Keys in one stretch, or more if there would be too many stretches. */
const STRETCH = 2 ** 12;
const STRETCHES = 512;

/** Keys to a cell of a stretch, and cells to a stretch where the stretch of a value is found. */
const KEYS_A_CELL = 4;
const CELLS_A_STRETCH = 8;

/** Cells are made for a stretch if it gets at least one value for as many keys. */
const KEYS_A_VALUE = 8;

/** Finds values among one or more keys. O(n + v), or O(n + v log n) if keys cluster. */
export function* findInGroups(
  keys: Float64Array,
  values: Float64Array,
  places: Uint32Array,
): Steps<undefined> {
  const size = Math.max(STRETCH, Math.ceil(keys.length / STRETCHES));
  const stretches = Math.ceil(keys.length / size);
  const room = new Uint32Array(Math.ceil(Math.min(size, keys.length) / KEYS_A_CELL) + 1);
  /** The cells of a stretch that gets as many values as `sought`. */
  const cellsAt = (stretch: number, sought: number): Cells => {
    const first = stretch * size;
    const count = Math.min(size, keys.length - first);
    const cells = sought * KEYS_A_VALUE < count ? 1 : Math.ceil(count / KEYS_A_CELL);
    return cellsOf(keys, { first, count }, cells, room);
  };
  if (stretches === 1) {
    const cells = cellsAt(0, values.length);
    for (const [from, to] of slicesOf(values.length, SLICE)) {
      findInCells(cells, values, places, from, to);
      yield to / values.length;
    }
    return;
  }
  yield* findStretches(keys, size, values, places);
  const ends = new Uint32Array(stretches);
  countStretches(places, ends);
  const begins = ends.map((count, stretch) => {
    const begin = stretch === 0 ? 0 : (ends[stretch - 1] as number);
    ends[stretch] = begin + count;
    return begin;
  });
  const grouped = new Float64Array(values.length);
  const cursors = begins.slice();
  for (const [from, to] of slicesOf(values.length, SLICE)) {
    group(values, places, cursors, grouped, from, to);
    yield 0.2 + (0.2 * to) / values.length;
  }
  // Places take the memory of values that have been found: half as much for each.
  const found = new Uint32Array(grouped.buffer);
  let [from, paused] = [0, 0];
  for (const [stretch, end] of ends.entries()) {
    if (from === end) continue;
    const cells = cellsAt(stretch, end - from);
    while (from < end) {
      const to = Math.min(paused + SLICE, end);
      findInCells(cells, grouped, found, from, to);
      from = to;
      if (from === paused + SLICE) {
        paused = from;
        yield 0.4 + (0.4 * from) / values.length;
      }
    }
  }
  for (const [from, to] of slicesOf(values.length, SLICE)) {
    ungroup(found, begins, places, from, to);
    yield 0.8 + (0.2 * to) / values.length;
  }
}

/** Writes the number of the stretch that each value goes to. */
function* findStretches(
  keys: Float64Array,
  size: number,
  values: Float64Array,
  stretches: Uint32Array,
): Steps<undefined> {
  // The last key of each stretch but the last one.
  const lasts = Float64Array.from(
    { length: Math.ceil(keys.length / size) - 1 },
    (_, stretch) => keys[(stretch + 1) * size - 1] as number,
  );
  const cells = CELLS_A_STRETCH * lasts.length;
  const all = cellsOf(lasts, { first: 0, count: lasts.length }, cells, new Uint32Array(cells + 1));
  for (const [from, to] of slicesOf(values.length, SLICE)) {
    findInCells(all, values, stretches, from, to);
    yield (0.2 * to) / values.length;
  }
}

// Loops that run for each value are functions of their own: engines compile generators later.

function countStretches(stretches: Uint32Array, counts: Uint32Array): void {
  for (let i = 0; i < stretches.length; i++) {
    const stretch = stretches[i] as number;
    counts[stretch] = (counts[stretch] as number) + 1;
  }
}

/** Moves the values [from, to) to the values of their stretches, where the cursors are. */
function group(
  values: Float64Array,
  stretches: Uint32Array,
  cursors: Uint32Array,
  grouped: Float64Array,
  from: number,
  to: number,
): void {
  for (let i = from; i < to; i++) {
    const stretch = stretches[i] as number;
    const at = cursors[stretch] as number;
    cursors[stretch] = at + 1;
    grouped[at] = values[i] as number;
  }
}

/** Replaces the stretches of the values [from, to) by what was found for them, in their order. */
function ungroup(
  found: Uint32Array,
  cursors: Uint32Array,
  stretches: Uint32Array,
  from: number,
  to: number,
): void {
  for (let i = from; i < to; i++) {
    const stretch = stretches[i] as number;
    const at = cursors[stretch] as number;
    cursors[stretch] = at + 1;
    stretches[i] = found[at] as number;
  }
}
