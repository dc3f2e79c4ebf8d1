/** Options that choose the rows of an argsort, and where their order is written. */

/** Options that only `argsort` has. */
export interface RowOptions {
  /**
   * Orders only these rows, and the result is a permutation of them. Each is a row number below the
   * number of rows. A row that you give twice is in the result twice. Ties keep their order in
   * `indices`. Cannot be combined with `segments`.
   */
  indices?: Uint32Array;
  /**
   * An array to write the result to, at least as long as the result. The call returns this array,
   * or a `subarray` of the result's length if it is longer. It must not overlap the keys. It may be
   * `indices` itself, but must not overlap it otherwise. The call still takes memory for the result
   * while it sorts.
   */
  out?: Uint32Array;
  /**
   * Allows a faster order of one column that is not exact, as depths in a scene need. Two rows may
   * be out of order if their keys differ by no more than 2^-precision of the way from the least key
   * to the largest, and also agree in that many leading bits of the range of their words. Rows that
   * tie come in any order, the same in every run.
   *
   * With 16, the CPU counts and places rows of keys of up to 32 bits if there are 132,096 or more.
   * Floats that are not all finite are sorted exactly. If `indices` are all rows, such as the order
   * of the last frame, this allocates one bit a row.
   */
  precision?: 16 | 24;
}

/** The rows of an argsort and the target of their order; undefined if they were not given. */
export interface IndexedResult {
  readonly indices: Uint32Array | undefined;
  readonly out: Uint32Array | undefined;
  /** The caller's own `out`, which is returned if it is as long as the result. */
  readonly given: Uint32Array | undefined;
  /** The length that `out` had when the call was made. */
  readonly outLength: number;
}
