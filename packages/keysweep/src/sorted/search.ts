/**
 * searchSorted: where values would go in a sorted array.
 *
 * Few values are searched one by one. Many in any order are brought near to the keys that they are
 * sought among, by a table of evenly spaced numbers; a value's cell in it says where to begin, and
 * for how many steps. Keys that are not evenly spread are split at even places instead, unless
 * there are enough values for threads to bring them into order. Four values are searched at a time,
 * without a branch that depends on a key, so that nothing is mispredicted. Values in order are
 * walked along with the keys. All keys are searched as doubles.
 */

import { type OnArrayBuffer, slicesOf, traitsOf } from '@keysweep/core';
import { compareKeys } from '../builtin/builtin-rows.js';
import { findInGroups, type Sought } from './search-groups.js';
import { findByOrder, walkAlong } from './search-in-order.js';
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
  const { sorted, values, side } = search;
  const { kind, bits } = traitsOf(sorted);
  if (bits === 64 && kind !== 'float') {
    const places = new Uint32Array(values.length);
    if (sorted.length === 0) return places;
    const { keys, values: sought, refine } = distancesOf(sorted, values, side);
    yield* findDoubles(keys, sought, places, search);
    if (refine === undefined) return places;
    for (const [from, to] of slicesOf(places.length, SLICE)) {
      refine(places, from, to);
      yield 1;
    }
    return places;
  }
  const all = new Float64Array(sorted as ArrayLike<number>);
  const sought = new Float64Array(values as ArrayLike<number>);
  const count = partitionPoint(all.length, (at) => !Number.isNaN(all[at]));
  if (side === 'right') (kind === 'float' ? toNext : addOne)(sought);
  const places = new Uint32Array(sought.length);
  yield* findDoubles(all.subarray(0, count), sought, places, search);
  if (kind === 'float') placeSpecials(all, count, values as Float64Array, side, places);
  return places;
}

/** Finds where values go, on the left of ties, among doubles in ascending order. */
function* findDoubles(
  keys: Float64Array,
  values: Float64Array,
  places: Uint32Array,
  { haveThreads }: Search,
): Steps<undefined> {
  if (keys.length === 0) return;
  if (areAscending(values)) return yield* walkAlong(keys, values, places);
  const cells = cellsOf(keys);
  if (cells.longest <= CELL_MOST) return yield* findInCells(keys, values, places, cells);
  const find = haveThreads && values.length >= SORTED_FROM ? findByOrder : findInGroups;
  yield* find(keys, values, places);
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

/** Places zeros (−0 before +0), infinities, and NaNs, which are last. */
function placeSpecials(
  keys: Float64Array,
  count: number,
  values: Float64Array,
  side: 'left' | 'right',
  places: Uint32Array,
): void {
  const zeros = partitionPoint(count, (at) => (keys[at] as number) < 0);
  const plusZeros = partitionPoint(
    count,
    (at) => (keys[at] as number) < 0 || Object.is(keys[at], -0),
  );
  const positives = partitionPoint(count, (at) => (keys[at] as number) <= 0);
  const isRight = side === 'right';
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number;
    if (value === 0) {
      const isMinus = Object.is(value, -0);
      if (isRight) places[i] = isMinus ? plusZeros : positives;
      else places[i] = isMinus ? zeros : plusZeros;
    } else if (isRight && value === Number.POSITIVE_INFINITY) {
      places[i] = count;
    } else if (Number.isNaN(value)) {
      places[i] = isRight ? keys.length : count;
    }
  }
}

function areAscending(numbers: Float64Array): boolean {
  let i = 1;
  while (i < numbers.length && (numbers[i - 1] as number) <= (numbers[i] as number)) i++;
  return i >= numbers.length && !Number.isNaN(numbers[0]);
}

/** Where the keys of each of some evenly spaced cells begin. */
interface Cells {
  readonly starts: Uint32Array;
  /** The finite keys that the cells span. */
  readonly least: number;
  readonly most: number;
  /** Cells a unit. */
  readonly scale: number;
  /** Keys in the fullest cell. */
  readonly longest: number;
}

/** Keys to a cell, if they are evenly spread. */
const KEYS_IN_CELL = 4;

/** A fuller cell means that keys are not evenly spread. */
const CELL_MOST = 64;

/** Fewer values are found before the threads that sort them could have started. */
const SORTED_FROM = 2 ** 18;

/** Values are brought together in about as many groups, each near to some of the keys. */
const GROUPS = 512;

/** The groups that values are brought together in. */
interface Grouping {
  /** Cells to a group, as a power of two. */
  readonly shift: number;
  /** The group of each value. */
  readonly groups: Uint16Array;
  /** Where the next value of each group goes. */
  readonly cursors: Uint32Array;
}

