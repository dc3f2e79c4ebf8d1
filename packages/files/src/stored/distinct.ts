/** Text in which few values come again and again. */

import type { DictionaryValues, VariableValues } from './column.js';
import { takeRows } from './take.js';

/** Most values that are worth a dictionary. */
const MOST = 2 ** 14;
/** Places of the table that finds them, a power of two. */
const SLOTS = 4 * MOST;
/** Looks at the table for one value: somebody may have made values that all look for one place. */
const LOOKS = 64;

/**
 * The values as places in a dictionary, in the order in which they come first, or undefined where
 * there are more than 16,384. Takes 4 bytes a row. O(bytes); it gives up at the first value that is
 * too many.
 */
export function distinctOf(texts: VariableValues): DictionaryValues | undefined {
  const { offsets, bytes } = texts;
  const rows = offsets.length - 1;
  const places = new Uint32Array(rows);
  /** The number of an entry, plus 1, or 0 where there is none. */
  const slots = new Uint16Array(SLOTS);
  /** The first row of each entry. */
  const firsts = new Uint32Array(MOST);
  let entries = 0;
  for (let row = 0; row < rows; row++) {
    const start = offsets[row] as number;
    const end = offsets[row + 1] as number;
    let hash = end - start;
    for (let at = start; at < end; at++) hash = Math.imul(hash ^ (bytes[at] as number), 0x01000193);
    let slot = (hash ^ (hash >>> 15)) & (SLOTS - 1);
    let looks = 0;
    for (; slots[slot] !== 0; slot = (slot + 1) & (SLOTS - 1)) {
      const first = firsts[(slots[slot] as number) - 1] as number;
      if (isSame(bytes, start, end, offsets[first] as number, offsets[first + 1] as number)) break;
      if (++looks === LOOKS) return undefined;
    }
    if (slots[slot] === 0) {
      if (entries === MOST) return undefined;
      firsts[entries++] = row;
      slots[slot] = entries;
    }
    places[row] = (slots[slot] as number) - 1;
  }
  return {
    kind: 'dictionary',
    places: { kind: 'fixed', width: 4, bytes: new Uint8Array(places.buffer) },
    arePlacesSigned: false,
    entries: takeRows({ rows, values: texts, valid: undefined }, firsts.subarray(0, entries)),
  };
}

function isSame(bytes: Uint8Array, a: number, endOfA: number, b: number, endOfB: number): boolean {
  if (endOfA - a !== endOfB - b) return false;
  for (let i = a, j = b; i < endOfA; i++, j++) if (bytes[i] !== bytes[j]) return false;
  return true;
}
