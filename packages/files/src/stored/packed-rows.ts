/**
 * Columns side by side. To find a row in ten columns takes ten looks at memory that no cache holds,
 * and each takes longer than all other work on the value. Side by side they lie in one or two lines.
 */

import type { FixedValues, Stored } from './column.js';
import { allocateBytes, takeBits, takeRows } from './take.js';

/** Rows of a fixed size, with the values of several columns, or their places in dictionaries. */
export interface PackedRows {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Bytes of a row, a multiple of 4. */
  readonly size: number;
  /** Where in a row each column has its value; undefined for a column that is not there. */
  readonly starts: readonly (number | undefined)[];
}

/** Wider values fill a line of the cache of their own. */
const WIDEST = 32;

/** The values of one width that a column has a row; undefined for texts, and odd or wide ones. */
function fixedIn({ values }: Stored): FixedValues | undefined {
  if (values.kind === 'variable') return undefined;
  const fixed = values.kind === 'fixed' ? values : values.places;
  const { width, bytes } = fixed;
  const isWhole = width <= 2 || (width % 4 === 0 && width <= WIDEST);
  return isWhole && bytes.byteOffset % unitOf(width) === 0 ? fixed : undefined;
}

/** Bytes that are copied at a time. */
const unitOf = (width: number): 1 | 2 | 4 => (width > 2 ? 4 : (width as 1 | 2));

/**
 * Room for the rows of `columns`, in memory that threads share; undefined where packing them would
 * not pay for itself, because `order` hardly changes the order, or less than two columns fit.
 */
export function roomForRows(
  columns: readonly Stored[],
  order: Uint32Array,
): PackedRows | undefined {
  const widths = columns.map((column) => fixedIn(column)?.width);
  const isWorth = widths.filter((width) => width !== undefined).length > 1 && isScattered(order);
  if (!isWorth) return undefined;
  const starts: (number | undefined)[] = widths.map(() => undefined);
  let end = 0;
  // Wide values first, so that each begins at a multiple of its units.
  for (const unit of [4, 2, 1]) {
    for (const [i, width] of widths.entries()) {
      if (width === undefined || unitOf(width) !== unit) continue;
      starts[i] = end;
      end += width;
    }
  }
  const size = 4 * Math.ceil(end / 4);
  return { bytes: allocateBytes((columns[0] as Stored).rows * size, true), size, starts };
}

/** Neighbours that are looked at, and rows between those that the processor finds by itself. */
const LOOKS = 1024;
const NEAR = 64;

/** Whether rows that are written one after the other mostly lie far apart. */
function isScattered(order: Uint32Array): boolean {
  const step = Math.max(1, Math.floor(order.length / LOOKS));
  let [looks, far] = [0, 0];
  for (let i = step; i < order.length; i += step, looks++) {
    if (Math.abs((order[i] as number) - (order[i - 1] as number)) > NEAR) far++;
  }
  return 2 * far > looks;
}

/** A column of packed rows, in units of 4, 2 or 1 bytes. */
interface Lane {
  /** All packed rows. */
  readonly packed: Units;
  /** Units from one of them to the next. */
  readonly step: number;
  /** Where in the first one the value is. */
  readonly start: number;
  /** Units of a value. */
  readonly units: number;
  /** Values one after the other. */
  readonly values: Units;
}

type Units = Uint32Array | Uint16Array | Uint8Array;

const CLASSES = { 4: Uint32Array, 2: Uint16Array, 1: Uint8Array } as const;

/** The columns that are packed; `valuesOf` gives the memory of their values. */
function lanesOf(
  columns: readonly Stored[],
  { bytes, size, starts }: PackedRows,
  valuesOf: (fixed: FixedValues, i: number) => Uint8Array<ArrayBuffer>,
): Lane[] {
  return columns.flatMap((column, i) => {
    const [start, fixed] = [starts[i], fixedIn(column)];
    if (start === undefined || fixed === undefined) return [];
    const unit = unitOf(fixed.width);
    const unitsIn = ({ buffer, byteOffset, length }: Uint8Array<ArrayBuffer>): Units =>
      new CLASSES[unit](buffer, byteOffset, length / unit);
    const values = unitsIn(valuesOf(fixed, i));
    const units = fixed.width / unit;
    return { packed: unitsIn(bytes), step: size / unit, start: start / unit, units, values };
  });
}

/** Rows that are packed together, which stay in the caches. */
const PACKED_AT_ONCE = 512;

