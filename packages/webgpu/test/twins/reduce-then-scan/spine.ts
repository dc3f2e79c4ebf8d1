/** The twin of kernels/wgsl/reduce-then-scan/spine.wgsl. */

/** The exclusive prefix sums of each row, and the sum of each row. */
export function spine(rows: readonly (readonly number[])[]): {
  rows: number[][];
  totals: number[];
} {
  const totals: number[] = [];
  const scanned = rows.map((row) => {
    let sum = 0;
    const before = row.map((count) => {
      sum += count;
      return sum - count;
    });
    totals.push(sum);
    return before;
  });
  return { rows: scanned, totals };
}
