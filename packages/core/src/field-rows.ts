/** Slices of a table. The number is apart from the contract because no entry needs it. */

/**
 * The most rows that `FieldKernels` and `FindKeys` take in one slice, which is some
 * tenths of a millisecond of work.
 */
export const FIELD_ROWS: number = 2 ** 15;
