/** Values of any length in Parquet pages: text and bytes. */

import type { Account } from '../memory.js';
import type { VariableValues } from '../stored/column.js';
import { allocateBytes, assertOffset, copyBytes } from '../stored/take.js';
import {
  type AreWanted,
  type Cursor,
  readDelta,
  readUint32,
  restOf,
  tooShort,
} from './encodings.js';

/** Most bytes of memory for text of `size` bytes: twice its room, and a copy of the right size. */
export const memoryOfText = (size: number): number => 3 * size + FIRST;
/** Bytes that there is room for at first. */
const FIRST = 1024;

/** Collects values, one a row. */
export class TextBuilder {
  /** Counts what is taken. */
  readonly memory: Account;
  readonly #shared: boolean;
  readonly #offsets: Uint32Array<ArrayBuffer>;
  #bytes: Uint8Array<ArrayBuffer>;
  #size = 0;
  #row = 0;
  /** The rows of the page that is read, and where it began. */
  #nulls: Uint8Array | undefined;
  #first = 0;

  /**
   * The memory is counted by `memory` before it is taken. What `finish` gives is in memory that
   * other threads see if it is `shared`.
   */
  constructor(rows: number, memory: Account, shared = false) {
    memory.take(4 * (rows + 1) + FIRST);
    this.memory = memory;
    this.#shared = shared;
    this.#bytes = allocateBytes(FIRST);
    this.#offsets = new Uint32Array(allocateBytes(4 * (rows + 1), shared).buffer);
  }

  /** The next values belong to the rows of a page that are not marked in `nulls`. */
  beginPage(nulls: Uint8Array): void {
    this.#nulls = nulls;
    this.#first = this.#row;
  }

  /** @throws Error where the page had fewer values than rows */
  endPage(): void {
    this.#skipNulls();
    if (this.#row !== this.#first + (this.#nulls?.length ?? 0)) throw tooShort();
  }

  /** Appends the bytes from `start` up to `end` as the next value. */
  append(from: Uint8Array, start: number, end: number): void {
    if (!(start <= end && end <= from.length)) throw tooShort();
    this.#skipNulls();
    const size = this.#size + end - start;
    if (size > this.#bytes.length) this.#grow(size);
    copyBytes(from, start, end, this.#bytes, this.#size);
    this.#close(size);
  }

  /** Appends the first `length` bytes of the value before and what is given, as the next value. */
  appendAfterPrefix(length: number, from: Uint8Array, start: number, end: number): void {
    const before = this.#lastValue;
    if (!(length <= before.length)) throw new Error('a page has a longer prefix than the value');
    const whole = allocateBytes(length + end - start);
    whole.set(before.subarray(0, length));
    whole.set(from.subarray(start, end), length);
    this.append(whole, 0, whole.length);
    this.#lastValue = whole;
  }
  #lastValue: Uint8Array = new Uint8Array();

  /** Forgets the value before: prefixes begin anew with each page. */
  forgetPrefix(): void {
    this.#lastValue = new Uint8Array();
  }

  finish(): VariableValues {
    this.memory.take(this.#size);
    const bytes = allocateBytes(this.#size, this.#shared);
    bytes.set(this.#bytes.subarray(0, this.#size));
    return { kind: 'variable', offsets: this.#offsets, bytes };
  }

  #skipNulls(): void {
    const nulls = this.#nulls;
    if (nulls === undefined) return;
    while (nulls[this.#row - this.#first] === 1) this.#close(this.#size);
  }

  #close(size: number): void {
    this.#size = size;
    this.#row++;
    this.#offsets[this.#row] = size;
  }

  #grow(size: number): void {
    assertOffset(size);
    const room = Math.max(size, Math.min(2 * this.#bytes.length, 2 ** 32));
    // Rows that follow are taken to be as long as those before them.
    const whole = (size / (this.#row + 1)) * (this.#offsets.length - 1);
    this.memory.take(room, Math.max(0, memoryOfText(whole) - room));
    const wider = allocateBytes(room);
    wider.set(this.#bytes.subarray(0, this.#size));
    this.memory.give(this.#bytes.length);
    this.#bytes = wider;
  }
}

/** Decodes `count` values; those that are not wanted may become any value. */
type TextDecoder = (
  cursor: Cursor,
  count: number,
  out: TextBuilder,
  areWanted?: AreWanted | undefined,
) => void;

/** @throws Error where the encoding is not known */
export function decoderOfText(encoding: string): TextDecoder {
  switch (encoding) {
    case 'PLAIN':
      return wholePage(readPlainText);
    case 'DELTA_LENGTH_BYTE_ARRAY':
      return wholePage(readDeltaLengths);
    case 'DELTA_BYTE_ARRAY':
      return wholePage(readPrefixed);
    default:
      throw new Error(`the encoding ${encoding} cannot be read`);
  }
}

/** The decoder, which must not leave bytes of its page. */
function wholePage(decode: TextDecoder): TextDecoder {
  return (cursor, count, out, areWanted) => {
    decode(cursor, count, out, areWanted);
    const left = restOf(cursor).length;
    if (left > 0) throw new Error(`a page has ${left} bytes more than its ${count} values`);
  };
}

/** Values that are wanted, or are not, together. */
const TOGETHER = 2 ** 10;

/** Each value after its length. */
export function readPlainText(
  cursor: Cursor,
  count: number,
  out: TextBuilder,
  areWanted: AreWanted = () => true,
): void {
  const { view } = cursor;
  const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
  for (let first = 0; first < count; first += TOGETHER) {
    const last = Math.min(first + TOGETHER, count);
    const isWanted = areWanted(first, last - first);
    for (let i = first; i < last; i++) {
      const length = readUint32(cursor);
      const end = cursor.offset + length;
      if (end > bytes.length) throw tooShort();
      out.append(bytes, cursor.offset, isWanted ? end : cursor.offset);
      cursor.offset = end;
    }
  }
}

const bytesIn = ({ buffer }: Uint32Array): Uint8Array => new Uint8Array(buffer);

/** All lengths as differences, then all bytes. */
function readDeltaLengths(cursor: Cursor, count: number, out: TextBuilder): void {
  out.memory.take(4 * count);
  readParts(cursor, readLengths(cursor, count), (_, bytes, start, end) =>
    out.append(bytes, start, end),
  );
  out.memory.give(4 * count);
}

/** How long a prefix each value shares with the one before, then what follows it. */
function readPrefixed(cursor: Cursor, count: number, out: TextBuilder): void {
  out.memory.take(8 * count);
  const prefixes = readLengths(cursor, count);
  out.forgetPrefix();
  readParts(cursor, readLengths(cursor, count), (i, bytes, start, end) =>
    out.appendAfterPrefix(prefixes[i] as number, bytes, start, end),
  );
  out.memory.give(8 * count);
}

function readLengths(cursor: Cursor, count: number): Uint32Array {
  const lengths = new Uint32Array(count);
  readDelta(cursor, 4, count, bytesIn(lengths));
  return lengths;
}

function readParts(
  cursor: Cursor,
  lengths: Uint32Array,
  take: (i: number, bytes: Uint8Array, start: number, end: number) => void,
): void {
  const bytes = restOf(cursor);
  let at = 0;
  lengths.forEach((length, i) => {
    const end = at + length;
    if (end > bytes.length) throw tooShort();
    take(i, bytes, at, end);
    at = end;
  });
  cursor.offset += at;
}
