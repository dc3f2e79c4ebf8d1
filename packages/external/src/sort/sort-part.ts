/** Sorts a part in memory. */

import type { KeyArray, Order } from '@keysweep/core';
import { areEqual, argsortColumns, BLOCK, keyColumns } from '../open/key-words.js';
import { type NumberArrayClass, numberArrayClass } from '../open/layout.js';
import type { Run } from '../open/run.js';

/** A sorted part: `records` in the order that `order` says, or as they lie. */
export interface SortedPart {
  readonly records: Uint8Array;
  readonly order: Uint32Array | undefined;
}

/**
 * Sorts `records`, in place if they are bare numbers. `memory` is for the key columns of others.
 * With `unique`, `before` is the record in front of them, which they follow or equal.
 */
export function sortPart(
  run: Run,
  records: Uint8Array,
  memory: Uint8Array,
  before: Uint8Array | undefined,
): Promise<SortedPart> {
  return run.layout.numbers === undefined
    ? sortRecords(run, records, memory, before)
    : sortNumbers(run, records, before);
}

async function sortNumbers(
  run: Run,
  records: Uint8Array,
  before: Uint8Array | undefined,
): Promise<SortedPart> {
  const { layout, sorter, signal, unique } = run;
  const { numbers, width, keys } = layout;
  const NumberArray = numberArrayClass(numbers as Exclude<typeof numbers, undefined>);
  const { buffer, byteOffset } = records;
  const array = new (NumberArray as NumberArrayClass)(
    buffer as ArrayBuffer,
    byteOffset,
    records.length / width,
  );
  const [{ order } = { order: 'ascending' as const }] = keys;
  // All are equal where each is what the one behind it is: many equal keys fill whole parts.
  const areEqual = Buffer.compare(records.subarray(width), records.subarray(0, -width)) === 0;
  const isInteger = !numbers?.startsWith('f');
  if (!areEqual && !(isInteger && turnToOrder(array, order))) {
    await sorter.sort(array, { order, ...(signal && { signal }) });
  }
  return { records: unique ? withoutRepeats(run, records, before) : records, order: undefined };
}

/**
 * Turns integers around that are in reverse order. Returns whether they are in order then. What
 * is in no order takes a few steps.
 */
function turnToOrder(array: KeyArray, order: Order): boolean {
  const [isInOrder, isReversed] =
    order === 'ascending' ? [neverFalls, neverRises] : [neverRises, neverFalls];
  if (isInOrder(array)) return true;
  const isTurned = isReversed(array);
  if (isTurned) array.reverse();
  return isTurned;
}

function neverFalls(array: KeyArray): boolean {
  for (let i = 1; i < array.length; i++) {
    if ((array[i - 1] as number) > (array[i] as number)) return false;
  }
  return true;
}

function neverRises(array: KeyArray): boolean {
  for (let i = 1; i < array.length; i++) {
    if ((array[i - 1] as number) < (array[i] as number)) return false;
  }
  return true;
}

/** Moves the first of equal numbers to the front, in place. */
function withoutRepeats(
  { keyWords, layout: { width } }: Run,
  records: Uint8Array,
  before: Uint8Array | undefined,
): Uint8Array {
  let last = before === undefined ? [] : keyWords.of(before).map(([word]) => word);
  let kept = 0;
  const length = records.length / width;
  for (let first = 0; first < length; first += BLOCK) {
    const end = Math.min(first + BLOCK, length);
    // Words may be views of the numbers, which are moved below.
    const words = keyWords.of(records.subarray(first * width, end * width)).map((w) => w.slice());
    for (let i = 0; i < end - first; i++) {
      if (last.length > 0 && words.every((values, word) => values[i] === last[word])) continue;
      last = words.map((values) => values[i]);
      records.copyWithin(kept * width, (first + i) * width, (first + i + 1) * width);
      kept++;
    }
  }
  return records.subarray(0, kept * width);
}

async function sortRecords(
  run: Run,
  records: Uint8Array,
  memory: Uint8Array,
  before: Uint8Array | undefined,
): Promise<SortedPart> {
  const { keyWords, sorter, signal, unique, layout } = run;
  const { width } = layout;
  const columns = keyColumns(keyWords, width, records, memory);
  const order = await sorter.argsort(argsortColumns(columns), signal && { signal });
  if (!unique || order.length === 0) return { records, order };
  let kept = 0;
  const first = order[0] as number;
  if (before === undefined || compareKeys(run, before, recordAt(records, width, first)) !== 0)
    kept++;
  for (let i = 1, last = first; i < order.length; i++) {
    const record = order[i] as number;
    if (areEqual(columns, last, record)) continue;
    order[kept++] = record;
    last = record;
  }
  return { records, order: order.subarray(0, kept) };
}

/** A copy of a record, in memory of its own. */
export const recordAt = (records: Uint8Array, width: number, i: number): Uint8Array =>
  records.slice(i * width, (i + 1) * width);

/**
 * Below 0 if a record's key is below the other's, 0 if they are equal. Each is in
 * memory of its own.
 */
export function compareKeys({ keyWords }: Run, a: Uint8Array, b: Uint8Array): number {
  const words = keyWords.of(a).map(([word]) => word as number);
  const others = keyWords.of(b).map(([word]) => word as number);
  const first = words.findIndex((word, i) => word !== others[i]);
  return first === -1 ? 0 : (words[first] as number) - (others[first] as number);
}
