/** Rows of a column that are chosen, by a bit each. */
export interface ChosenRows {
  /** How many rows the column has. */
  readonly rows: number;
  /** Row i is chosen if bit i is 1. Bits after the last row are 0. Nobody else writes them. */
  readonly words: Int32Array;
}
