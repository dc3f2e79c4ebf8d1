/**
 * Lengths from which on several workgroups sort keys of 64 bits, and narrower ones. The checks of RadixSorter go to every
 * boundary; software GPUs are slow.
 */
export const SHORTEST_OF = { wide: 2305, narrow: 3329 } as const;
