/**
 * The order of a frame: an argsort by 16 bits of one column, for renderers that order depths anew
 * for each picture. Rows are counted by those bits and placed, which moves no keys. (Knuth, "The
 * Art of Computer Programming" 3, 5.2, algorithm D.) On the calling thread.
 */

import {
  bitsOf,
  emptyLike,
  type KeyArray,
  type KeyType,
  keyTraits,
  keyTypeOf,
  type Order,
  orderWords,
  pickSteps,
  runAtOnce,
  slicesOf,
} from '@keysweep/core';
import { emptyRange, type Range, widenByLows } from '../table/range.js';
import type { Rows } from './row-options.js';

/** Rows from which on counting 2^16 values is quicker than a sort. */
const FRAME_FROM = 2 ** 14;

const CODE_BITS = 16;

/** Rows between two pauses: some tenths of a millisecond. */
const STEP = 2 ** 15;

/** A column that a frame is ordered by. */
export interface FrameRequest {
  readonly keys: KeyArray;
  readonly order: Order;
  readonly rows: Rows;
}

/** Whether rows are ordered by counting: 16 bits are all there are, or all that need to decide. */
export function isFrame(keys: KeyArray, count: number, precision: number | undefined): boolean {
  const { bits } = keyTraits(keyTypeOf(keys) as KeyType);
  return count >= FRAME_FROM && (bits <= CODE_BITS || (bits === 32 && precision === CODE_BITS));
}

/** Memory of a frame, kept for the next one: 6 bytes a row, and 256 KiB. */
interface Scratch {
  readonly words: Uint32Array;
  readonly codes: Uint16Array;
  readonly cursors: Uint32Array;
}

let kept: Scratch | undefined;

/** Drops the memory that the last frame has left. */
export function releaseFrame(): void {
  kept = undefined;
}

/** The memory that the last frame has left, where it is enough, or new memory. */
function takeScratch(count: number): Scratch {
  const scratch = kept;
  kept = undefined;
  if (scratch !== undefined && scratch.words.length >= count) {
    scratch.cursors.fill(0);
    return scratch;
  }
  return {
    words: new Uint32Array(count),
    codes: new Uint16Array(count),
    cursors: new Uint32Array(2 ** CODE_BITS),
  };
}

/**
 * The order of a frame's rows, in `rows.out` where that is given. O(rows). Allocates the result
 * unless there is an `out`, and memory for more rows than the frame before had. `onPlace` is called
 * before the first row is written: what is given up later leaves `out` half written.
 */
export function* orderFrame(
  { keys, order, rows }: FrameRequest,
  onPlace: () => void,
): Generator<undefined, Uint32Array> {
  const { indices, out } = rows;
  const count = indices?.length ?? keys.length;
  const scratch = takeScratch(count);
  const { words, codes, cursors } = scratch;
  const range = yield* writeWords(keys, indices, words, count);
  const skipped = Math.max(0, 32 - Math.clz32(range.mostLow - range.leastLow) - CODE_BITS);
  const flip = order === 'ascending' ? 0 : 2 ** CODE_BITS - 1;
  for (const [from, to] of slicesOf(count, STEP)) {
    countCodes(words, range.leastLow | 0, skipped, flip, codes, cursors, from, to);
    yield;
  }
  toStarts(cursors);
  onPlace();
  // Rows that are still to be read must not be written.
  const isOwn = out === undefined || out.buffer === indices?.buffer;
  const placed = isOwn ? new Uint32Array(count) : out.subarray(0, count);
  for (const [from, to] of slicesOf(count, STEP)) {
    if (indices === undefined) placeRows(codes, cursors, placed, from, to);
    else placeIndices(codes, cursors, indices, placed, from, to);
    yield;
  }
  kept = scratch;
  return placed;
}

/** Writes the ascending words of the rows, and returns their range. */
function* writeWords(
  keys: KeyArray,
  indices: Uint32Array | undefined,
  words: Uint32Array,
  count: number,
): Generator<undefined, Range> {
  const range = emptyRange();
  const room = { lows: words, highs: words.subarray(0, 0) };
  const picked = indices && emptyLike(keys, Math.min(count, STEP));
  for (const [from, to] of slicesOf(count, STEP)) {
    let slice: KeyArray;
    if (indices === undefined) {
      slice = keys.subarray(from, to);
    } else {
      slice = (picked as KeyArray).subarray(0, to - from);
      runAtOnce(pickSteps(keys, indices.subarray(from, to), bitsOf(slice)));
    }
    const { lows } = orderWords({ keys: slice, order: 'ascending' }, room, from);
    // Keys that are their own words are not written.
    if (lows.buffer !== words.buffer) words.set(lows, from);
    widenByLows(range, words, from, to);
    yield;
  }
  return range;
}

/** Writes the leading bits of words above the least one, or their inverse, and counts them. */
function countCodes(
  words: Uint32Array,
  least: number,
  skipped: number,
  flip: number,
  codes: Uint16Array,
  counters: Uint32Array,
  from: number,
  to: number,
): void {
  for (let i = from; i < to; i++) {
    const code = (((words[i] as number) - least) >>> skipped) ^ flip;
    codes[i] = code;
    counters[code] = (counters[code] as number) + 1;
  }
}

/** Where the first row of each code goes, in place of how many there are. */
function toStarts(counters: Uint32Array): void {
  let next = 0;
  for (let code = 0; code < counters.length; code++) {
    const count = counters[code] as number;
    counters[code] = next;
    next += count;
  }
}

/**
 * Writes the numbers of rows [from, to) where the cursors of their codes say. Floor: 2 bytes read
 * and 4 written a row, most of them to lines of their own.
 */
function placeRows(
  codes: Uint16Array,
  cursors: Uint32Array,
  placed: Uint32Array,
  from: number,
  to: number,
): void {
  for (let i = from; i < to; i++) {
    const code = codes[i] as number;
    const at = cursors[code] as number;
    placed[at] = i;
    cursors[code] = at + 1;
  }
}

/** The same for the rows that `indices` name. */
function placeIndices(
  codes: Uint16Array,
  cursors: Uint32Array,
  indices: Uint32Array,
  placed: Uint32Array,
  from: number,
  to: number,
): void {
  for (let i = from; i < to; i++) {
    const code = codes[i] as number;
    const at = cursors[code] as number;
    placed[at] = indices[i] as number;
    cursors[code] = at + 1;
  }
}