/** Packs the rows from `from` up to `to`. */
export function packRows(
  columns: readonly Stored[],
  packed: PackedRows,
  from: number,
  to: number,
): void {
  const lanes = lanesOf(columns, packed, ({ bytes }) => bytes);
  for (let first = from; first < to; first += PACKED_AT_ONCE) {
    const last = Math.min(first + PACKED_AT_ONCE, to);
    for (const lane of lanes) {
      if (lane.values instanceof Uint32Array) packWords(lane, first, last);
      else packNarrow(lane, first, last);
    }
  }
}

// Words have functions of their own, because engines compile a loop best for one kind of array.

function packWords(lane: Lane, first: number, last: number): void {
  const { packed, step, start, units, values } = lane;
  let at = first * step + start;
  if (units === 1) {
    for (let row = first; row < last; row++, at += step) packed[at] = values[row] as number;
    return;
  }
  for (let row = first, next = first * units; row < last; row++, at += step) {
    for (let unit = 0; unit < units; unit++) packed[at + unit] = values[next++] as number;
  }
}

function packNarrow({ packed, step, start, values }: Lane, first: number, last: number): void {
  for (let row = first, at = first * step + start; row < last; row++, at += step) {
    packed[at] = values[row] as number;
  }
}

/** Rows that are looked up together: a few lines each, which the nearest cache holds. */
const BLOCK = 128;
/** Bytes of a line of the cache. */
const LINE = 64;
/** @public Loads whose value is not kept would be left out. */
export let lastSeen = 0;

/** The rows `order` of `columns`, copied, from packed rows where there are some. */
export function takeColumns<T extends Stored>(
  columns: readonly T[],
  packed: PackedRows | undefined,
  order: Uint32Array,
): T[] {
  if (packed === undefined) return columns.map((one) => ({ ...one, ...takeRows(one, order) }));
  const { starts } = packed;
  const taken = takePacked(columns, packed, order);
  return columns.map((column, i) => {
    const bytes = taken[i];
    if (starts[i] === undefined || bytes === undefined) {
      return { ...column, ...takeRows(column, order) };
    }
    const { values } = column;
    const rows = { rows: order.length, valid: takeBits(column.valid, order) };
    if (values.kind !== 'dictionary') return { ...column, ...rows, values: { ...values, bytes } };
    return { ...column, ...rows, values: { ...values, places: { ...values.places, bytes } } };
  });
}

/** The values of the rows `order`, for each column that is packed. */
function takePacked(
  columns: readonly Stored[],
  packed: PackedRows,
  order: Uint32Array,
): (Uint8Array<ArrayBuffer> | undefined)[] {
  const taken: (Uint8Array<ArrayBuffer> | undefined)[] = columns.map(() => undefined);
  const lanes = lanesOf(columns, packed, ({ width }, i) => {
    const bytes = allocateBytes(order.length * width);
    taken[i] = bytes;
    return bytes;
  });
  const words = new Uint32Array(packed.bytes.buffer);
  for (let first = 0; first < order.length; first += BLOCK) {
    const last = Math.min(first + BLOCK, order.length);
    // The processor waits for all of these at once, because none depends on another.
    touch(words, packed.size / 4, order, first, last);
    for (const lane of lanes) {
      if (lane.values instanceof Uint32Array) takeWords(lane, order, first, last);
      else takeNarrow(lane, order, first, last);
    }
  }
  return taken;
}

/** One load from each line of each row. */
function touch(
  words: Uint32Array,
  step: number,
  order: Uint32Array,
  first: number,
  last: number,
): void {
  let seen = 0;
  for (let i = first; i < last; i++) {
    const start = (order[i] as number) * step;
    for (let at = 0; at < step; at += LINE / 4) seen ^= words[start + at] as number;
    seen ^= words[start + step - 1] as number;
  }
  lastSeen = seen;
}

function takeWords(lane: Lane, order: Uint32Array, first: number, last: number): void {
  const { packed, step, start, units, values } = lane;
  if (units === 1) {
    for (let i = first; i < last; i++) {
      values[i] = packed[(order[i] as number) * step + start] as number;
    }
    return;
  }
  for (let i = first, next = first * units; i < last; i++) {
    const at = (order[i] as number) * step + start;
    for (let unit = 0; unit < units; unit++) values[next++] = packed[at + unit] as number;
  }
}

function takeNarrow(lane: Lane, order: Uint32Array, first: number, last: number): void {
  const { packed, step, start, values } = lane;
  for (let i = first; i < last; i++) {
    values[i] = packed[(order[i] as number) * step + start] as number;
  }
}
