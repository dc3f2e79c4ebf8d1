/** Slices of a table. The numbers are apart from the contract because no entry needs them. */

/**
 * The most rows that `FieldKernels` and `FindKeys` take in one slice, which is some
 * tenths of a millisecond of work.
 */
export const FIELD_ROWS: number = 2 ** 15;

/** The most strings of a `SpellingText`. */
export const SPELT_STRINGS: number = 2 ** 12;

/** The most code units that those strings may have in all. */
export const SPELT_UNITS: number = 2 ** 17;
