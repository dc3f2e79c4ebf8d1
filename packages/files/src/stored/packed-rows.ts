/**
 * Columns side by side. To find a row in ten columns takes ten looks at memory that no cache holds,
 * and each takes longer than all other work on the value. Side by side they lie in one or two
 * lines.
 */

import type { FixedValues, Stored, VariableValues } from './column.js';
import { allocateBytes, takeBits, takeRows } from './take.js';

/**
 * Rows of a fixed size, with the values of several columns, or their places in dictionaries. A
 * short text is there after a byte with its length.
 */
export interface PackedRows {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Bytes of a row, a multiple of 4. */
  readonly size: number;
  /** Where in a row each column has its value; undefined for a column that is not there. */
  readonly starts: readonly (number | undefined)[];
}

/** Wider values, and longer texts, fill a line of the cache of their own. */
const WIDEST = 32;
/** How much longer than the others the longest text may be: all of them get its room. */
const MAX_ROOM = 2;

/** The values of one width that a column has a row; undefined for texts, and odd or wide ones. */
function fixedIn({ values }: Stored): FixedValues | undefined {
  if (values.kind === 'variable') return undefined;
  const fixed = values.kind === 'fixed' ? values : values.places;
  const { width, bytes } = fixed;
  const isWhole = width <= 2 || (width % 4 === 0 && width <= WIDEST);
  return isWhole && bytes.byteOffset % unitOf(width) === 0 ? fixed : undefined;
}

/** The room of a text in a row; undefined if the texts are too long, or differ too much. */
function roomOfText({ values }: Stored): number | undefined {
  if (values.kind !== 'variable') return undefined;
  const { offsets, bytes } = values;
  const rows = offsets.length - 1;
  if (bytes.length > rows * WIDEST) return undefined;
  const room = 1 + longestOf(values);
  const isWorth = room <= WIDEST && room * rows <= MAX_ROOM * (bytes.length + 4 * rows);
  return isWorth ? room : undefined;
}

/** Bytes of the longest text. */
export function longestOf({ offsets }: VariableValues): number {
  let longest = 0;
  for (let i = 1; i < offsets.length; i++) {
    longest = Math.max(longest, (offsets[i] as number) - (offsets[i - 1] as number));
  }
  return longest;
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
  if (!isScattered(order)) return undefined;
  const widths = columns.map((column) => fixedIn(column)?.width);
  const rooms = columns.map(roomOfText);
  const packed = [...widths, ...rooms].filter((width) => width !== undefined);
  if (packed.length < 2) return undefined;
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
  for (const [i, room] of rooms.entries()) {
    if (room === undefined) continue;
    starts[i] = end;
    end += room;
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

/** The texts of a column. */
interface TextLane {
  /** Bytes from one packed row to the next. */
  readonly step: number;
  /** Where in the first one the length is; the text follows it. */
  readonly start: number;
  readonly texts: VariableValues;
}

/** The columns of texts that are packed; `textsOf` gives the memory of their values. */
function textLanesOf(
  columns: readonly Stored[],
  { size, starts }: PackedRows,
  textsOf: (texts: VariableValues, i: number) => VariableValues,
): TextLane[] {
  return columns.flatMap(({ values }, i) => {
    const start = starts[i];
    if (start === undefined || values.kind !== 'variable') return [];
    return { step: size, start, texts: textsOf(values, i) };
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
  const texts = textLanesOf(columns, packed, (values) => values);
  for (let first = from; first < to; first += PACKED_AT_ONCE) {
    const last = Math.min(first + PACKED_AT_ONCE, to);
    for (const lane of texts) packTexts(packed.bytes, lane, first, last);
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

function packTexts(packed: Uint8Array, lane: TextLane, first: number, last: number): void {
  const { step, start, texts } = lane;
  const { offsets, bytes } = texts;
  let next = offsets[first] as number;
  for (let row = first, at = first * step + start; row < last; row++, at += step) {
    const end = offsets[row + 1] as number;
    packed[at] = end - next;
    for (let to = at + 1; next < end; ) packed[to++] = bytes[next++] as number;
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
  const { fixed, texts } = takePacked(columns, packed, order);
  return columns.map((column, i) => {
    const [bytes, text] = [fixed[i], texts[i]];
    if (bytes === undefined && text === undefined) return { ...column, ...takeRows(column, order) };
    const { values } = column;
    const rows = { rows: order.length, valid: takeBits(column.valid, order) };
    if (bytes === undefined) return { ...column, ...rows, values: text };
    if (values.kind !== 'dictionary') return { ...column, ...rows, values: { ...values, bytes } };
    return { ...column, ...rows, values: { ...values, places: { ...values.places, bytes } } };
  });
}

/** The values of the rows `order`, for each column that is packed. */
function takePacked(
  columns: readonly Stored[],
  packed: PackedRows,
  order: Uint32Array,
): {
  readonly fixed: readonly (Uint8Array<ArrayBuffer> | undefined)[];
  readonly texts: readonly (VariableValues | undefined)[];
} {
  const fixed: (Uint8Array<ArrayBuffer> | undefined)[] = columns.map(() => undefined);
  const texts: (VariableValues | undefined)[] = columns.map(() => undefined);
  const lanes = lanesOf(columns, packed, ({ width }, i) => {
    const bytes = allocateBytes(order.length * width);
    fixed[i] = bytes;
    return bytes;
  });
  const textLanes = textLanesOf(columns, packed, (_, i) => {
    const bytes = allocateBytes(order.length * WIDEST);
    const text = { kind: 'variable', offsets: new Uint32Array(order.length + 1), bytes } as const;
    texts[i] = text;
    return text;
  });
  const words = new Uint32Array(packed.bytes.buffer);
  for (let first = 0; first < order.length; first += BLOCK) {
    const last = Math.min(first + BLOCK, order.length);
    // The processor waits for all of these at once, because none depends on another.
    touch(words, packed.size / 4, order, first, last);
    for (const lane of textLanes) takeTexts(packed.bytes, lane, order, first, last);
    for (const lane of lanes) {
      if (lane.values instanceof Uint32Array) takeWords(lane, order, first, last);
      else takeNarrow(lane, order, first, last);
    }
  }
  // Most of the room for texts was not needed.
  const whole = texts.map(
    (text) => text && { ...text, bytes: text.bytes.slice(0, text.offsets[order.length]) },
  );
  return { fixed, texts: whole };
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

function takeTexts(
  packed: Uint8Array,
  { step, start, texts }: TextLane,
  order: Uint32Array,
  first: number,
  last: number,
): void {
  const { offsets, bytes } = texts;
  let next = offsets[first] as number;
  for (let i = first; i < last; i++) {
    let at = (order[i] as number) * step + start;
    for (const end = at + 1 + (packed[at] as number); ++at < end; ) {
      bytes[next++] = packed[at] as number;
    }
    offsets[i + 1] = next;
  }
}
