/** The twin of kernels/wgsl/chunks/chunk-counts.wgsl. */

/** How many of `count` keys, from `offset` on, each of `chunks` chunks of `length` places has. */
export const chunkCounts = (
  count: number,
  offset: number,
  length: number,
  chunks: number,
): number[] =>
  Array.from({ length: chunks }, (_, chunk) => {
    const begin = Math.max(offset, chunk * length);
    return Math.max(0, Math.min(offset + count, (chunk + 1) * length) - begin);
  });
