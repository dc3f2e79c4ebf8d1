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
   * more. With 16, rows of keys of up to 32 bits are counted and placed on the calling thread, from
   * 2^14 rows on: 6 bytes a row are kept for the next call. `argsort` does so below 2^18 rows,
   * where `backend` is 'auto'; more are faster by threads. An abort that comes once rows are placed
   * is too late.
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