/** Finds values in any order among one or more keys. */
function* findInCells(
  keys: Float64Array,
  values: Float64Array,
  places: Uint32Array,
  cells: Cells,
): Steps<undefined> {
  const { length } = values;
  const shift = Math.max(0, Math.ceil(Math.log2(cells.starts.length / GROUPS)));
  const cursors = new Uint32Array((cells.starts.length >>> shift) + 2);
  const grouping = { shift, groups: new Uint16Array(length), cursors };
  for (const [from, to] of slicesOf(length, SLICE)) {
    countGroups(values, cells, grouping, from, to);
    yield (0.2 * to) / length;
  }
  for (let i = 1; i < cursors.length; i++) {
    cursors[i] = (cursors[i] as number) + (cursors[i - 1] as number);
  }
  const sought = { values: new Float64Array(length), rows: new Uint32Array(length), places };
  for (const [from, to] of slicesOf(length, SLICE)) {
    group(values, grouping, sought, from, to);
    yield 0.2 + (0.3 * to) / length;
  }
  for (const [from, to] of slicesOf(length, SLICE)) {
    find(keys, sought, cells, from, to);
    yield 0.5 + (0.5 * to) / length;
  }
}

/** O(n); allocates a byte a key. Keys that are in no order get cells all the same. */
function cellsOf(keys: Float64Array): Cells {
  const last = Math.ceil(keys.length / KEYS_IN_CELL) - 1;
  const least = Math.max(keys[0] as number, -Number.MAX_VALUE);
  const most = Math.min(Math.max(keys.at(-1) as number, least), Number.MAX_VALUE);
  const scale = most > least ? last / (most - least) : 0;
  const cells = { starts: new Uint32Array(last + 2), least, most, scale, longest: 1 };
  const { starts } = cells;
  countKeys(keys, cells);
  let { longest } = cells;
  for (let cell = 1; cell < starts.length; cell++) {
    const size = starts[cell] as number;
    if (size > longest) longest = size;
    starts[cell] = size + (starts[cell - 1] as number);
  }
  return { ...cells, longest };
}

// A cell's number is worked out where it is needed: engines do not always inline a function.

/** Counts the keys of each cell, one place after its own. */
function countKeys(keys: Float64Array, { starts, least, most, scale }: Cells): void {
  for (let i = 0; i < keys.length; i++) {
    const near = Math.min(Math.max(keys[i] as number, least), most);
    const cell = 1 + (((near - least) * scale) | 0);
    starts[cell] = (starts[cell] as number) + 1;
  }
}

/** Notes the group of each value, and counts its values one place after its own. */
function countGroups(
  values: Float64Array,
  { least, most, scale }: Cells,
  { shift, groups, cursors }: Grouping,
  from: number,
  to: number,
): void {
  for (let i = from; i < to; i++) {
    const near = Math.min(Math.max(values[i] as number, least), most);
    const group = (((near - least) * scale) | 0) >>> shift;
    groups[i] = group;
    cursors[group + 1] = (cursors[group + 1] as number) + 1;
  }
}

/** Brings the values of each group together, with their rows. */
function group(
  values: Float64Array,
  { groups, cursors }: Grouping,
  { values: grouped, rows }: Sought,
  from: number,
  to: number,
): void {
  for (let i = from; i < to; i++) {
    const group = groups[i] as number;
    const at = cursors[group] as number;
    cursors[group] = at + 1;
    grouped[at] = values[i] as number;
    rows[at] = i;
  }
}

/** Finds the values [from, to), and writes their places to their rows. */
function find(
  keys: Float64Array,
  { values, rows, places }: Sought,
  { starts, least, most, scale, longest }: Cells,
  from: number,
  to: number,
): void {
  const last = to - 1;
  const lastStart = keys.length - longest;
  const startOf = (value: number): number => {
    const cell = ((Math.min(Math.max(value, least), most) - least) * scale) | 0;
    return Math.min(starts[cell] as number, lastStart);
  };
  for (let i = from; i < to; i += 4) {
    const i1 = Math.min(i + 1, last);
    const i2 = Math.min(i + 2, last);
    const i3 = Math.min(i + 3, last);
    const x0 = values[i] as number;
    const x1 = values[i1] as number;
    const x2 = values[i2] as number;
    const x3 = values[i3] as number;
    let at0 = startOf(x0);
    let at1 = startOf(x1);
    let at2 = startOf(x2);
    let at3 = startOf(x3);
    for (let length = longest; length > 1; ) {
      const half = length >>> 1;
      const middle = half - 1;
      at0 += half & -Number((keys[at0 + middle] as number) < x0);
      at1 += half & -Number((keys[at1 + middle] as number) < x1);
      at2 += half & -Number((keys[at2 + middle] as number) < x2);
      at3 += half & -Number((keys[at3 + middle] as number) < x3);
      length -= half;
    }
    places[rows[i] as number] = at0 + Number((keys[at0] as number) < x0);
    places[rows[i1] as number] = at1 + Number((keys[at1] as number) < x1);
    places[rows[i2] as number] = at2 + Number((keys[at2] as number) < x2);
    places[rows[i3] as number] = at3 + Number((keys[at3] as number) < x3);
  }
}
