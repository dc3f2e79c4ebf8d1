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
   * Of one column: rows may be out of order by 2^-precision of the way from the least key to the
   * largest, if they also agree in so many leading bits of the range of their words; for depths
   * that need no more. Rows that tie come in any order, the same in every run. With 16, the CPU
   * counts and places rows of keys of up to 32 bits, from 132,096 rows on; floats only if all are
   * finite, else they are sorted exactly. `indices` that are all rows, such as the order of the
   * last frame, then allocate a bit a row.
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
