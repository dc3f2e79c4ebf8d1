/** Counts lines without holding them. */

import type { ByteSource } from '../source.js';
import { LF } from './dialect.js';

/** Bytes that are read at a time. */
const STEP = 4 << 20;

/**
 * How many line ends `source` has: no text has more rows than that and one more. It reads all of
 * it, in a few megabytes of memory.
 */
export async function countLineEnds({ size, read }: ByteSource): Promise<number> {
  let ends = 0;
  for (let from = 0; from < size; from += STEP) {
    const piece = await read(from, Math.min(from + STEP, size));
    for (let i = 0; i < piece.length; i++) if (piece[i] === LF) ends++;
  }
  return ends;
}
