/** The loops of a table's fields in plain TypeScript: for few rows, and without WebAssembly. */

import { FIELD_ROWS, type FieldKernels, type Integers } from '@keysweep/core';
import { TOP } from './word-range.js';

/** Loops for a table of `rows` rows. Allocates 8 bytes for each row of a slice. */
export function plainFields(rows: number): FieldKernels {
  const most = Math.min(rows, FIELD_ROWS);
  // One class of array for the loops: they take several times as long where they know more.
  const [numbers, sums] = [new Uint32Array(most), new Uint32Array(most)];
  return {
    range(slice, flip) {
      numbers.set(slice);
      return rangeOf(numbers, slice.length, flip);
    },
    sum(columns, factors, base) {
      const [{ length }] = columns as [Integers];
      sums.fill(base, 0, length);
      for (const [i, column] of columns.entries()) {
        numbers.set(column);
        addTo(sums, numbers, length, factors[i] as number);
      }
      return sums.subarray(0, length);
    },
  };
}

function rangeOf(numbers: Uint32Array, length: number, flip: number): readonly [number, number] {
  // As signed integers, which need no conversion. `| 0` has them stay integers: the least of two
  // would be a double.
  const mask = flip ^ TOP;
  let least = ~TOP;
  let most = TOP;
  for (let i = 0; i < length; i++) {
    const word = (numbers[i] as number) ^ mask;
    least = Math.min(least, word) | 0;
    most = Math.max(most, word) | 0;
  }
  return [(least ^ TOP) >>> 0, (most ^ TOP) >>> 0];
}

function addTo(sums: Uint32Array, numbers: Uint32Array, length: number, factor: number): void {
  for (let i = 0; i < length; i++) {
    sums[i] = ((sums[i] as number) + Math.imul(numbers[i] as number, factor)) | 0;
  }
}
