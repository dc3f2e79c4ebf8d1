/**
 * What is wrong with the result of a sort, or undefined. All functions take O(n) time and compare
 * the values of keys, as the language does. None shares code with a sort.
 */

import { bitsOf, emptyLike, type TypedArray } from '@keysweep/core';
import { compareKeys, type OracleOrder, segmentBounds, selectBits } from '@keysweep/core/oracle';

/** The first place where two arrays differ in their bits. */
export function differenceOf(actual: TypedArray, expected: TypedArray): string | undefined {
  const length = faultOfLength(actual, expected);
  if (length !== undefined) return length;
  const [bits, expectedBits] = [bitsOf(actual), bitsOf(expected)];
  for (let i = 0; i < bits.length; i++) {
    if (bits[i] === expectedBits[i]) continue;
    const at = Math.floor((i * actual.length) / bits.length);
    return `element ${at} is ${show(actual, at)} instead of ${show(expected, at)}`;
  }
  return undefined;
}

/** As `differenceOf`, but NaNs may stand in any order among themselves. Their bits still count. */
export function differenceButNaNs(actual: TypedArray, expected: TypedArray): string | undefined {
  const length = faultOfLength(actual, expected);
  if (length !== undefined) return length;
  const [found, wanted]: [string[], string[]] = [[], []];
  const [bits, expectedBits] = [bitsOf(actual), bitsOf(expected)];
  const words = bits.length / Math.max(1, actual.length);
  for (let i = 0; i < bits.length; i++) {
    if (bits[i] === expectedBits[i]) continue;
    const at = Math.floor(i / words);
    if (!(Number.isNaN(actual[at]) && Number.isNaN(expected[at]))) {
      return `element ${at} is ${show(actual, at)} instead of ${show(expected, at)}`;
    }
    found.push(show(actual, at));
    wanted.push(show(expected, at));
    i = (at + 1) * words - 1;
  }
  if (found.sort().join() === wanted.sort().join()) return undefined;
  return 'NaNs have other bits than before';
}

/** Whether `actual` is `source` in the order of `rows`: element i has the bits of row `rows[i]`. */
export function faultOfGather(
  actual: TypedArray,
  source: TypedArray,
  rows: Uint32Array,
): string | undefined {
  if (actual.length !== rows.length) {
    return `${actual.length} elements instead of ${rows.length}`;
  }
  const [bits, sourceBits] = [bitsOf(actual), bitsOf(source)];
  const words = source.BYTES_PER_ELEMENT === 8 ? 2 : 1;
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i] as number;
    for (let word = 0; word < words; word++) {
      if (bits[i * words + word] === sourceBits[row * words + word]) continue;
      return `element ${i} is ${show(actual, i)}, but row ${row} is ${show(source, row)}`;
    }
  }
  return undefined;
}

/**
 * As `faultOfGather`, but the NaNs of a segment may stand in any order among themselves, as `sort`
 * may leave them. Their bits still count.
 */
export function faultOfSort(
  sorted: TypedArray,
  keys: TypedArray,
  rows: Uint32Array,
  segments?: Uint32Array,
): string | undefined {
  const fault = faultOfGather(sorted, keys, rows);
  if (fault === undefined || sorted.length !== rows.length) return fault;
  const expected = emptyLike(keys);
  rows.forEach((row, i) => {
    bitsOf(expected.subarray(i, i + 1)).set(bitsOf(keys.subarray(row, row + 1)));
  });
  for (const [start, end] of segmentBounds(rows.length, segments)) {
    const difference = differenceButNaNs(
      sorted.subarray(start, end),
      expected.subarray(start, end),
    );
    if (difference !== undefined) return `from ${start} to ${end}: ${difference}`;
  }
  return undefined;
}

/**
 * Whether `rows` is the stable order of rows by `columns`, most significant first: within each
 * segment every row once, none behind one with a larger key, equal ones in the order of the input.
 */
export function faultOfOrder(
  columns: readonly TypedArray[],
  rows: ArrayLike<number>,
  { order, segments, keyBits }: OracleOrder = {},
): string | undefined {
  const length = columns[0]?.length ?? 0;
  if (rows.length !== length) return `${rows.length} rows instead of ${length}`;
  const sign = order === 'descending' ? -1 : 1;
  for (const [start, end] of segmentBounds(length, segments)) {
    for (let i = start; i < end; i++) {
      const row = rows[i] as number;
      if (!(row >= start && row < end)) return `row ${row} at ${i} is not of its segment`;
      // A row that comes twice is not before itself, nor are others between the two.
      if (i === start || comesBefore(rows[i - 1] as number, row)) continue;
      return `row ${rows[i - 1]} at ${i - 1} comes before row ${row}, which has to come first`;
    }
  }
  return undefined;

  function comesBefore(before: number, row: number): boolean {
    for (const column of columns) {
      const [a, b] = [column[before] as number | bigint, column[row] as number | bigint];
      const difference =
        keyBits === undefined
          ? compareKeys(a, b)
          : compareKeys(selectBits(a, keyBits), selectBits(b, keyBits));
      if (difference !== 0) return sign * difference < 0;
    }
    return before < row;
  }
}

/**
 * Whether `keys` are those of `input` in order, without a second sort: each is compared with the
 * one before, and a sum over the bits of all keys has to be the same.
 */
export function faultOfKeys(
  keys: TypedArray,
  input: TypedArray,
  { order, keyBits }: Omit<OracleOrder, 'segments'> = {},
): string | undefined {
  const length = faultOfLength(keys, input);
  if (length !== undefined) return length;
  const sign = order === 'descending' ? -1 : 1;
  for (let i = 1; i < keys.length; i++) {
    const [a, b] = [keys[i - 1] as number | bigint, keys[i] as number | bigint];
    if (sign * compareKeys(selectBits(a, keyBits), selectBits(b, keyBits)) <= 0) continue;
    return `element ${i} is ${show(keys, i)}, out of order behind ${show(keys, i - 1)}`;
  }
  if (sumOfBits(keys) === sumOfBits(input)) return undefined;
  return 'there are other keys than in the input';
}

function faultOfLength(actual: TypedArray, expected: TypedArray): string | undefined {
  const isSame =
    actual.length === expected.length && actual.BYTES_PER_ELEMENT === expected.BYTES_PER_ELEMENT;
  return isSame ? undefined : `${actual.byteLength} bytes instead of ${expected.byteLength}`;
}

/** A sum of hashes of all keys: the same in any order, another for nearly all other keys. */
function sumOfBits(keys: TypedArray): number {
  const bits = bitsOf(keys);
  const words = keys.BYTES_PER_ELEMENT === 8 ? 2 : 1;
  let sum = 0;
  for (let i = 0; i < bits.length; i += words) {
    let word = bits[i] as number;
    if (words === 2) word = Math.imul(word ^ (word >>> 16), 0x9e3779b1) ^ (bits[i + 1] as number);
    sum = (sum + Math.imul(word ^ (word >>> 15), 0x2c1b3c6d)) | 0;
  }
  return sum;
}

/** Element `at` with its bits. */
function show(array: TypedArray, at: number): string {
  const bits = Array.from(bitsOf(array.subarray(at, at + 1)), (part) => part.toString(16));
  return `${array[at]} (0x${bits.reverse().join('_')})`;
}
