/**
 * Lengths at which the kernels change their ways: one workgroup sorts 2304 keys of 64 bits, 3328 narrower ones. The
 * checks of RadixSorter go into tiles and blocks; software GPUs are slow.
 */
export const LENGTHS: readonly number[] = [2304, 2305, 3328, 3329];
