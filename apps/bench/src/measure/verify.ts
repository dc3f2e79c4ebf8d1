/** Whether a result is right. Each function returns undefined, or what is wrong with it. */

import { bitsOf, type TypedArray } from '@keysweep/core';

/** Whether two arrays hold the same bits at the same places. */
export function differenceOf(got: TypedArray, expected: TypedArray): string | undefined {
  if (got.length !== expected.length || got.BYTES_PER_ELEMENT !== expected.BYTES_PER_ELEMENT) {
    return `${got.byteLength} bytes instead of ${expected.byteLength}`;
  }
  const [a, b] = [bitsOf(got), bitsOf(expected)];
  for (let i = 0; i < a.length; i++) {
    if (a[i] === b[i]) continue;
    const at = Math.floor((i * got.length) / a.length);
    return `element ${at} is ${got[at]} instead of ${expected[at]}`;
  }
  return undefined;
}

/**
 * Whether `order` is the stable ascending order of rows by `columns`, most significant first: every
 * row once, and rows with equal keys by their position. Keys must not be NaN.
 */
export function disorderOf(columns: readonly TypedArray[], order: Uint32Array): string | undefined {
  const rows = columns[0]?.length ?? 0;
  if (order.length !== rows) return `${order.length} positions instead of ${rows}`;
  const outside = order.find((row) => row >= rows);
  if (outside !== undefined) return `position ${outside} is outside of the ${rows} rows`;
  // As every row comes strictly before the next one, none can come twice.
  for (let i = 1; i < rows; i++) {
    const [before, row] = [order[i - 1] as number, order[i] as number];
    if (!comesBefore(columns, before, row)) {
      return `row ${before} comes before row ${row}, which has to come first`;
    }
  }
  return undefined;
}

function comesBefore(columns: readonly TypedArray[], before: number, row: number): boolean {
  for (const column of columns) {
    const [a, b] = [column[before] as number | bigint, column[row] as number | bigint];
    if (a < b) return true;
    if (a > b) return false;
  }
  return before < row;
}
