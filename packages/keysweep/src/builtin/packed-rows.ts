/**
 * The order of rows by the runtime's own sort of integers, without a comparator: each row's key and
 * its number become one integer of 64 bits, the number in the lower half, so that ties keep their
 * order. Of keys of 64 bits the upper half is packed, and rows that tie in it are sorted once more.
 */

import {
  bufferOf,
  byteOffsetOf,
  identity,
  type KeyArray,
  lengthOf,
  type Order,
  sortArray,
  subarrayOf,
  traitsOf,
} from '@keysweep/core';
import { PACKED_MOST } from '../plan/packed.js';
import { forEachSegment } from './builtin-keys.js';

/** Fewer rows are sorted sooner by a comparator. */
const PACKED_FROM = 96;

/** Whether this is the quickest way for the runtime's own sort to order this many rows. */
export const isPacked = (length: number): boolean => length >= PACKED_FROM && length <= PACKED_MOST;

/** How the upper half of a key becomes a signed number in key order. */
interface Halves {
  /** The keys' bits as numbers of 32 bits at most; `step` of them are a key. */
  readonly words: Uint8Array | Int8Array | Uint16Array | Int16Array | Int32Array;
  readonly step: number;
  /** What a set sign inverts. */
  readonly mask: number;
  /** What is inverted in any case. */
  readonly flip: number;
  /** The upper half of infinity, which NaNs are not below; of integers above all. */
  readonly infinity: number;
}

function halvesOf(keys: KeyArray): Halves {
  const { kind, bits } = traitsOf(keys);
  const [buffer, at, length] = [bufferOf(keys), byteOffsetOf(keys), lengthOf(keys)];
  const isFloat = kind === 'float';
  const mask = isFloat ? 2 ** (Math.min(bits, 32) - 1) - 1 : 0;
  const infinity = isFloat ? (INFINITIES[bits] as number) : 1;
  if (bits <= 16) {
    const words = isFloat ? new Int16Array(buffer, at, length) : (keys as Uint16Array);
    return { words, step: 1, mask, flip: 0, infinity };
  }
  const step = bits / 32;
  const flip = kind === 'unsigned' ? -1 << 31 : 0;
  return { words: new Int32Array(buffer, at, step * length), step, mask, flip, infinity };
}

/** The upper half of infinity by a float's bits. */
const INFINITIES: Readonly<Record<number, number>> = {
  16: 0x7c00,
  32: 0x7f800000,
  64: 0x7ff00000,
};

/** The place of all NaNs, whatever their bits. */
const LAST = 0x7fffffff;

/**
 * The stable order of the rows of each segment by one key. O(n log n). Takes 8 bytes a row beside
 * the result.
 */
export function packedOrder(
  keys: KeyArray,
  order: Order,
  segments: Uint32Array | undefined,
): Uint32Array<ArrayBuffer> {
  const length = lengthOf(keys);
  const { words, step, mask, flip, infinity } = halvesOf(keys);
  const inverted = order === 'descending' ? -1 : 0;
  const last = LAST ^ inverted;
  const pairs = new Int32Array(2 * length);
  // Few loops, because loops of a first sort are interpreted.
  for (let i = 0, at = step - 1; i < length; i++, at += step) {
    const word = words[at] as number;
    const isLast = (word & mask) >= infinity && Number.isNaN(keys[i]);
    pairs[2 * i] = i;
    pairs[2 * i + 1] = isLast ? last : word ^ ((word >> 31) & mask) ^ flip ^ inverted;
  }
  const packed = new BigInt64Array(pairs.buffer);
  // A segment of one row is in order.
  const rows = segments === undefined ? new Uint32Array(length) : identity(length);
  forEachSegment(length, segments, (start, end) => {
    sortArray(subarrayOf(packed, start, end));
    let first = start;
    let tie = pairs[2 * start + 1];
    for (let i = start; i < end; i++) {
      rows[i] = pairs[2 * i] as number;
      if (pairs[2 * i + 1] === tie) continue;
      if (i - first > 1) sortTies(first, i);
      first = i;
      tie = pairs[2 * i + 1];
    }
    if (end - first > 1) sortTies(first, end);
  });
  return rows;

  /** Sorts places whose upper halves tie, and whose rows ascend, by their lower halves. */
  function sortTies(start: number, end: number): void {
    if (step === 1 || (mask !== 0 && pairs[2 * start + 1] === last)) return;
    const sign = mask === 0 ? 0 : (words[2 * (rows[start] as number) + 1] as number) >> 31;
    const flips = (-1 << 31) ^ sign ^ inverted;
    for (let i = start; i < end; i++) {
      pairs[2 * i + 1] = (words[2 * (rows[i] as number)] as number) ^ flips;
    }
    sortArray(subarrayOf(packed, start, end));
    for (let i = start; i < end; i++) rows[i] = pairs[2 * i] as number;
  }
}
