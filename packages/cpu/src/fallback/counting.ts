/**
 * Keys of 8 or 16 bits, undivided: counted where they lie, on the calling thread, and written anew.
 * There are so few values that no key has to be moved, so copies would take longer.
 */

import {
  assertGoesOn,
  assertUnchanged,
  bitsOf,
  checked,
  type KeyTraits,
  keyTraits,
  type RequestShape,
  readClock,
  type SortOutcome,
  type SortRequest,
  slicesOf,
  traitsOf,
  wordsToNarrowKeys,
} from '@keysweep/core';
import { BYTE_COUNTERS, countBytes, countHalves, writeValues } from '@keysweep/kernels/cpu';

/** Counting looks at every value there is, so it pays for this many keys or more, by their bits. */
const COUNTED_FROM: Readonly<Record<number, number>> = { 8: 2 ** 8, 16: 200_000 };

/** Keys between two pauses: some tenths of a millisecond. */
const STEP = 2 ** 18;

/** Whether counting on the calling thread is the quickest way to serve a request. */
export function isCountable({
  operation,
  keyTypes,
  keyBits,
  segmentCount,
  length,
}: RequestShape): boolean {
  const { bits } = keyTraits(keyTypes[0] as KeyTraits['keyType']);
  // Keys that tie by some of their bits differ in others, so they would have to be moved.
  const isWhole = operation === 'sort' && keyBits === undefined && segmentCount === 1;
  return isWhole && length >= (COUNTED_FROM[bits] ?? Number.POSITIVE_INFINITY);
}

/**
 * Serves a countable request in steps of some tenths of a millisecond. O(n + 2^bits); allocates 5
 * KiB for 8 bits, 0.4 MiB for 16. Checks after each step whether the request still stands, until
 * the first key is written; after that, all steps have to be run.
 * @throws TypeError when the array was detached or resized since the sort began. When the caller
 *   detaches or shrinks it while it is being written, it is written in part.
 */
export function* sortByCounting(request: SortRequest): Generator<undefined, SortOutcome> {
  const { shape, columns } = request;
  const [keys] = columns;
  const start = readClock();
  request.onProgress?.({ phase: 'sort', completed: 0, total: shape.length });
  const check = (): void => assertGoesOn(request);
  check();
  const traits = traitsOf(keys);
  const bits = bitsOf(keys) as Uint8Array | Uint16Array;
  const counters = yield* checked(count(bits), check);
  const end = readClock();
  request.onProgress?.({ phase: 'readback', completed: 0, total: shape.length });
  check();
  const ordered = valuesInOrder(traits, shape.order === 'descending');
  request.onCommit?.();
  const unchanged = (): void => assertUnchanged('keys', keys, shape.length);
  yield* checked(write(bits, ordered, counters), unchanged);
  return {
    permutation: undefined,
    milliseconds: { sort: end - start, readback: readClock() - end },
    passes: { run: 1, skipped: 0 },
    threads: 1,
    bound: 0,
  };
}

/** How many keys have each value. */
function* count(keys: Uint8Array | Uint16Array): Generator<undefined, Uint32Array> {
  const isBytes = keys instanceof Uint8Array;
  const counters = new Uint32Array(isBytes ? BYTE_COUNTERS : 2 ** 16);
  for (const [from, to] of slicesOf(keys.length, STEP)) {
    if (isBytes) countBytes(keys, counters, from, to);
    else countHalves(keys, counters, from, to);
    yield;
  }
  if (isBytes) {
    for (let i = 256; i < BYTE_COUNTERS; i++)
      counters[i % 256] = at(counters, i % 256) + at(counters, i);
  }
  return counters;
}

const at = (counters: Uint32Array, i: number): number => counters[i] as number;

/** The bits of every key there is, the first one first. */
function valuesInOrder(traits: KeyTraits, descending: boolean): Uint8Array | Uint16Array {
  const words = new Uint32Array(2 ** traits.bits);
  for (let word = 0; word < words.length; word++) words[word] = word;
  const bits = traits.bits === 8 ? new Uint8Array(words.length) : new Uint16Array(words.length);
  wordsToNarrowKeys(words, bits, traits);
  return descending ? bits.reverse() : bits;
}

/** Writes each of `values` as often as it was counted. */
function* write(
  keys: Uint8Array | Uint16Array,
  values: Uint8Array | Uint16Array,
  counters: Uint32Array,
): Generator<undefined, void> {
  const written = { keys: 0, values: 0 };
  for (const [, to] of slicesOf(keys.length, STEP)) {
    writeValues(keys, values, counters, written, to);
    yield;
  }
}
