/** The twin of kernels/wgsl/gather.wgsl. */

/** The keys of `column` in the order of `permutation`. */
export const gather = (permutation: readonly number[], column: readonly bigint[]): bigint[] =>
  permutation.map((row) => column[row] as bigint);
