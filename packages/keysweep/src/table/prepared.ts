/** Prepared columns: what reading a column has found out, to be sorted by any number of times. */

import {
  describe,
  type KeyArray,
  type KeyType,
  keyTypeOf,
  type OnArrayBuffer,
  type Order,
  type SortOptions,
} from '@keysweep/core';
import { checkArray } from '../call/check.js';

/** Options of `prepare`. */
export type PrepareOptions = Pick<SortOptions, 'signal'>;

/**
 * A column that `prepare` has read: plain data, which `structuredClone` and `postMessage` copy. It
 * stands wherever a column may.
 */
export interface PreparedColumn {
  /** Rows. */
  readonly length: number;
  /** Bytes of memory that it holds. */
  readonly byteLength: number;
  /**
   * The rank of each row, counted from 0, ascending; rows that tie have one rank. NaNs have the
   * rank after the values, and nulls the last one.
   */
  readonly ranks: OnArrayBuffer<Uint16Array | Uint32Array>;
  /** Ranks of values, without the ranks of NaNs and nulls. */
  readonly values: number;
  /** Whether one of the values was NaN. */
  readonly hasNans: boolean;
  /** Whether a row has no value. */
  readonly hasNulls: boolean;
  /** The order that the column was given; undefined leaves it to the call. */
  readonly order: Order | undefined;
  /** Where nulls go. */
  readonly nulls: 'first' | 'last';
  /** Where NaNs go; undefined if that depends on the order. */
  readonly nans: 'first' | 'last' | undefined;
}

/** Whether a value seems to be a prepared column. */
export function isPrepared(given: unknown): given is PreparedColumn {
  return typeof given === 'object' && given !== null && Object.hasOwn(given, 'ranks');
}

/** The numbers of a prepared column, and their order. */
interface Ranks {
  readonly numbers: { readonly keys: KeyArray; readonly keyType: KeyType };
  readonly order: Order;
  readonly areRanksApart: boolean;
}

/**
 * What orders rows by a prepared column, in an order of its own if one is given. O(rows) if nulls
 * or NaNs do not go where their ranks are, else O(1).
 * @throws TypeError if the column was not made by `prepare`.
 */
export function ranksOfPrepared(
  name: string,
  prepared: PreparedColumn,
  own: { readonly order: Order; readonly nulls: 'first' | 'last' },
): Ranks {
  const { values, hasNans, hasNulls, length } = prepared;
  const ranks = checkArray(`${name}.ranks`, prepared.ranks);
  const keyType = keyTypeOf(ranks);
  const isWhole = (keyType === 'u16' || keyType === 'u32') && ranks.length === length;
  if (!isWhole || typeof values !== 'number') {
    throw new TypeError(
      `${name} must be as prepare() has made it, but its ranks are ${describe(prepared.ranks)} ` +
        `for ${describe(length)} rows`,
    );
  }
  const isAscending = own.order === 'ascending';
  const usual = isAscending ? 'last' : 'first';
  const nans = prepared.nans ?? usual;
  const nullRank = values + Number(hasNans);
  const areRanksApart = nullRank + Number(hasNulls) === length;
  const areInPlace = (!hasNulls || own.nulls === usual) && (!hasNans || nans === usual);
  // Nulls come after NaNs where both are last, and before them where both are first.
  if (areInPlace) return { numbers: { keys: ranks, keyType }, order: own.order, areRanksApart };
  const nullsFirst = own.nulls === 'first' ? Number(hasNulls) : 0;
  const nansFirst = nans === 'first' ? Number(hasNans) : 0;
  const first = nullsFirst + nansFirst;
  const nanCode = nansFirst ? nullsFirst : first + values;
  const nullCode = nullsFirst ? 0 : values + Number(hasNans);
  const codes = new Uint32Array(length);
  for (let i = 0; i < length; i++) {
    const rank = ranks[i] as number;
    if (rank < values) codes[i] = first + (isAscending ? rank : values - 1 - rank);
    else codes[i] = rank === nullRank ? nullCode : nanCode;
  }
  return { numbers: { keys: codes, keyType: 'u32' }, order: 'ascending', areRanksApart };
}
