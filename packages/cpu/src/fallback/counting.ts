/**
 * Keys of 8 or 16 bits, undivided: counted where they lie, on the calling thread, and written anew.
 * There are so few values that no key has to be moved, so copies would take longer.
 *
 * Rows are counted here only where there are no compiled kernels (see ../sort/counting.ts): each
 * goes where the count of its key says, or of 16 leading bits where those are to decide.
 */

import {
  assertGoesOn,
  assertUnchanged,
  bitsOf,
  checked,
  type KeyArray,
  type KeyTraits,
  keysToWords,
  keyTraits,
  keyTransform,
  type OnArrayBuffer,
  type RequestShape,
  type SortOutcome,
  type SortRequest,
  slicesOf,
  traitsOf,
  wordsToNarrowKeys,
} from '@keysweep/core';
import {
  BYTE_COUNTERS,
  countBytes,
  countHalves,
  placeRows,
  writeValues,
} from '@keysweep/kernels/cpu';

/**
 * Keys from which on counting pays, by the bits of a key: it looks at every value there is. Rows
 * take less by kernels, at all lengths, and by plain radix passes where they are few.
 */
const KEYS_FROM: Readonly<Record<number, number>> = { 8: 2 ** 8, 16: 200_000 };
const ROWS_FROM: Readonly<Record<number, number>> = { 8: 2 ** 9, 16: 2 ** 15 };

/** Keys between two pauses: some tenths of a millisecond. */
const STEP = 2 ** 18;

/** Whether counting on the calling thread is the quickest way to serve a request. */
export function isCountable(
  { operation, keyTypes, keyBits, segmentCount, length, precision }: RequestShape,
  hasKernels = true,
): boolean {
  const { bits } = keyTraits(keyTypes[0] as KeyTraits['keyType']);
  // Keys that tie by some of their bits differ in others, so they would have to be moved.
  const isWhole = keyTypes.length === 1 && keyBits === undefined && segmentCount === 1;
  if (!isWhole) return false;
  if (operation === 'sort') return length >= (KEYS_FROM[bits] ?? Number.POSITIVE_INFINITY);
  if (operation !== 'argsort' || hasKernels) return false;
  const counted = bits === 32 ? precision : bits;
  return length >= (ROWS_FROM[counted ?? bits] ?? Number.POSITIVE_INFINITY);
}

/**
 * Serves a countable request in steps of some tenths of a millisecond. O(n + 2^bits); allocates 5
 * KiB for 8 bits, 0.4 MiB for 16, and 6 bytes a row of keys of 32 bits. Checks after each step
 * whether the request still stands, until the first key is written; from then on all steps have to
 * be run.
 * @throws TypeError when the array was detached or resized since the sort began. When the caller
 *   detaches or shrinks it while it is being written, it is written in part.
 */
export function* sortByCounting(request: SortRequest): Generator<undefined, SortOutcome> {
  const { shape, columns } = request;
  const [keys] = columns;
  const start = performance.now();
  request.onProgress?.({ phase: 'sort', completed: 0, total: shape.length });
  const check = (): void => assertGoesOn(request);
  check();
  const own = traitsOf(keys);
  const isWide = own.bits === 32;
  const traits = isWide ? keyTraits('u16') : own;
  const bits = isWide
    ? yield* checked(leadingBits(keys), check)
    : (bitsOf(keys) as Uint8Array | Uint16Array);
  const counters = yield* checked(count(bits), check);
  const end = performance.now();
  request.onProgress?.({ phase: 'readback', completed: 0, total: shape.length });
  check();
  const ordered = valuesInOrder(traits, shape.order === 'descending');
  let permutation: OnArrayBuffer<Uint32Array> | undefined;
  if (shape.operation === 'argsort') {
    const { out } = request;
    permutation = (out as typeof permutation) ?? new Uint32Array(shape.length);
    const slots = joinNans(bits, traits, counters);
    if (out !== undefined) request.onCommit?.();
    const unchanged = (): void => {
      assertUnchanged('keys', keys, shape.length);
      assertUnchanged('out', permutation as Uint32Array, shape.length);
    };
    const goesOn = out === undefined ? check : unchanged;
    yield* checked(place(slots, toCursors(counters, ordered), permutation), goesOn);
  } else {
    request.onCommit?.();
    const unchanged = (): void => assertUnchanged('keys', keys, shape.length);
    yield* checked(write(bits, ordered, counters), unchanged);
  }
  return {
    permutation,
    milliseconds: { sort: end - start, readback: performance.now() - end },
    passes: { run: 1, skipped: 0 },
    threads: 1,
    bound: 0,
  };
}

/** The 16 leading bits of the range that the words of keys of 32 bits lie in. */
function* leadingBits(keys: KeyArray): Generator<undefined, Uint16Array> {
  const words = new Uint32Array(keys.length);
  const traits = traitsOf(keys);
  const ceiling = Number(keyTransform(traits.keyType).ceiling);
  let [least, most] = [2 ** 32 - 1, 0];
  for (const [from, to] of slicesOf(keys.length, STEP)) {
    words.set(keysToWords(keys.subarray(from, to), traits), from);
    for (let i = from; i < to; i++) {
      // All NaNs are ties.
      const word = Math.min(words[i] as number, ceiling);
      words[i] = word;
      least = Math.min(least, word);
      most = Math.max(most, word);
    }
    yield;
  }
  const skipped = Math.max(0, 16 - Math.clz32(most - least));
  const leading = new Uint16Array(keys.length);
  for (const [from, to] of slicesOf(keys.length, STEP)) {
    for (let i = from; i < to; i++) leading[i] = ((words[i] as number) - least) >>> skipped;
    yield;
  }
  return leading;
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

/**
 * Keys in which all NaNs are one value, for they are ties; the counters follow. The keys themselves
 * where none is a NaN. O(2^16 + n).
 */
function joinNans(
  keys: Uint8Array | Uint16Array,
  { kind, bits }: KeyTraits,
  counters: Uint32Array,
): Uint8Array | Uint16Array {
  if (kind !== 'float') return keys;
  const [sign, infinity] = [2 ** (bits - 1), HALF_INFINITY];
  const isNan = (key: number): boolean => (key & (sign - 1)) > infinity;
  let nans = 0;
  for (let key = 0; key < counters.length; key++) {
    if (!isNan(key)) continue;
    nans += at(counters, key);
    counters[key] = 0;
  }
  if (nans === 0) return keys;
  counters[ANY_NAN] = nans;
  return keys.map((key) => (isNan(key) ? ANY_NAN : key));
}

/** The bits of a half float's infinity, and of one of its NaNs. */
const HALF_INFINITY = 0x7c00;
const ANY_NAN = 0x7e00;

/** Where the first row of each value goes, in place of how many there are. */
function toCursors(counters: Uint32Array, ordered: Uint8Array | Uint16Array): Uint32Array {
  let next = 0;
  for (let i = 0; i < ordered.length; i++) {
    const value = ordered[i] as number;
    const count = at(counters, value);
    counters[value] = next;
    next += count;
  }
  return counters;
}

/** Writes the rows' numbers in the order of their keys, those of equal keys as they come. */
function* place(
  keys: Uint8Array | Uint16Array,
  cursors: Uint32Array,
  permutation: Uint32Array,
): Generator<undefined, void> {
  for (const [from, to] of slicesOf(keys.length, STEP)) {
    placeRows(keys.subarray(from, to), cursors, permutation, from, to);
    yield;
  }
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
