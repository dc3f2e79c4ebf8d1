/** A column of a text: integers or numbers if all its values are, else text. */

import type { StepAccount } from '../memory.js';
import { bitmapBytes, type ColumnType, type Stored } from '../stored/column.js';
import { allocateBytes, copyBytes } from '../stored/take.js';
import { QUOTE } from './dialect.js';
import { copyUnquoted, findFields } from './fields.js';
import { numberAt, writeInteger } from './numbers.js';
import type { Lines } from './scan.js';

/** Rows whose fields are looked for together. */
const BLOCK = 4096;
const BLANK = 32;
const TAB = 9;

/** Bytes that column `place` takes at most, whatever it holds, of `rows` rows. */
export function memoryOfText({ sizes }: Lines, place: number, rows: number): number {
  return Math.max(8 * rows, (sizes[place] as number) + 4 * (rows + 1)) + bitmapBytes(rows);
}

/** Which rows have a value; there is a bitmap from the first null on. */
class Validity {
  readonly #rows: number;
  #bits: Uint8Array<ArrayBuffer> | undefined;

  constructor(rows: number) {
    this.#rows = rows;
  }

  clear(row: number): void {
    this.#bits ??= new Uint8Array(bitmapBytes(this.#rows)).fill(0xff);
    (this.#bits[row >> 3] as number) &= ~(1 << (row & 7));
  }

  get bits(): Uint8Array<ArrayBuffer> | undefined {
    return this.#bits;
  }
}

/** Takes the field in the bytes from `from` up to `to`; false where it is of another kind. */
type Take = (row: number, from: number, to: number) => boolean;

/** Which rows of which column are read. */
export interface Wanted {
  readonly place: number;
  /** The first row, and the one after the last. */
  readonly from: number;
  readonly to: number;
  /** The narrowest kind that the values may have; by default integers. */
  readonly as?: 'float' | 'text' | undefined;
}

/** Values, and what they are. */
export type TypedRows = Stored & { readonly type: ColumnType };

/**
 * Rows of a column; empty fields are nulls. Blanks around numbers are no part of them. `onRead` is
 * told how many rows are read.
 * @throws MemoryError
 */
export function readText(
  lines: Lines,
  { place, from: first, to, as }: Wanted,
  account: StepAccount,
  onRead: (completed: number) => void = () => {},
): TypedRows {
  const rows = to - first;
  const { bytes } = lines;
  const bounds = new Uint32Array(2 * BLOCK);
  /** Which rows have a value, or undefined where `take` does not take all of them. */
  const readAll = (take: Take): Validity | undefined => {
    const valid = new Validity(rows);
    for (let from = 0; from < rows; from += BLOCK) {
      const count = Math.min(BLOCK, rows - from);
      findFields(lines, place, first + from, first + from + count, bounds);
      for (let i = 0; i < count; i++) {
        const start = bounds[2 * i] as number;
        const end = bounds[2 * i + 1] as number;
        if (start === end) valid.clear(from + i);
        else if (!take(from + i, start, end)) return undefined;
      }
      onRead(from + count);
    }
    return valid;
  };
  if (as !== 'text') {
    account.take(8 * rows);
    const numbers = allocateBytes(8 * rows);
    const kinds = [
      [integersInto(bytes, numbers), { kind: 'integer', bits: 64, isSigned: true }],
      [doublesInto(bytes, numbers), { kind: 'float', bits: 64 }],
    ] as const;
    for (const [take, type] of kinds) {
      if (as === 'float' && type.kind === 'integer') continue;
      const valid = readAll(take);
      if (valid === undefined) continue;
      const values = { kind: 'fixed', width: 8, bytes: numbers } as const;
      return { rows, type, values, valid: valid.bits };
    }
    account.give(8 * rows);
  }
  const size = lines.sizes[place] as number;
  account.take(size + 4 * (rows + 1));
  const text = allocateBytes(size);
  const offsets = new Uint32Array(rows + 1);
  const { hasQuotes } = lines.dialect;
  let used = 0;
  const valid = readAll((row, from, to) => {
    // Only what is before a field in quotes is a quote.
    const isQuoted = hasQuotes && bytes[from - 1] === QUOTE;
    used = (isQuoted ? copyUnquoted : copyBytes)(bytes, from, to, text, used);
    offsets[row + 1] = used;
    return true;
  });
  // Nulls end where the value before them does.
  for (let row = 0; row < rows; row++) {
    if (offsets[row + 1] === 0) offsets[row + 1] = offsets[row] as number;
  }
  const values = { kind: 'variable', offsets, bytes: text.subarray(0, used) } as const;
  return { rows, type: { kind: 'text' }, values, valid: valid?.bits };
}

/** Takes integers of 64 bits. */
function integersInto(bytes: Uint8Array, numbers: Uint8Array<ArrayBuffer>): Take {
  const words = new Uint32Array(numbers.buffer);
  return (row, from, to) => {
    const [start, end] = [afterBlanks(bytes, from, to), beforeBlanks(bytes, from, to)];
    return writeInteger(bytes, start, end, words, row);
  };
}

/** Takes numbers. */
function doublesInto(bytes: Uint8Array, numbers: Uint8Array<ArrayBuffer>): Take {
  const doubles = new Float64Array(numbers.buffer);
  return (row, from, to) => {
    const number = numberAt(bytes, afterBlanks(bytes, from, to), beforeBlanks(bytes, from, to));
    if (number === undefined) return false;
    doubles[row] = number;
    return true;
  };
}

function afterBlanks(bytes: Uint8Array, from: number, to: number): number {
  let start = from;
  while (start < to && (bytes[start] === BLANK || bytes[start] === TAB)) start++;
  return start;
}

function beforeBlanks(bytes: Uint8Array, from: number, to: number): number {
  let end = to;
  while (end > from && (bytes[end - 1] === BLANK || bytes[end - 1] === TAB)) end--;
  return end;
}
