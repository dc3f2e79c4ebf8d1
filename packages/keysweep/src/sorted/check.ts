/** Checks what callers pass to keysweep/sorted, and makes the steps that serve it. */

import {
  arrayNameOf,
  describe,
  type KeyArray,
  type KeyType,
  keyTypeOf,
  type OnArrayBuffer,
  type Order,
  readOptions,
} from '@keysweep/core';
import { arraysIn, checkArray, checkOrder } from '../call/check.js';
import { COLUMNS_DEPTH, snapshotOf } from '../call/snapshot.js';
import { type Column, checkChoice } from '../table/column.js';
import { type Groups, groupSteps } from './group-by.js';
import { mergeOrderSteps, mergeSteps } from './merge.js';
import { type QuantileMethod, type Quantiles, quantileSteps } from './quantiles.js';
import { rankSteps, type Ties } from './rank.js';
import type { Controls } from './run.js';
import { searchSteps } from './search.js';
import type { Steps } from './steps.js';
import { type Unique, uniqueSteps } from './unique.js';

/** The order of an input or of a result. */
export interface OrderOptions {
  /** Default 'ascending'. */
  order?: Order;
}

/** Options of `searchSorted`. */
export interface SearchOptions extends OrderOptions {
  /** Whether a value goes before the keys that it ties with, which is the default, or after. */
  side?: 'left' | 'right';
}

/** Options of `unique`. */
export interface UniqueOptions extends OrderOptions {
  /** Whether to count how often each key is there. Default false. */
  counts?: boolean;
  /** Whether to find where each key is for the first time. Default false. */
  indices?: boolean;
}

/** Options of `rank`. */
export interface RankOptions extends OrderOptions {
  /**
   * The rank of keys that tie, counted from 0: the first of their places ('min', the default), the
   * last ('max'), the middle ('average'), or one each in input order ('ordinal'). With 'dense', a
   * rank is the number of different keys before it.
   */
  ties?: Ties;
}

/** Options of `quantiles`. */
export interface QuantileOptions {
  /**
   * What to give if a quantile lies between two keys: a value between them by its distance
   * ('linear', the default), the lower or the higher key, or the nearest. From the middle,
   * 'nearest' goes to the key at an even place, as in NumPy.
   */
  method?: QuantileMethod;
}

/** A checked call of keysweep/sorted. */
export interface SortedCall<T> {
  readonly steps: Steps<T>;
  readonly inputs: readonly KeyArray[];
  readonly controls: Controls;
}

const CONTROLS = ['backend', 'signal', 'onProgress', 'onReport'];

/** Options of a call by either form; the one that returns at once has no controls. */
function read<O extends object>(given: unknown, names: string[], isSync: boolean): O & Controls {
  return readOptions(given, isSync ? names : [...names, ...CONTROLS]);
}

/** Checks a call of `searchSorted`. */
export function checkSearch(
  sorted: unknown,
  values: unknown,
  given: unknown,
  isSync: boolean,
): SortedCall<OnArrayBuffer<Uint32Array>> {
  const options = read<SearchOptions>(given, ['side', 'order'], isSync);
  const arrays = { sorted: checkArray('sorted', sorted), values: checkArray('values', values) };
  assertLike('values', arrays.values, 'sorted', arrays.sorted);
  const side = checkChoice('side', options.side, ['left', 'right'], 'left');
  const steps = searchSteps({
    ...arrays,
    side,
    order: checkOrder(options.order),
    isAtOnce: isSync,
  });
  return { steps, inputs: [arrays.sorted, arrays.values], controls: options };
}

function assertLike(name: string, array: KeyArray, otherName: string, other: KeyArray): void {
  if (keyTypeOf(array) === keyTypeOf(other)) return;
  const expected = arrayNameOf(keyTypeOf(other) as KeyType);
  throw new TypeError(`${name} must be like ${otherName}, ${expected}, got ${describe(array)}`);
}

/** Checks the arrays and the order of `merge` and `mergeOrder`. */
function checkArrays(given: unknown, options: OrderOptions): { arrays: KeyArray[]; order: Order } {
  if (!Array.isArray(given) || given.length === 0) {
    throw new TypeError(
      `arrays must be a list of one or more typed arrays, got ${describe(given)}`,
    );
  }
  const arrays = given.map((array, i) => checkArray(`arrays[${i}]`, array));
  for (const [i, array] of arrays.entries()) {
    assertLike(`arrays[${i}]`, array, 'arrays[0]', arrays[0] as KeyArray);
  }
  return { arrays, order: checkOrder(options.order) };
}

