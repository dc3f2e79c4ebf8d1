/** Segments as one more column of keys: the number of the segment that each row is in. */

import type { OnArrayBuffer } from './elements.js';

/** Rows, and segments without any, between two pauses: a fraction of a millisecond of work. */
const STEP = 2 ** 14;

/**
 * The number of the segment that each of `length` keys is in, in steps of at most 2^14 keys.
 * O(length); allocates 4 bytes a key.
 */
export function* segmentNumberSteps(
  starts: Uint32Array,
  length: number,
): Generator<undefined, OnArrayBuffer<Uint32Array>> {
  const numbers = new Uint32Array(length);
  let room = STEP;
  for (let i = 0; i < starts.length; i++) {
    const end = starts[i + 1] ?? length;
    let at = starts[i] as number;
    do {
      const to = Math.min(end, at + room);
      numbers.fill(i, at, to);
      // A segment without keys takes time, too.
      room -= Math.max(1, to - at);
      at = to;
      if (room > 0) continue;
      yield;
      room = STEP;
    } while (at < end);
  }
  return numbers;
}
