/**
 * Numbers in any order searched among many keys. Keys are split at even places, whatever their
 * distribution, and the values that go to one stretch of keys are brought together. A stretch is
 * short enough for the caches, and so short that its keys are about evenly spread even if all keys
 * are not: its cells say where to look.
 */

import { slicesOf } from '@keysweep/core';
import { type Cells, cellsOf, findInCells } from './search-cells.js';
import { SLICE, type Steps } from './steps.js';

/** Keys in one stretch, and at most so many stretches: more would have longer ones. */
const STRETCH = 2 ** 12;
const STRETCHES = 512;

/** Keys to a cell of a stretch, and cells to a stretch where the stretch of a value is found. */
const KEYS_A_CELL = 4;
const CELLS_A_STRETCH = 8;

/** Cells of a stretch pay from a value for as many keys. */
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
  /** The cells of a stretch that `sought` values go to. */
  const cellsAt = (stretch: number, sought: number): Cells => {
    const first = stretch * size;
    const count = Math.min(size, keys.length - first);
    const cells = sought * KEYS_A_VALUE < count ? 1 : Math.ceil(count / KEYS_A_CELL);
    return cellsOf(keys, { first, count }, cells, room);
  };
  if (stretches === 1) {
    const cells = cellsAt(0, values.length);
    for (const [from, to] of slicesOf(values.length, SLICE)) {
      findInCells(cells, { values, rows: undefined, places }, from, to);
      yield to / values.length;
    }
    return;
  }
  const { grouped, rows, ends } = yield* group(keys, size, values, places);
  let [from, paused] = [0, 0];
  for (const [stretch, end] of ends.entries()) {
    if (from === end) continue;
    const cells = cellsAt(stretch, end - from);
    while (from < end) {
      const to = Math.min(paused + SLICE, end);
      findInCells(cells, { values: grouped, rows, places }, from, to);
      from = to;
      if (from === paused + SLICE) {
        paused = from;
        yield 0.5 + (0.5 * from) / values.length;
      }
    }
  }
}

/** Values brought together by the stretch of keys that each goes to. */
interface Grouped {
  readonly grouped: Float64Array;
  /** The row of each grouped value. */
  readonly rows: Uint32Array;
  /** Where the values of each stretch end. */
  readonly ends: Uint32Array;
}

/** Brings values together by stretches of `size` keys each. `scratch` is memory for a word each. */
function* group(
  keys: Float64Array,
  size: number,
  values: Float64Array,
  scratch: Uint32Array,
): Steps<Grouped> {
  const { length } = values;
  // The last key of each stretch but the last one.
  const lasts = Float64Array.from(
    { length: Math.ceil(keys.length / size) - 1 },
    (_, stretch) => keys[(stretch + 1) * size - 1] as number,
  );
  const cells = CELLS_A_STRETCH * lasts.length;
  const all = cellsOf(lasts, { first: 0, count: lasts.length }, cells, new Uint32Array(cells + 1));
  const ends = new Uint32Array(lasts.length + 1);
  for (const [from, to] of slicesOf(length, SLICE)) {
    findInCells(all, { values, rows: undefined, places: scratch }, from, to);
    countOf(scratch, ends, from, to);
    yield (0.2 * to) / length;
  }
  for (let stretch = 0, before = 0; stretch < ends.length; stretch++) {
    const count = ends[stretch] as number;
    // Where the values of the stretch begin; they are moved to there one after the other.
    ends[stretch] = before;
    before += count;
  }
  const grouped = new Float64Array(length);
  const rows = new Uint32Array(length);
  for (const [from, to] of slicesOf(length, SLICE)) {
    move(values, scratch, { grouped, rows, ends }, from, to);
    yield 0.2 + (0.3 * to) / length;
  }
  return { grouped, rows, ends };
}

// Loops that run for each value are functions of their own: engines compile generators later.

/** Counts how often each stretch is there from `from` to `to`. */
function countOf(stretches: Uint32Array, counts: Uint32Array, from: number, to: number): void {
  for (let i = from; i < to; i++) {
    const stretch = stretches[i] as number;
    counts[stretch] = (counts[stretch] as number) + 1;
  }
}

/** Moves the values [from, to) to the end of what there is of their stretches. */
function move(
  values: Float64Array,
  stretches: Uint32Array,
  { grouped, rows, ends }: Grouped,
  from: number,
  to: number,
): void {
  for (let i = from; i < to; i++) {
    const stretch = stretches[i] as number;
    const at = ends[stretch] as number;
    ends[stretch] = at + 1;
    grouped[at] = values[i] as number;
    rows[at] = i;
  }
}
