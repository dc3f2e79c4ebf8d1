/**
 * The twins of the kernels in kernels/wgsl/segments that need no subgroups: bounds.wgsl,
 * groups.wgsl, long-offsets.wgsl, long-keys.wgsl and long-moves.wgsl.
 */

import { clampWord, type KeyOrder, wordOf } from '../order.js';

/** Where segments begin, cut where `room` ends or `maxCount` keys; empty ones up to `lines`. */
export function bounds(
  places: readonly number[],
  room: number,
  maxCount: number,
  lines: number,
): number[] {
  const first = Math.min(places[0] as number, room);
  const end = Math.min(room, first + maxCount);
  return Array.from({ length: lines }, (_, i) =>
    Math.min(Math.max((places[i] ?? places.at(-1)) as number, first), end),
  );
}

/** Lengths of long segments, 0 of others. */
const longLengths = (known: readonly number[], tile: number): number[] =>
  known.map((bound, i) => {
    const length = (known[i + 1] ?? bound) - bound;
    return length > tile ? length : 0;
  });

/** Keys of long segments before each segment, and of all. */
export function longOffsets(known: readonly number[], tile: number): number[] {
  let sum = 0;
  return longLengths(known, tile).map((length) => {
    sum += length;
    return sum - length;
  });
}

/** The places of the keys of long segments, and the number of the segment of each. */
export const longPlaces = (
  known: readonly number[],
  tile: number,
): readonly { readonly place: number; readonly segment: number }[] =>
  longLengths(known, tile).flatMap((length, segment) =>
    Array.from({ length }, (_, i) => ({ place: (known[segment] as number) + i, segment })),
  );

/** What long segments are sorted by: the bits that decide of their keys. */
export const takeKeys = (
  keys: readonly bigint[],
  places: readonly number[],
  order: KeyOrder,
): bigint[] =>
  places.map((place) => clampWord(wordOf(keys[place] as bigint, order), order) & order.mask);

/** Segments [firstSegment, endSegment), keys [first, end), which a workgroup sorts. */
export type Group = readonly [first: number, end: number, firstSegment: number, endSegment: number];

const NONE: Group = [0, 0, 0, 0];

/** Two groups for each of `count` windows of `window` keys. */
export function groups(
  known: readonly number[],
  tile: number,
  window: number,
  count: number,
): readonly Group[] {
  const [first, end] = [known[0] as number, known.at(-1) as number];
  const firstFrom = (place: number): number => known.findIndex((bound) => bound >= place);
  const groupOf = (segment: number, last: number): Group => {
    const [from, to] = [known[segment] as number, known[last] as number];
    return to - from > tile ? NONE : [from, to, segment, last];
  };
  return Array.from({ length: count }, (_, i) => {
    const from = firstFrom(Math.min(first + i * window, end));
    const next = firstFrom(Math.min(first + (i + 1) * window, end));
    if (from >= next) return [NONE, NONE];
    if ((known[next] as number) - (known[from] as number) <= tile)
      return [groupOf(from, next), NONE];
    return [groupOf(from, next - 1), groupOf(next - 1, next)];
  }).flat();
}
