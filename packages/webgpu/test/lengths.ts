/**
 * Lengths at which the kernels change their ways: one workgroup sorts 2304 keys of 64 bits, 3328 narrower ones. The
 * checks of RadixSorter go to every boundary; software GPUs are slow.
 */
export const LENGTHS: readonly number[] = [2305, 3329];
