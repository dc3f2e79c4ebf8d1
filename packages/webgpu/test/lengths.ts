/**
 * Shortest lengths that several workgroups sort, for keys of 64 bits and for narrower ones. The
 * checks of RadixSorter try every boundary.
 */
export const SHORTEST_OF = { wide: 2305, narrow: 3329 } as const;
