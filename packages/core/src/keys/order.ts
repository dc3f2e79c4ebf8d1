/** How a caller says in which order keys come. */

/** From the smallest key to the largest, or the other way round. Ties keep their order in both. */
export type Order = 'ascending' | 'descending';

/** Only the bits [begin, end) of an unsigned key decide the order; bit 0 is the lowest. */
export interface KeyBits {
  /** The lowest bit that counts, 0 or more. */
  readonly begin: number;
  /** One past the highest bit that counts, at most the width of a key. */
  readonly end: number;
}
