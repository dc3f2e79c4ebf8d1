/**
 * Pages of memory that nothing has touched. The system hands one out when it is first written,
 * which takes longer than the write. So they are written once while there is time.
 */

import { type BitsArray, slicesOf } from '@keysweep/core';

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

/** Elements in a page of memory, of 4 KiB at least. */
const PAGE = 1024;

/** Elements between two pauses while pages are touched: about a millisecond. */
const TAKEN = 2 ** 18;

/**
 * Has the system hand out the pages of fresh memory, while other threads sort: that takes longer
 * than a copy to them.
 */
export function* touchPages(array: BitsArray): Generator<undefined, void> {
  for (const [from, to] of slicesOf(array.length, TAKEN)) {
    if (from > 0) yield;
    for (let i = from; i < to; i += PAGE) array[i] = 0;
  }
}
