/** Where the fields of a column are. */

import { CR, LF, QUOTE } from './dialect.js';
import { afterQuotes, type Lines } from './scan.js';

// Pages and Node.js have it, and the types of neither are loaded here.
declare const TextDecoder: new () => { decode(bytes: Uint8Array): string };

/** Where a row's text ends: before the end of its line. */
function endOfRow({ bytes, starts }: Lines, row: number): number {
  const start = starts[row] as number;
  const end = starts[row + 1] as number;
  if (end === start || bytes[end - 1] !== LF) return end;
  return end - 1 > start && bytes[end - 2] === CR ? end - 2 : end - 1;
}

/**
 * Writes where the fields of column `place` begin and end, in the rows from `from` up to `to`: two
 * numbers a row. Of a field in quotes that is the place after the first and that of the last.
 */
export function findFields(
  lines: Lines,
  place: number,
  from: number,
  to: number,
  bounds: Uint32Array,
): void {
  const { bytes, starts, dialect, sizes, areQuoted } = lines;
  const { delimiter } = dialect;
  // Without quotes, the last columns are found sooner from the end.
  const behind = sizes.length - 1 - place;
  const isBackwards = !areQuoted && behind < place;
  for (let row = from, i = 0; row < to; row++) {
    const last = endOfRow(lines, row);
    let start = starts[row] as number;
    let end = last;
    if (isBackwards) {
      for (let left = behind; left > 0; left--) while (bytes[--end] !== delimiter);
      const first = start;
      for (start = end; start > first && bytes[start - 1] !== delimiter; ) start--;
    } else {
      for (let left = place; left > 0; left--) {
        if (areQuoted && bytes[start] === QUOTE) start = afterQuotes(bytes, start, last);
        else while (bytes[start] !== delimiter) start++;
        start++;
      }
      if (areQuoted && start < last && bytes[start] === QUOTE) {
        end = afterQuotes(bytes, start, last) - 1;
        start++;
      } else if (behind > 0) {
        for (end = start; bytes[end] !== delimiter; ) end++;
      }
    }
    bounds[i++] = start;
    bounds[i++] = end;
  }
}

/** The fields of the first row. One pass finds all of them, because there may be millions. */
export function namesIn(lines: Lines): string[] {
  const { bytes, starts, dialect, sizes, areQuoted } = lines;
  const decoder = new TextDecoder();
  const last = endOfRow(lines, 0);
  let start = starts[0] as number;
  return sizes.map(() => {
    const from = start;
    if (areQuoted && bytes[from] === QUOTE && from < last) {
      const end = afterQuotes(bytes, from, last);
      start = end + 1;
      const name = new Uint8Array(end - from);
      return decoder.decode(name.subarray(0, copyUnquoted(bytes, from + 1, end - 1, name, 0)));
    }
    let end = from;
    while (end < last && bytes[end] !== dialect.delimiter) end++;
    start = end + 1;
    return decoder.decode(bytes.subarray(from, end));
  });
}

/**
 * Copies what is between quotes, from `from` up to `to`, to `at`, and returns where the copy ends.
 * Of two quotes one after the other one is copied.
 */
export function copyUnquoted(
  bytes: Uint8Array,
  from: number,
  to: number,
  out: Uint8Array,
  at: number,
): number {
  let next = at;
  for (let i = from; i < to; i++) {
    const byte = bytes[i] as number;
    out[next++] = byte;
    if (byte === QUOTE) i++;
  }
  return next;
}