/** Checks a call of `merge`. */
export function checkMerge<K extends KeyArray>(
  given: readonly K[],
  givenOptions: unknown,
  isSync: boolean,
): SortedCall<OnArrayBuffer<K>> {
  const options = read<OrderOptions>(givenOptions, ['order'], isSync);
  const { arrays, order } = checkArrays(given, options);
  return { steps: mergeSteps(arrays as unknown as K[], order), inputs: arrays, controls: options };
}

/** Checks a call of `mergeOrder`. */
export function checkMergeOrder(
  given: unknown,
  givenOptions: unknown,
  isSync: boolean,
): SortedCall<OnArrayBuffer<Uint32Array>> {
  const options = read<OrderOptions>(givenOptions, ['order'], isSync);
  const { arrays, order } = checkArrays(given, options);
  return { steps: mergeOrderSteps(arrays, order), inputs: arrays, controls: options };
}

/** Checks a call of `unique`. */
export function checkUnique<K extends KeyArray>(
  given: K,
  givenOptions: unknown,
  isSync: boolean,
): SortedCall<Unique<K>> {
  const options = read<UniqueOptions>(givenOptions, ['counts', 'indices', 'order'], isSync);
  const keys = checkArray('keys', given);
  const wants = {
    counts: checkFlag('counts', options.counts),
    indices: checkFlag('indices', options.indices),
  };
  const steps = uniqueSteps(keys as K, checkOrder(options.order), wants);
  return { steps, inputs: [keys], controls: options };
}

function checkFlag(name: string, given: unknown): boolean {
  if (given === undefined || typeof given === 'boolean') return given ?? false;
  throw new TypeError(`${name} must be true or false, got ${describe(given)}`);
}

const TIES = ['min', 'max', 'dense', 'ordinal', 'average'] as const;

/** Checks a call of `rank`. */
export function checkRank(
  given: unknown,
  givenOptions: unknown,
  isSync: boolean,
): SortedCall<OnArrayBuffer<Uint32Array | Float64Array>> {
  const options = read<RankOptions>(givenOptions, ['ties', 'order'], isSync);
  const keys = checkArray('keys', given);
  const ties = checkChoice<Ties, Ties>('ties', options.ties, TIES, 'min');
  const steps = rankSteps(keys, checkOrder(options.order), ties);
  return { steps, inputs: [keys], controls: options };
}

const METHODS = ['linear', 'lower', 'higher', 'nearest'] as const;

/** Checks a call of `quantiles`. */
export function checkQuantiles<K extends KeyArray>(
  given: K,
  givenFractions: unknown,
  givenOptions: unknown,
  isSync: boolean,
): SortedCall<Quantiles<K>> {
  const options = read<QuantileOptions>(givenOptions, ['method'], isSync);
  const keys = checkArray('keys', given);
  const method = checkChoice<QuantileMethod, QuantileMethod>(
    'method',
    options.method,
    METHODS,
    'linear',
  );
  const fractions = checkFractions(givenFractions);
  if (['u64', 'i64'].includes(keyTypeOf(keys) as KeyType)) {
    if (method === 'linear') {
      throw new TypeError(
        "method of 64-bit integers must be 'lower', 'higher' or 'nearest': a value between two " +
          "keys, as 'linear' makes it, may be no integer",
      );
    }
    if (keys.length === 0) throw new RangeError('keys must hold a key: integers have no NaN');
  }
  return {
    steps: quantileSteps(keys as K, fractions, method, isSync),
    inputs: [keys],
    controls: options,
  };
}

function checkFractions(given: unknown): Float64Array {
  const isList = Array.isArray(given) || keyTypeOf(given) !== undefined;
  if (!isList) {
    throw new TypeError(`fractions must be a list of numbers from 0 to 1, got ${describe(given)}`);
  }
  return Float64Array.from(given as ArrayLike<number>, (fraction: unknown, i) => {
    if (typeof fraction !== 'number') {
      throw new TypeError(`fractions[${i}] must be a number, got ${describe(fraction)}`);
    }
    if (fraction >= 0 && fraction <= 1) return fraction;
    throw new RangeError(`fractions[${i}] must be from 0 to 1, got ${fraction}`);
  });
}

/** Checks a call of `groupBy`. */
export function checkGroups(
  given: Column | readonly Column[],
  givenOptions: unknown,
  isSync: boolean,
): SortedCall<Groups> {
  const options = read<OrderOptions>(givenOptions, ['order'], isSync);
  // What pauses must not see the caller's changes. Columns are checked by argsort.
  const columns = isSync
    ? given
    : snapshotOf(given, COLUMNS_DEPTH, (keys) => checkArray('keys', keys).slice());
  const steps = groupSteps(columns, checkOrder(options.order), isSync);
  return { steps, inputs: arraysIn(columns), controls: options };
}
