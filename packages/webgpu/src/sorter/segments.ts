/** Segments that are short enough for one workgroup to sort several. */

/** Words of a `Group` in kernels/wgsl/workgroup-sort.wgsl: first key, end, first segment, end. */
const GROUP_WORDS = 4;

/**
 * Neighbouring segments in groups of at most `tile` keys, four words a group; undefined where a segment alone is
 * longer. Groups of fewer than two keys, in which nothing is to be sorted, are left out. O(segments).
 */
export function groupSegments(
  starts: Uint32Array,
  length: number,
  tile: number,
): Uint32Array<ArrayBuffer> | undefined {
  const groups: number[] = [];
  let first = 0;
  let firstSegment = 0;
  for (let segment = 0; segment < starts.length; segment++) {
    const start = starts[segment] as number;
    const end = starts[segment + 1] ?? length;
    if (end - start > tile) return undefined;
    if (end - first > tile) {
      if (start - first > 1) groups.push(first, start, firstSegment, segment);
      first = start;
      firstSegment = segment;
    }
  }
  if (length - first > 1) groups.push(first, length, firstSegment, starts.length);
  return Uint32Array.from({ length: groups.length }, (_, i) => groups[i] as number);
}

/** Groups in what `groupSegments` returned. */
export const groupCountOf = (groups: Uint32Array): number => groups.length / GROUP_WORDS;

/** The number of the segment that each key is in. O(length), 4 bytes a key. */
export function segmentNumbers(starts: Uint32Array, length: number): Uint32Array<ArrayBuffer> {
  const numbers = new Uint32Array(length);
  for (let i = 0; i < starts.length; i++) numbers.fill(i, starts[i], starts[i + 1] ?? length);
  return numbers;
}
