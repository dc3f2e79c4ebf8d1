/** The distinct values of a part of a column, where they are few. */

import type { FixedValues, VariableValues } from '../stored/column.js';
import { takeRows } from '../stored/take.js';

/** Entries, and the place among them of every value. */
export interface Entries {
  readonly entries: FixedValues | VariableValues;
  readonly count: number;
  readonly places: Uint32Array;
}

/** Most entries: places then take at most 14 bits. */
const MOST = 2 ** 14;
/** Slots of the hash table, a power of two: a quarter of them is used at most. */
const SLOTS = 4 * MOST;
/** Longer text is not looked up. */
const LONGEST = 64;

/**
 * The dictionary of `values`, or undefined where it would hardly shorten them: where there are over
 * 16,384 distinct values, or more than a quarter of them is distinct.
 */
export function dictionaryOf(values: FixedValues | VariableValues): Entries | undefined {
  const rows =
    values.kind === 'fixed' ? values.bytes.length / values.width : values.offsets.length - 1;
  const most = Math.min(MOST, rows >> 2);
  const { bytes } = values;
  const places = new Uint32Array(rows);
  // Each slot holds an entry's number plus 1.
  const slots = new Uint16Array(SLOTS);
  const firsts = new Uint32Array(most);
  let count = 0;
  const startOf = (row: number): number =>
    values.kind === 'fixed' ? row * values.width : (values.offsets[row] as number);
  for (let row = 0; row < rows; row++) {
    const start = startOf(row);
    const end = startOf(row + 1);
    if (end - start > LONGEST) return undefined;
    let slot = hashOf(bytes, start, end) & (SLOTS - 1);
    let entry = slots[slot] as number;
    while (entry !== 0) {
      const first = firsts[entry - 1] as number;
      if (isSame(bytes, startOf(first), startOf(first + 1), start, end)) break;
      slot = (slot + 1) & (SLOTS - 1);
      entry = slots[slot] as number;
    }
    if (entry === 0) {
      if (count === most) return undefined;
      firsts[count++] = row;
      entry = count;
      slots[slot] = entry;
    }
    places[row] = entry - 1;
  }
  if (count === 0) return undefined;
  const order = firsts.subarray(0, count);
  const { values: entries } = takeRows({ rows, values, valid: undefined }, order);
  return { entries: entries as FixedValues | VariableValues, count, places };
}

/** FNV-1a of 32 bits, mixed, so that its low bits depend on all bytes. */
function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = 0x811c9dc5;
  for (let i = start; i < end; i++) hash = Math.imul(hash ^ (bytes[i] as number), 0x01000193);
  return hash ^ (hash >>> 15);
}

function isSame(
  bytes: Uint8Array,
  start: number,
  end: number,
  other: number,
  otherEnd: number,
): boolean {
  if (end - start !== otherEnd - other) return false;
  for (let i = 0; i < end - start; i++) if (bytes[start + i] !== bytes[other + i]) return false;
  return true;
}
