/** The loops of a table's fields by kernels, in a memory of their own. */

import { FIELD_ROWS, type FieldKernels, type Integers } from '@keysweep/core';
import { type FieldLoops, fieldBytes } from '@keysweep/kernels/cpu';
import { linkInOwnMemory } from '../arena/own-memory.js';
import { linkSpeller } from '../spelling/speller.js';

/** Bytes of what the kernel `range` finds. */
const FOUND_BYTES = 32;
/** Bytes of the numbers of a slice, which may be doubles, and of its sums. */
const NUMBERS_BYTES = 8 * FIELD_ROWS;
const SUMS_BYTES = 4 * FIELD_ROWS;

/** Addresses in the memory. */
const FOUND_AT = 0;
const NUMBERS_AT = FOUND_BYTES;
const SUMS_AT = NUMBERS_AT + NUMBERS_BYTES;
const END = SUMS_AT + SUMS_BYTES;

/** Compiles the kernels: half a millisecond. Undefined where there is no memory for them. */
export function linkFields(): FieldKernels | undefined {
  const linked = linkInOwnMemory<FieldLoops>(new WebAssembly.Module(fieldBytes()), END);
  if (linked === undefined) return undefined;
  const { range, add, multiples } = linked.kernel;
  const { buffer } = linked;
  const found = new Uint32Array(buffer, FOUND_AT, FOUND_BYTES / 4);
  const numbers = new Uint32Array(buffer, NUMBERS_AT, FIELD_ROWS);
  const doubles = new Float64Array(buffer, NUMBERS_AT, FIELD_ROWS);
  const sums = new Uint32Array(buffer, SUMS_AT, FIELD_ROWS);
  /** Copies a slice, and fills it up with its first number; returns its length then. */
  const stage = (slice: Integers | Float64Array, room: Uint32Array | Float64Array): number => {
    const n = (slice.length + 3) & ~3;
    room.set(slice);
    room.fill(room[0] as number, slice.length, n);
    return n;
  };
  return {
    range(slice, flip) {
      range(NUMBERS_AT, stage(slice, numbers), flip, FOUND_AT);
      return [Math.min(...found.subarray(0, 4)), Math.max(...found.subarray(4))];
    },
    sum(columns, factors, base) {
      const [{ length }] = columns as [Integers];
      sums.fill(base, 0, length);
      for (const [i, column] of columns.entries()) {
        add(NUMBERS_AT, stage(column, numbers), factors[i] as number, SUMS_AT);
      }
      return sums.subarray(0, length);
    },
    multiples(slice, divisor, flip, isZero) {
      const n = stage(slice, doubles);
      const areAll = multiples(NUMBERS_AT, n, divisor, flip, isZero ? 0 : -0, SUMS_AT) !== 0;
      return areAll ? sums.subarray(0, slice.length) : undefined;
    },
    speller: linkSpeller,
  };
}
