/** The twin of kernels/wgsl/segments/marks.wgsl, and what the stages after it take from it. */

/** Keys [first, first + count), a segment. */
export interface Segment {
  readonly first: number;
  readonly count: number;
}

/** Most keys of a segment that each kind of sort takes. */
export interface Kinds {
  readonly short: number;
  readonly single: number;
  readonly fewer: number;
  readonly tile: number;
}

/** What is known of segments. */
export interface Marks {
  /** The first place of all, and the end. */
  readonly first: number;
  readonly end: number;
  /** Where those begin that are not empty. */
  readonly starts: readonly number[];
  readonly singles: readonly Segment[];
  readonly fewer: readonly Segment[];
  readonly more: readonly Segment[];
  readonly longs: readonly Segment[];
}

/**
 * Segments whose `places` ascend, cut where `room` ends, or `maxCount` keys. None is on two lists.
 */
export function marks(
  places: readonly number[],
  room: number,
  maxCount: number,
  { short, single, fewer, tile }: Kinds,
): Marks {
  const first = Math.min(places[0] as number, room);
  const limit = Math.min(room, first + maxCount);
  const cut = (place: number): number => Math.min(Math.max(place, first), limit);
  const segments = places.slice(1).flatMap((place, i) => {
    const start = cut(places[i] as number);
    const count = cut(place) - start;
    return count > 0 ? [{ first: start, count }] : [];
  });
  const between = (least: number, most: number): Segment[] =>
    segments.filter(({ count }) => count > least && count <= most);
  return {
    first,
    end: cut(places.at(-1) as number),
    starts: segments.map((segment) => segment.first),
    singles: between(short, single),
    fewer: between(single, fewer),
    more: between(Math.max(single, fewer), tile),
    longs: between(Math.max(single, tile), Number.POSITIVE_INFINITY),
  };
}
