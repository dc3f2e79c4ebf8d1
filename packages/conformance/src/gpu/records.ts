/** Keys and values in GPU buffers, and what was in them before they were sorted. */

import type { KeyBits, Order, TypedArray } from '@keysweep/core';
import { bitsOf, copyOf } from '@keysweep/core';
import { oraclePermutation } from '@keysweep/core/oracle';
import { ORACLE_UP_TO } from '../request/verify.js';
import { assertNoFault, assertSameBits } from '../verify/asserts.js';
import { faultOfGather, faultOfKeys, faultOfOrder, faultOfSort } from '../verify/faults.js';
import type { Bench } from './bench.js';
import { placesOf } from './places.js';
import type { GpuSortArguments, RecordType } from './subject.js';

/** Sets bits of every byte of a value, so that one that is cut short shows. */
const MARK = 0xa55a5aa5;

/** Records that a sort was to put in order: [offset, offset + count). */
export interface Part {
  readonly offset: number;
  readonly count: number;
  readonly order?: Order | undefined;
  readonly keyBits?: KeyBits | undefined;
  /** So many are in order at the front, the others behind them in any order; absent: all. */
  readonly first?: number | undefined;
}

export class Records {
  readonly keys: GPUBuffer;
  /** Made of each record's index; where the sorter writes the index, they are not that. */
  readonly values: GPUBuffer | undefined;
  readonly #bench: Bench;
  readonly #before: TypedArray;
  readonly #valuesBefore: Uint32Array;
  readonly #valueWords: number;
  readonly #hasIndices: boolean;

  constructor(bench: Bench, { valueType }: RecordType, keys: TypedArray) {
    this.#bench = bench;
    this.#before = copyOf(keys);
    const words = valueType === undefined ? 0 : valueType === 'u64' ? 2 : 1;
    this.#valueWords = words;
    this.#hasIndices = valueType === 'index';
    this.#valuesBefore = Uint32Array.from({ length: keys.length * words }, (_, i) =>
      words === 1 ? i ^ MARK : (i >> 1) ^ (i % 2 === 0 ? MARK : ~MARK),
    );
    this.keys = bench.buffer(bitsOf(keys) as Uint32Array);
    this.values = words === 0 ? undefined : bench.buffer(this.#valuesBefore);
  }

  /** The arguments of a sort of these records. */
  args(count: GpuSortArguments['count'], offset?: number): GpuSortArguments {
    const { keys, values } = this;
    return { keys, ...(values && { values }), count, ...(offset !== undefined && { offset }) };
  }

  /**
   * What the buffers hold now, the values as indices of the records that they came with.
   * @throws Error when a value is none that was there.
   */
  async read(what: string): Promise<{ keys: TypedArray; indices: Uint32Array | undefined }> {
    const bench = this.#bench;
    const { length } = this.#before;
    const bits = await bench.read(this.keys);
    // A buffer holds at least a word.
    const keys = copyOf(this.#before);
    (bitsOf(keys) as Uint32Array).set(bits.subarray(0, bitsOf(keys).length));
    if (this.values === undefined) return { keys, indices: undefined };
    const words = this.#valueWords;
    const values = await bench.read(this.values);
    const indices = Uint32Array.from({ length }, (_, i) => (values[i * words] as number) ^ MARK);
    const torn =
      words === 2 ? indices.findIndex((at, i) => values[2 * i + 1] !== ~(at ^ MARK) >>> 0) : -1;
    if (torn >= 0) throw new Error(`${what}: the words of value ${torn} do not belong together`);
    return { keys, indices };
  }

  /**
   * Throws unless each of `parts`, first one first, was sorted stably, and nothing else was
   * changed.
   */
  async verify(what: string, parts: readonly Part[]): Promise<void> {
    const { keys, indices } = await this.read(what);
    const before = this.#before;
    const untouched = (start: number, end: number): void => {
      const where = `${what}: records from ${start} to ${end}, which are not to be sorted`;
      assertSameBits(`${where}: keys`, keys.subarray(start, end), before.subarray(start, end));
      const wrong =
        indices?.subarray(start, end).findIndex((index, i) => index !== start + i) ?? -1;
      if (wrong >= 0) throw new Error(`${where}: value ${start + wrong} was changed`);
    };
    // What the sorter has written is no mark of ours.
    const written = this.#hasIndices ? MARK : 0;
    let end = 0;
    for (const part of parts) {
      const { offset, count } = part;
      untouched(end, offset);
      end = offset + count;
      const assert = part.first === undefined ? assertSorted : assertFirst;
      assert(
        what,
        keys.subarray(offset, end),
        before.subarray(offset, end),
        indices?.subarray(offset, end).map((index) => ((index ^ written) >>> 0) - offset),
        part,
        this.#hasIndices,
      );
    }
    untouched(end, before.length);
  }
}

function assertSorted(
  what: string,
  sorted: TypedArray,
  before: TypedArray,
  permutation: Uint32Array | undefined,
  { order, keyBits }: Part,
): void {
  const variation = { ...(order && { order }), keyBits };
  const deciding = keyBits === undefined ? before : placesOf(before);
  if (permutation !== undefined) {
    assertNoFault(what, faultOfOrder([deciding], permutation, variation));
    assertNoFault(`${what}: keys`, faultOfGather(sorted, before, permutation));
  }
  if (before.length <= ORACLE_UP_TO || keyBits !== undefined) {
    const expected = oraclePermutation([deciding], variation);
    if (permutation !== undefined) assertSameBits(`${what}: values`, permutation, expected);
    else if (keyBits !== undefined) assertNoFault(what, faultOfGather(sorted, before, expected));
    else assertNoFault(what, faultOfSort(sorted, before, expected));
  } else if (permutation === undefined) {
    assertNoFault(what, faultOfKeys(sorted, before, { order }));
  }
}

/** Of `sorted` the first keys are in order, and all are there, with their values. */
function assertFirst(
  what: string,
  sorted: TypedArray,
  before: TypedArray,
  permutation: Uint32Array | undefined,
  { first = 0, order, keyBits }: Part,
  hasIndices: boolean,
): void {
  const deciding = keyBits === undefined ? before : placesOf(before);
  const expected = oraclePermutation([deciding], { ...(order && { order }), keyBits });
  const front = expected.subarray(0, first);
  const [name, { length }] = [`${what}: the first ${first} of ${before.length}`, front];
  // Values tell ties apart; without them, NaNs that are ties may be any of them.
  if (permutation !== undefined) {
    assertSameBits(`${name}, values`, permutation.subarray(0, length), front);
    assertNoFault(name, faultOfGather(sorted.subarray(0, length), before, front));
  }
  if (permutation !== undefined && !hasIndices) {
    const all = permutation.slice().sort();
    assertSameBits(
      `${name}, all values`,
      all,
      all.map((_, i) => i),
    );
    assertNoFault(`${name}, all keys`, faultOfGather(sorted, before, permutation));
  } else {
    assertNoFault(name, faultOfGather(sorted.subarray(0, length), before, front));
    assertSameBits(`${name}, all keys`, inOrderOfBits(sorted), inOrderOfBits(before));
  }
}

/** The bits of keys, from small to large. */
function inOrderOfBits(keys: TypedArray): TypedArray {
  const bits = bitsOf(copyOf(keys)) as Uint32Array;
  if (keys.BYTES_PER_ELEMENT !== 8) return bits.sort();
  return new BigUint64Array(bits.buffer as ArrayBuffer, bits.byteOffset, keys.length).sort();
}
