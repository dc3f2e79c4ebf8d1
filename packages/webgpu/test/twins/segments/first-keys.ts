/** The twins of kernels/wgsl/segments/cut-rows.wgsl and first-keys.wgsl. */

import { clampWord, type KeyOrder, type Records, wordOf } from '../order.js';
import type { Segment } from './marks.js';

/** The parts of rows that are longer than `part` keys, and those rows. */
export function cutRows(
  rows: readonly Segment[],
  part: number,
): { readonly parts: Segment[]; readonly longs: Segment[] } {
  const longs = rows.filter(({ count }) => count > part);
  const parts = longs.flatMap(({ first, count }) =>
    Array.from({ length: Math.ceil(count / part) }, (_, i) => ({
      first: first + i * part,
      count: Math.min(part, count - i * part),
    })),
  );
  return { parts, longs };
}

/**
 * The records of `row` with the first `wanted` of the keys at `candidates`, places that ascend, at
 * the first of these places. What was there goes where those come from, which leaves each of the
 * others where it was: key at place p follows the way from p to the place whose key p gets.
 */
export function firstKeys(
  { keys, values }: Records,
  candidates: readonly number[],
  wanted: number,
  order: KeyOrder,
): Records {
  const wordAt = (place: number): bigint =>
    clampWord(wordOf(keys[place] as bigint, order), order) & order.mask;
  const chosen = [...candidates]
    .sort((a, b) => {
      const [one, other] = [wordAt(a), wordAt(b)];
      return one < other ? -1 : one > other ? 1 : a - b;
    })
    .slice(0, wanted);
  const result: Records = { keys: [...keys], values: [...values] };
  const move = (from: number, to: number): void => {
    result.keys[to] = keys[from] as bigint;
    result.values[to] = values[from] as bigint;
  };
  const front = candidates.slice(0, chosen.length);
  const sourceOf = new Map(front.map((place, i) => [place, chosen[i] as number]));
  for (const [place, source] of sourceOf) {
    move(source, place);
    if (chosen.includes(place)) continue;
    let free = source;
    for (let next = sourceOf.get(free); next !== undefined; next = sourceOf.get(free)) free = next;
    move(place, free);
  }
  return result;
}
