/**
 * Numbers searched among a stretch of keys in ascending order. The distance from the least key to
 * the largest is cut into cells of one width. A number's cell says near which keys it goes, and
 * the few keys of a cell are searched by halves, four numbers at a time: no branch depends on a
 * key, so nothing is mispredicted, and cache misses overlap.
 */

/** Keys in one stretch, and where those of each cell begin. */
export interface Cells {
  readonly keys: Float64Array;
  readonly first: number;
  readonly count: number;
  /** The first key of each cell, by the cell's number. */
  readonly starts: Uint32Array;
  /** The least and the largest key, or the nearest finite numbers. */
  readonly least: number;
  readonly most: number;
  /** Cells a unit. */
  readonly scale: number;
  /** Keys in the fullest cell. */
  readonly longest: number;
}

/**
 * Cuts `count` keys, one or more from `first`, into cells; with one cell, all of them are searched
 * by halves. `starts` is memory for one more element than there are cells. O(n) for n keys and
 * cells.
 */
export function cellsOf(
  keys: Float64Array,
  { first, count }: Pick<Cells, 'first' | 'count'>,
  cells: number,
  starts: Uint32Array,
): Cells {
  const end = first + count;
  const least = Math.max(keys[first] as number, -Number.MAX_VALUE);
  const most = Math.min(Math.max(keys[end - 1] as number, least), Number.MAX_VALUE);
  const scale = most > least ? (cells - 1) / (most - least) : 0;
  const stretch = { keys, first, count, starts, least, most, scale };
  starts[0] = first;
  if (cells === 1) return { ...stretch, longest: count };
  starts.fill(first, 1, cells + 1);
  markEnds(stretch);
  let longest = 1;
  let before = first;
  for (let cell = 1; cell <= cells; cell++) {
    const start = Math.max(starts[cell] as number, before);
    longest = Math.max(longest, start - before);
    starts[cell] = start;
    before = start;
  }
  return { ...stretch, longest };
}

// A cell's number is worked out where it is needed: engines do not always inline a function.

/** Notes where the keys of each cell end: one place after the cell's own. */
function markEnds({ keys, first, count, starts, least, most, scale }: Omit<Cells, 'longest'>) {
  for (let i = first; i < first + count; i++) {
    const near = Math.min(Math.max(keys[i] as number, least), most);
    starts[1 + (((near - least) * scale) | 0)] = i + 1;
  }
}

/**
 * Finds the values [from, to) among the keys of the cells, and writes their places to the same
 * elements of `places`. These may lie in the first half of the values' own memory.
 */
export function findInCells(
  { keys, first, count, starts, least, most, scale, longest }: Cells,
  values: Float64Array,
  places: Uint32Array,
  from: number,
  to: number,
): void {
  const last = to - 1;
  const lastStart = first + count - longest;
  for (let i = from; i < to; i += 4) {
    const i1 = Math.min(i + 1, last);
    const i2 = Math.min(i + 2, last);
    const i3 = Math.min(i + 3, last);
    const x0 = values[i] as number;
    const x1 = values[i1] as number;
    const x2 = values[i2] as number;
    const x3 = values[i3] as number;
    const cell0 = ((Math.min(Math.max(x0, least), most) - least) * scale) | 0;
    const cell1 = ((Math.min(Math.max(x1, least), most) - least) * scale) | 0;
    const cell2 = ((Math.min(Math.max(x2, least), most) - least) * scale) | 0;
    const cell3 = ((Math.min(Math.max(x3, least), most) - least) * scale) | 0;
    let at0 = Math.min(starts[cell0] as number, lastStart);
    let at1 = Math.min(starts[cell1] as number, lastStart);
    let at2 = Math.min(starts[cell2] as number, lastStart);
    let at3 = Math.min(starts[cell3] as number, lastStart);
    for (let length = longest; length > 1; ) {
      const half = length >>> 1;
      const middle = half - 1;
      at0 += half & -Number((keys[at0 + middle] as number) < x0);
      at1 += half & -Number((keys[at1 + middle] as number) < x1);
      at2 += half & -Number((keys[at2 + middle] as number) < x2);
      at3 += half & -Number((keys[at3 + middle] as number) < x3);
      length -= half;
    }
    places[i] = at0 + Number((keys[at0] as number) < x0);
    places[i1] = at1 + Number((keys[at1] as number) < x1);
    places[i2] = at2 + Number((keys[at2] as number) < x2);
    places[i3] = at3 + Number((keys[at3] as number) < x3);
  }
}
