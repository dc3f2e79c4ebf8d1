/**
 * Sorts at once, without a request: for short arrays, of which the rest of a call would take longer
 * than the runtime's own sort, and for keys in order.
 */

import {
  isTurnDue,
  type KeyArray,
  type KeyType,
  keyTypeOf,
  lengthOf,
  noteSorted,
  type Order,
  plainShape,
  plainView,
  type SortOptions,
  sortArray,
  TIMED_FROM,
} from '@keysweep/core';
import { areSortedByBits, sortInOrder } from './builtin/builtin-keys.js';
import { sortFloats } from './builtin/float-bits.js';
import { rowSorts } from './builtin/rows-later.js';
import { type ArgsortOptions, checkOrder, isOrderAlone } from './call/check.js';
import { isUnlocked } from './call/memory-locks.js';
import type { DispatcherSource } from './run/dispatcher-source.js';

/**
 * Why nothing was sorted at once: the runtime's own sort is not best ('refused'), or a call that
 * has more to it did not even ask (undefined).
 */
export type NotDone = 'refused' | undefined;

/**
 * Sorts keys at once if the runtime's own sort is soonest done; returns whether. Until code is
 * warm, each function that is called takes half a microsecond, so these are a handful of checks.
 */
export function sortBriefly(source: DispatcherSource, keys: KeyArray): boolean {
  const keyType = keyTypeOf(keys);
  if (keyType === undefined) return false;
  const length = lengthOf(keys);
  // An empty array may be a detached one, which the checks have to find.
  if (length === 0 || !isUnlocked(keys)) return false;
  if (isTurnDue(length) || !source.isBrief(keys, keyType, length)) return false;
  if (keyType[0] === 'f' && areSortedByBits(keys, length)) sortFloats(keys, 'ascending');
  else sortArray(keys);
  if (length >= TIMED_FROM) noteSorted(length);
  return true;
}

/** Sorts keys at once if it may, and if they are in order or the runtime's own sort is best. */
export function sortAtOnce(
  source: DispatcherSource,
  keys: KeyArray,
  options: SortOptions,
): 'done' | NotDone {
  const keyType = keyTypeOf(keys);
  const order = keyType && orderAtOnce(source, keys, options);
  if (order === undefined) return undefined;
  const length = lengthOf(keys);
  if (!source.dispatcher?.sortIfInOrder(keys, order)) {
    if (!source.isForBuiltin(plainShape('sort', keyType as KeyType, length))) return 'refused';
    sortInOrder(keys, order);
  }
  noteSorted(length);
  return 'done';
}

/** The permutation that sorts keys, if they are an array and the runtime's own sort is best. */
export function argsortAtOnce(
  source: DispatcherSource,
  keys: unknown,
  options: ArgsortOptions,
): Uint32Array | NotDone {
  const keyType = keyTypeOf(keys);
  const order = keyType && orderAtOnce(source, keys as KeyArray, options);
  if (order === undefined || rowSorts === undefined) return undefined;
  const length = lengthOf(keys as KeyArray);
  if (!source.isForBuiltin(plainShape('argsort', keyType as KeyType, length))) return 'refused';
  const permutation = rowSorts.orderRows([plainView(keys as KeyArray)], order);
  noteSorted(length);
  return permutation;
}

/**
 * The order for a call that may be served at once, else undefined: no option but an order was
 * given, and no other call uses the keys' buffer. If the event loop is due a turn, the sort must be
 * short, too.
 */
function orderAtOnce(
  source: DispatcherSource,
  keys: KeyArray,
  options: SortOptions,
): Order | undefined {
  if (!isOrderAlone(options)) return undefined;
  // An empty array may be a detached one, which the checks have to find.
  const length = lengthOf(keys);
  if (length === 0 || !isUnlocked(keys)) return undefined;
  if (length >= TIMED_FROM && isTurnDue(length)) return undefined;
  const order = checkOrder(options.order);
  source.assertOpen();
  return order;
}
