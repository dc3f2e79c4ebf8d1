/** Some rows of a column, chosen by a bit each: see SortRequest. */

import type { SortOutcome, SortRequest } from '../contract.js';
import { bitsOf, emptyLike } from '../elements.js';
import { assertUnchanged } from '../intrinsics.js';
import { pickSteps } from '../permutation.js';
import type { ChosenRows } from '../rows.js';
import { checked, pauses, runInSlices, slicesOf } from './slices.js';

/** Words between two pauses: some tenths of a millisecond at most. */
const WORDS = 2 ** 11;

/** Rows between two pauses. */
const ROWS = 2 ** 16;

/** Writes the rows with this bit to `places`, which has room for them, ascending. */
export function* listRows(
  { words }: ChosenRows,
  bit: 0 | 1,
  places: Uint32Array,
): Generator<undefined, void> {
  let listed = 0;
  for (const [from, to] of slicesOf(words.length, WORDS)) {
    listed = listIn(words, bit - 1, from, to, places, listed);
    yield;
  }
}

// Each loop is a function of its own, because engines compile generators less well.

/**
 * Writes the places of ones in words [from, to), or of zeros if `flip` is −1, from `next` on.
 * Returns where they end. For zeros after the last row there is no room.
 */
function listIn(
  words: Int32Array,
  flip: number,
  from: number,
  to: number,
  places: Uint32Array,
  next: number,
): number {
  let end = next;
  for (let at = from; at < to; at++) {
    const last = 32 * at + 31;
    let bits = (words[at] as number) ^ flip;
    while (bits !== 0) {
      const lowest = bits & -bits;
      places[end] = last - Math.clz32(lowest);
      bits ^= lowest;
      end = (end + 1) | 0;
    }
  }
  return end;
}

/** How many bits of words [from, to) are 1. */
export function countOnes(words: Int32Array, from: number, to: number): number {
  let ones = 0;
  for (let at = from; at < to; at++) {
    // Sums of 2, 4 and 8 bits side by side.
    const word = words[at] as number;
    const pairs = word - ((word >>> 1) & 0x5555_5555);
    const fours = (pairs & 0x3333_3333) + ((pairs >>> 2) & 0x3333_3333);
    const bytes = (fours + (fours >>> 4)) & 0x0f0f_0f0f;
    ones += Math.imul(bytes, 0x0101_0101) >>> 24;
  }
  return ones;
}

/** A request that sorts the chosen keys, in place of one with a choice. */
export interface Unchosen {
  /** The request without its choice: it has only the keys of chosen rows. */
  readonly request: SortRequest;
  /** The row that each of its keys comes from; undefined where all rows are chosen. */
  readonly rows: Uint32Array | undefined;
}

/**
 * Copies the keys that are chosen, so that they can be sorted without a choice.
 * @throws TypeError if the caller's keys are detached or resized between two steps.
 */
export function* copyChosen(request: SortRequest): Generator<undefined, Unchosen> {
  const { chosen, columns, shape } = request;
  if (chosen === undefined) return { request, rows: undefined };
  const [keys] = columns;
  const rows = new Uint32Array(shape.length);
  const check = (): void => assertUnchanged('keys', keys, chosen.rows);
  yield* checked(listRows(chosen, 1, rows), check);
  const copy = emptyLike(keys, shape.length);
  yield* checked(pickSteps(keys, rows, bitsOf(copy)), check);
  return { request: { ...request, columns: [copy], chosen: undefined }, rows };
}

/** Turns indices of the copied keys into rows. */
export function* rowsChosen(
  indices: Uint32Array,
  { rows }: Unchosen,
): Generator<undefined, Uint32Array> {
  if (rows === undefined) return indices;
  for (const [from, to] of slicesOf(indices.length, ROWS)) {
    for (let i = from; i < to; i++) indices[i] = rows[indices[i] as number] as number;
    yield;
  }
  return indices;
}

/** Has `sort`, which sorts all rows, serve a request that may have a choice. */
export async function sortChosen(
  given: SortRequest,
  sort: (request: SortRequest) => Promise<SortOutcome>,
): Promise<SortOutcome> {
  if (given.chosen === undefined) return sort(given);
  const all = await runInSlices(copyChosen(given), pauses());
  const outcome = await sort(all.request);
  await runInSlices(rowsChosen(outcome.permutation as Uint32Array, all), pauses());
  return outcome;
}
