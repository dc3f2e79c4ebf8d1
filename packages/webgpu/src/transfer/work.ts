/** A piece of work for the GPU, and its result. */

import type { KeyBits, KeyType, Order, Passes } from '@keysweep/core';
import type { Words } from './words.js';

/** A column of keys. */
export interface Column {
  readonly words: Words;
  readonly keyType: KeyType;
  readonly order: Order;
  readonly keyBits?: KeyBits | undefined;
}

/** Payloads of a whole number of words, or the indices of the rows, which the GPU makes. */
export type Payload = { readonly words: Words; readonly wordsPer: 1 | 2 } | 'index';

/** What to sort. Several columns, most significant first, need the payload 'index'. */
export interface Work {
  readonly columns: readonly [Column, ...Column[]];
  readonly payload: Payload | undefined;
  readonly count: number;
  /** Segments that groupSegments has grouped: of one column. */
  readonly segments?: { readonly starts: Uint32Array; readonly groups: Uint32Array } | undefined;
  readonly approximate: boolean;
}

/** What came back, in pieces one behind the other. They are the GPU's own memory, gone after `use`. */
export interface Sorted {
  /** The words of the only column; of several, nothing. */
  readonly keys: readonly Uint32Array[];
  readonly payload: readonly Uint32Array[];
  readonly passes: Passes;
  /** Two keys that differ by more are in order; 0 where all are. */
  readonly bound: number;
}
