/** Columns that lie in several parts, as they do in row groups and batches. */

import { bitmapBytes, isValid, type Stored, type Values } from './column.js';
import { allocateBytes, assertOffset, takeRows } from './take.js';

/** Makes room for bytes. */
type Allocate = (size: number) => Uint8Array<ArrayBuffer>;

/**
 * Rows of several parts of a column without dictionaries, one part after the other, in new memory.
 * There is at least one part. @throws FileError if they have 4 GiB of text
 */
export function joinRows(parts: readonly Stored[], allocate: Allocate = allocateBytes): Stored {
  const rows = parts.reduce((sum, part) => sum + part.rows, 0);
  const valid = joinBits(parts, allocate);
  const [first] = parts;
  const values =
    first?.values.kind === 'variable'
      ? joinTexts(parts, rows, allocate)
      : joinFixed(parts, allocate);
  return { rows, values, valid };
}

function joinFixed(parts: readonly Stored[], allocate: Allocate): Values {
  const pieces = parts.map(({ values }) => {
    if (values.kind !== 'fixed') throw new Error('values of one width were expected');
    return values;
  });
  const bytes = allocate(pieces.reduce((sum, piece) => sum + piece.bytes.length, 0));
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece.bytes, at);
    at += piece.bytes.length;
  }
  return { kind: 'fixed', width: pieces[0]?.width as number, bytes };
}

function joinTexts(parts: readonly Stored[], rows: number, allocate: Allocate): Values {
  const joined = new Uint32Array(allocate(4 * (rows + 1)).buffer);
  const pieces: Uint8Array[] = [];
  let size = 0;
  let row = 0;
  for (const { rows: own, values } of parts) {
    if (values.kind !== 'variable') throw new Error('values of any length were expected');
    const { offsets, bytes } = values;
    // The first text of a part need not begin where the part's bytes do.
    const [start, end] = [offsets[0] as number, offsets[own] as number];
    assertOffset(size + end - start);
    for (let i = 1; i <= own; i++) joined[row + i] = (offsets[i] as number) - start + size;
    pieces.push(bytes.subarray(start, end));
    row += own;
    size += end - start;
  }
  const bytes = allocate(size);
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return { kind: 'variable', offsets: joined, bytes };
}

/** Which rows of several parts are valid; undefined if all are. */
export function joinBits(
  parts: readonly Pick<Stored, 'rows' | 'valid'>[],
  allocate: Allocate,
): Uint8Array<ArrayBuffer> | undefined {
  if (parts.every(({ valid }) => valid === undefined)) return undefined;
  const rows = parts.reduce((sum, part) => sum + part.rows, 0);
  const joined = allocate(bitmapBytes(rows));
  let row = 0;
  for (const { rows: own, valid } of parts) {
    const whole = row % 8 === 0 ? own >> 3 : 0;
    if (valid === undefined) joined.fill(0xff, row >> 3, (row >> 3) + whole);
    else joined.set(valid.subarray(0, whole), row >> 3);
    for (let i = 8 * whole; i < own; i++) {
      const to = row + i;
      if (isValid(valid, i)) (joined[to >> 3] as number) |= 1 << (to & 7);
    }
    row += own;
  }
  return joined;
}

/**
 * The rows `wanted`, in their order, of a column whose parts have `sizes` rows each. Only the parts
 * that have one of them are read: `read` gives rows of one part, which it is told in rising order,
 * without a dictionary. undefined if no row is wanted.
 */
export async function takeFromParts(
  sizes: readonly number[],
  wanted: Uint32Array,
  read: (part: number, rows: Uint32Array) => Promise<Stored>,
): Promise<Stored | undefined> {
  const byRow = Uint32Array.from(wanted.keys()).sort(
    (a, b) => (wanted[a] as number) - (wanted[b] as number),
  );
  const parts: Stored[] = [];
  // Where each row is among those of all parts.
  const places = new Uint32Array(wanted.length);
  let first = 0;
  let next = 0;
  for (const [part, size] of sizes.entries()) {
    const from = next;
    const own: number[] = [];
    for (; next < byRow.length; next++) {
      const row = (wanted[byRow[next] as number] as number) - first;
      if (row >= size) break;
      places[byRow[next] as number] = next;
      own.push(row);
    }
    if (next > from) parts.push(await read(part, Uint32Array.from(own)));
    first += size;
  }
  if (next < wanted.length) throw new Error(`it has ${first} rows, and none of the number asked`);
  return parts.length === 0 ? undefined : takeRows(joinRows(parts), places);
}
