/** What chooses the rows of an argsort, and where their order is written. */

/** Options of `argsort` alone. */
export interface RowOptions {
  /**
   * Row numbers, each below the number of rows: only these rows are ordered, and the result is a
   * permutation of them. A repeated row is repeated in the result. Ties keep their order in
   * `indices`. Not together with `segments`.
   */
  indices?: Uint32Array;
  /**
   * Where the result is written, at least as long as it. A `subarray` of the result's length is
   * returned if this is longer. It must not overlap the keys; it may be `indices`, but not overlap
   * it otherwise. No other array is returned; memory for the result is taken all the same.
   */
  out?: Uint32Array;
  /**
   * Of one column: so many leading bits of the keys' range need to decide, for depths that need no
   * more. Rows that tie come in any order, the same in every run. With 16, the CPU counts and
   * places rows of keys of up to 32 bits, from 2^16 rows on. `indices` that are all rows, such as
   * the order of the last frame, then allocate a bit a row.
   */
  precision?: 16 | 24;
}

/** The rows of an argsort, and where their order is written; undefined for what was not given. */
export interface Rows {
  readonly indices: Uint32Array | undefined;
  readonly out: Uint32Array | undefined;
  /** The caller's own `out`, to be returned where it is as long as the result. */
  readonly given: Uint32Array | undefined;
  /** The length that `out` had when the call was made. */
  readonly outLength: number;
}
