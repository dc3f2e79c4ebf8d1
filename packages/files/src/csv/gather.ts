/** Rows of a text, put one after the other. */

import { allocateBytes } from '../stored/take.js';
import type { Lines } from './scan.js';

/** If a row has as many bytes, a call is quicker than a loop. What the call makes is garbage. */
const LONG = 128;
/** Rows that are looked up together: see below. */
const BLOCK = 64;

/** What is gathered: rows of a text, of which the last one may get an end. */
export interface Gathered extends Pick<Lines, 'bytes' | 'starts' | 'rows'> {
  /** The end that the last line gets, if it has none. */
  readonly ending: Uint8Array | undefined;
}

/** The bytes of `rows`, one after the other. */
export function gatherLines(
  { bytes, starts, rows: count, ending }: Gathered,
  rows: Uint32Array,
): Uint8Array<ArrayBuffer> {
  const last = count - 1;
  let size = ending !== undefined && rows.includes(last) ? ending.length : 0;
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i] as number;
    size += (starts[row + 1] as number) - (starts[row] as number);
  }
  const out = allocateBytes(size);
  const bounds = new Uint32Array(2 * BLOCK);
  let at = 0;
  for (let from = 0; from < rows.length; from += BLOCK) {
    const block = rows.subarray(from, from + BLOCK);
    for (let i = 0; i < block.length; i++) {
      const row = block[i] as number;
      bounds[2 * i] = starts[row] as number;
      bounds[2 * i + 1] = starts[row + 1] as number;
    }
    // The processor waits for all of these loads at once, and the copies below find their lines in
    // its cache. That is more than twice as fast.
    let seen = 0;
    for (let i = 0; i < 2 * block.length; i += 2) {
      seen ^= bytes[bounds[i] as number] as number;
      seen ^= bytes[(bounds[i + 1] as number) - 1] as number;
    }
    lastSeen = seen;
    for (let i = 0; i < block.length; i++) {
      at = copyLine(bytes, bounds[2 * i] as number, bounds[2 * i + 1] as number, out, at);
      if (ending !== undefined && block[i] === last) {
        out.set(ending, at);
        at += ending.length;
      }
    }
  }
  return out;
}

/** Copies the bytes from `start` up to `end` to `at`, and returns where the copy ends. */
function copyLine(
  bytes: Uint8Array,
  start: number,
  end: number,
  out: Uint8Array,
  at: number,
): number {
  let [from, to] = [start, at];
  if (end - start >= LONG) {
    out.set(bytes.subarray(start, end), at);
    return at + end - start;
  }
  for (; from + 8 <= end; from += 8, to += 8) {
    out[to] = bytes[from] as number;
    out[to + 1] = bytes[from + 1] as number;
    out[to + 2] = bytes[from + 2] as number;
    out[to + 3] = bytes[from + 3] as number;
    out[to + 4] = bytes[from + 4] as number;
    out[to + 5] = bytes[from + 5] as number;
    out[to + 6] = bytes[from + 6] as number;
    out[to + 7] = bytes[from + 7] as number;
  }
  while (from < end) out[to++] = bytes[from++] as number;
  return to;
}

/** @public Loads whose value is not kept would be left out. */
export let lastSeen = 0;
