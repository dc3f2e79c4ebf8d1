/** Options of `topK`, `select` and `gather`, checked. */

import { describe, readOptions, type SortOptions } from '@keysweep/core';
import { checkOrder } from '../call/check.js';

/** Options of `topK` and `select`. */
export type SelectionOptions = Pick<SortOptions, 'order' | 'backend' | 'signal' | 'onProgress'>;

/** Options of `gather`. */
export interface GatherOptions<T> {
  /**
   * How many elements belong together, and move together. Default 1. For several arrays, a list, or
   * one number for all of them.
   */
  stride?: number | readonly number[];
  /**
   * An array of the same class to write the result to. If it is longer than the result, the call
   * returns a `subarray` of it. It must overlap neither the source nor the order. For several
   * arrays, a list.
   */
  into?: T;
}

const NAMES: readonly string[] = ['order', 'backend', 'signal', 'onProgress'] satisfies Array<
  keyof SelectionOptions
>;

/** A checked selection. */
export interface Selection {
  readonly k: number;
  readonly order: 'ascending' | 'descending';
  /** Options for the sort of the candidates. */
  readonly options: SelectionOptions;
}

/**
 * Checks a selection; `byDefault` is the order if none is given.
 * @throws TypeError if `k` is not a number; RangeError if it is not a whole number, 0 or more.
 */
export function checkSelection(
  k: unknown,
  given: unknown,
  byDefault: 'ascending' | 'descending',
): Selection {
  const options = readOptions<SelectionOptions>(given, NAMES);
  const order = options.order === undefined ? byDefault : checkOrder(options.order);
  if (typeof k !== 'number') throw new TypeError(`k must be a number, got ${describe(k)}`);
  if (!Number.isInteger(k) || k < 0) {
    throw new RangeError(`k must be a whole number, 0 or more, got ${k}`);
  }
  return { k, order, options: { ...options, order } };
}
