/** The twin of ../identity.wgsl. */

/** The permutation of `length` rows that changes nothing. */
export const identity = (length: number): number[] => Array.from({ length }, (_, row) => row);
