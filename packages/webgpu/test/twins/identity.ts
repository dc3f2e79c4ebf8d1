/** The twin of kernels/wgsl/identity.wgsl. */

/** `values`, of records from number `first` on, with `count` indices from place `offset` on. */
export const identity = (
  values: readonly number[],
  first: number,
  offset: number,
  count: number,
): number[] => values.map((value, i) => (i < offset || i >= offset + count ? value : first + i));
