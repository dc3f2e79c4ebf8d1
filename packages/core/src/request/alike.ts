/** Rows that are sorted as if they had the key of another one: see SortRequest. */

import type { SortRequest } from '../contract.js';
import { bitsOf, emptyLike } from '../elements.js';
import { copySteps, slicesOf } from './slices.js';

/** Rows between two pauses: some tenths of a millisecond at most. */
const SLICE = 2 ** 18;

/**
 * Gives rows that are alike the key they are to have: from the one at `next` of all such rows, up
 * to row `end`. `target` has a copy of the words of `source`, `width` a key. Returns where the next
 * of these rows stands.
 */
export function writeAlike(
  { rows, like }: NonNullable<SortRequest['alike']>,
  target: { [i: number]: number },
  source: { readonly [i: number]: number },
  width: number,
  end: number,
  next: number,
): number {
  const low = source[width * like] as number;
  const high = source[width * like + width - 1] as number;
  let at = next;
  for (; at < rows.length && (rows[at] as number) < end; at++) {
    const first = width * (rows[at] as number);
    target[first] = low;
    target[first + width - 1] = high;
  }
  return at;
}

/** The same request, with a copy of its keys in place of the caller's if some are alike. */
export function* keysAlike(request: SortRequest): Generator<undefined, SortRequest> {
  const { alike, columns } = request;
  if (alike === undefined) return request;
  const [keys] = columns;
  const copy = emptyLike(keys);
  const bits = bitsOf(copy);
  yield* copySteps(bits, bitsOf(keys));
  const width = bits.length / keys.length;
  let next = 0;
  for (const [, end] of slicesOf(keys.length, SLICE)) {
    next = writeAlike(alike, bits, bits, width, end, next);
    yield;
  }
  return { ...request, columns: [copy], alike: undefined };
}
