/** Finds the rows of a text: the only pass over all of its bytes. */

import { FileError } from '../error.js';
import type { StepAccount } from '../memory.js';
import { CR, type Dialect, LF, QUOTE } from './dialect.js';

/** A text whose rows are known. Rows include the header, which is row 0. */
export interface Lines {
  readonly dialect: Dialect;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Row i has the bytes from `starts[i]` up to `starts[i + 1]`, with the end of its line. */
  readonly starts: Uint32Array<ArrayBuffer>;
  readonly rows: number;
  /** Bytes of all fields of a column, with quotes. There are as many as the table has columns. */
  readonly sizes: readonly number[];
  /** Whether a field has quotes around it. */
  readonly areQuoted: boolean;
}

/** Bytes of a text: from `first` up to `end`. */
export interface Stretch {
  readonly first: number;
  readonly end: number;
}

/** Bytes at the start that tell how long rows are. */
const SAMPLE = 1 << 20;
/** Bytes that a column takes before it is read, without its name. A comma is enough to make one. */
const COLUMN = 128;
/** Bytes of a name for each byte of its field, as a string. */
const CHARACTER = 2;

/** Bytes that the columns take before they are read, with names from their first row. */
export const memoryOfColumns = ({ sizes, starts, rows }: Lines): number =>
  COLUMN * sizes.length +
  (rows > 0 ? CHARACTER * ((starts[1] as number) - (starts[0] as number)) : 0);

/**
 * Finds the rows of `bytes`, which begin at byte `first` and end at `end`. Takes 4 bytes for each
 * and a twentieth more, and some for each column.
 * @throws FileError that names the line where a row has another number of fields than the first,
 *   or its quotes do not match; MemoryError
 */
export function scanLines(
  file: string,
  bytes: Uint8Array<ArrayBuffer>,
  { first, end }: Stretch,
  dialect: Dialect,
  account: StepAccount,
): Lines {
  const { delimiter, hasQuotes } = dialect;
  const starts = new Starts(expectedRows(bytes, { first, end }), account);
  const sizes: number[] = [];
  const endOfFirst = bytes.indexOf(LF, first);
  const firstBytes = (endOfFirst < 0 ? end : Math.min(endOfFirst, end)) - first;
  let width = 0;
  let areQuoted = false;
  const most = Math.max(delimiter, LF);
  for (let at = first; at < end; ) {
    const start = at;
    starts.push(start);
    let field = 0;
    for (let byte = 0; byte !== LF; field++) {
      const from = at;
      byte = at < end ? (bytes[at] as number) : LF;
      if (byte === QUOTE && hasQuotes) {
        areQuoted = true;
        at = afterQuotes(bytes, at, end);
        byte = at < end ? (bytes[at] as number) : LF;
        const isEnd = byte === LF || (byte === CR && bytes[at + 1] === LF);
        if (at < 0 || (byte !== delimiter && !isEnd)) throw quoteError(file, bytes, from, at);
        if (byte === CR) {
          at++;
          byte = LF;
        }
      } else {
        // Most bytes are letters and digits, above all that end a field.
        while (byte > most || (byte !== delimiter && byte !== LF)) {
          at++;
          byte = at < end ? (bytes[at] as number) : LF;
        }
      }
      if (field < width) (sizes[field] as number) += at - from;
      else if (width === 0) {
        // The rest of the line may be like its beginning.
        const left = Math.max(0, firstBytes - (at - first));
        account.take(COLUMN, Math.ceil((COLUMN * field * left) / (at - first + 1)));
        sizes.push(at - from);
      }
      at++;
    }
    if (width === 0) width = field;
    else if (field !== width) throw raggedError(file, bytes, start, field, width);
  }
  starts.end(end);
  const lines = { dialect, bytes, ...starts.result(), sizes, areQuoted };
  account.take(memoryOfColumns(lines) - COLUMN * sizes.length);
  return lines;
}

/** The places where rows begin. */
class Starts {
  #places: Uint32Array<ArrayBuffer>;
  #count = 0;
  readonly #account: StepAccount;

  constructor(expected: number, account: StepAccount) {
    account.take(4 * expected);
    this.#account = account;
    this.#places = new Uint32Array(expected);
  }

  push(place: number): void {
    if (this.#count === this.#places.length) this.#grow();
    this.#places[this.#count++] = place;
  }

  /** Adds where the last row ends. */
  end(place: number): void {
    this.push(place);
  }

  result(): Pick<Lines, 'starts' | 'rows'> {
    return { starts: this.#places.subarray(0, this.#count), rows: this.#count - 1 };
  }

  #grow(): void {
    const before = this.#places;
    const length = Math.ceil(before.length * 1.5);
    this.#account.take(4 * length);
    this.#places = new Uint32Array(length);
    this.#places.set(before);
    this.#account.give(4 * before.length);
  }
}

/** How many rows there are if all of them are like the first ones. */
function expectedRows(bytes: Uint8Array, { first, end }: Stretch): number {
  const sample = bytes.subarray(first, Math.min(first + SAMPLE, end));
  let ends = 1;
  for (let i = 0; i < sample.length; i++) if (sample[i] === LF) ends++;
  const all = (ends * (end - first)) / Math.max(1, sample.length);
  return Math.ceil(all * 1.05) + 16;
}

/** The place after the quotes that begin at `at`, or −1 where they do not end. */
export function afterQuotes(bytes: Uint8Array, at: number, end: number): number {
  for (let next = at + 1; next < end; next++) {
    if (bytes[next] !== QUOTE) continue;
    if (bytes[next + 1] !== QUOTE || next + 1 === end) return next + 1;
    next++;
  }
  return -1;
}

/** The number of the line that has byte `at`, the first one being 1. */
export function lineAt(bytes: Uint8Array, at: number): number {
  let line = 1;
  for (let i = bytes.indexOf(LF); i !== -1 && i < at; i = bytes.indexOf(LF, i + 1)) line++;
  return line;
}

function quoteError(file: string, bytes: Uint8Array, from: number, after: number): FileError {
  const line = lineAt(bytes, from);
  if (after < 0) return new FileError(`line ${line} of ${file} has a quote that does not end`);
  return new FileError(
    `line ${lineAt(bytes, after)} of ${file} has something after the quote that ends a field; ` +
      'quotes within quotes are written twice',
  );
}

function raggedError(
  file: string,
  bytes: Uint8Array,
  start: number,
  fields: number,
  width: number,
): FileError {
  const count = (of: number): string => `${of} ${of === 1 ? 'field' : 'fields'}`;
  const isEmpty = bytes[start] === LF || (bytes[start] === CR && bytes[start + 1] === LF);
  const has = isEmpty ? 'is empty' : `has ${count(fields)}`;
  return new FileError(
    `line ${lineAt(bytes, start)} of ${file} ${has}, but its first line has ${count(width)}`,
  );
}
