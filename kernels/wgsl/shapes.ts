/** What shaders are cut by: the widths of records, and tiles of keys. */

/** Widths of a record in 32-bit words. */
export interface Widths {
  readonly keyWords: 1 | 2;
  /** 0 where there is no payload. */
  readonly valueWords: 0 | 1 | 2;
  /** Whether large arrays are sorted by 24-bit codes of floats. */
  readonly approximate: boolean;
}

/** Invocations of a workgroup, and keys of each, that share a tile. */
export interface TileShape {
  readonly threads: number;
  readonly keys: number;
}
