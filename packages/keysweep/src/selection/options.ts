/** Options of what selects and moves, checked. */

import { describe, type KeyArray, readOptions, type SortOptions } from '@keysweep/core';
import { checkArray, checkOrder } from '../call/check.js';

/** Options of `topK` and `select`. */
export type SelectionOptions = Pick<SortOptions, 'order' | 'backend' | 'signal' | 'onProgress'>;

/** Options of `gather`. */
export interface GatherOptions<T> {
  /**
   * Elements that belong together, and move together. Default 1. Of several arrays a list, or one
   * for all.
   */
  stride?: number | readonly number[];
  /**
   * Where the result is written: an array of the same class with room for it. A `subarray` is
   * returned where it is longer. It must overlap neither the source nor the order. Of several
   * arrays a list.
   */
  into?: T;
}

const NAMES: readonly string[] = ['order', 'backend', 'signal', 'onProgress'] satisfies Array<
  keyof SelectionOptions
>;

/** A checked selection. */
export interface Selection {
  readonly keys: KeyArray;
  readonly k: number;
  readonly order: 'ascending' | 'descending';
  /** What is passed on to whoever sorts the candidates. */
  readonly options: SelectionOptions;
}

/**
 * Checks a selection; `byDefault` is the order where none is given.
 * @throws TypeError for what is no typed array, or a `k` that is no number; RangeError for one that
 *   is no whole number from 0 on.
 */
export function checkSelection(
  keys: unknown,
  k: unknown,
  given: unknown,
  byDefault: 'ascending' | 'descending',
): Selection {
  const options = readOptions<SelectionOptions>(given, NAMES);
  const order = options.order === undefined ? byDefault : checkOrder(options.order);
  if (typeof k !== 'number') throw new TypeError(`k must be a number, got ${describe(k)}`);
  if (!Number.isInteger(k) || k < 0) {
    throw new RangeError(`k must be a whole number from 0 on, got ${k}`);
  }
  return { keys: checkArray('keys', keys), k, order, options: { ...options, order } };
}
