/** The twin of kernels/wgsl/copy-back.wgsl. */

/**
 * `target` after the copy: from `offset` on the elements of `source`, if an odd number of passes
 * ran.
 */
export function copyBack(
  source: readonly bigint[],
  target: readonly bigint[],
  offset: number,
  passesRun: number,
): bigint[] {
  if (passesRun % 2 === 0) return [...target];
  return target.map((own, i) => source[i - offset] ?? own);
}
