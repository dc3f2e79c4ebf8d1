/** Slices of a table. The numbers are apart from the contract because no entry needs them. */

/**
 * The most rows that `FieldKernels` and `FindKeys` take in one slice, which is some
 * tenths of a millisecond of work.
 */
export const FIELD_ROWS: number = 2 ** 15;

/** The most strings, and the most code units of these strings, that a `Speller` takes at once. */
export const SPELT_STRINGS: number = 2 ** 12;
export const SPELT_UNITS: number = 2 ** 17;
