/**
 * Pages of memory that nothing has touched. The system hands one out when it is first written,
 * which takes longer than the write. So they are written once while there is time.
 */

import { slicesOf } from '@keysweep/core';

/** Bytes [from, to) of an arena. */
export interface ByteRange {
  readonly from: number;
  readonly to: number;
}

/** Bytes between two pauses: a millisecond at most where the memory is fresh. */
const TOUCHED = 2 ** 20;

/** Has the system hand out pages. */
export function* touchSteps(
  memory: WebAssembly.Memory,
  { from, to }: ByteRange,
): Generator<undefined, void> {
  const bytes = new Uint8Array(memory.buffer, from, to - from);
  for (const [first, end] of slicesOf(bytes.length, TOUCHED)) {
    bytes.fill(0, first, end);
    yield;
  }
}

/** The stretch of pages that a thread touches. */
export function stretchOf({ from, to }: ByteRange, thread: number, threads: number): ByteRange {
  const at = (thread: number): number => from + Math.floor(((to - from) * thread) / threads);
  return { from: at(thread), to: at(thread + 1) };
}
