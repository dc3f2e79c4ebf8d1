/**
 * Keys that are in order already, or in reverse order: one look at them takes less time than the
 * rest of a call, and a fraction of what comparing sorts take for them. It comes with the
 * dispatcher, because the runtime's own sort is quick enough for the short arrays that pages sort
 * before they load that.
 */

import {
  type KeyArray,
  type KeyType,
  keyTraits,
  lengthOf,
  type Order,
  reverseArray,
  sortArray,
  subarrayOf,
  traitsOf,
} from '@keysweep/core';
import { hasRadixSort, losesNaNBits } from '../machine/engine.js';
import {
  countOfNegative,
  type Integers,
  integersOf,
  moveNaNsToEnd,
  sortFloats,
} from './float-bits.js';

/** Fewer keys are sorted as quickly as they are looked at. */
const LOOKED_FROM = 256;

/** The most keys that a call looks at without a pause: a few milliseconds. */
const LOOKED_MOST = 2 ** 20;

/** Keys that are compared before all are. Random ones differ from any order within a few. */
const SAMPLES = 16;

/** Fewer floats are looked at by a loop, even if the engine's own sort looks at them by itself. */
const LOOKED_BY_ENGINE_FROM = 2 ** 12;

let isLookedAt: boolean | undefined;

/**
 * Whether the engine's own sort looks at the order of integers first, faster than a loop could.
 * JavaScriptCore's radix sort does; the sort that it had before takes six times as long as a loop.
 */
function isLookedAtByEngine(): boolean {
  isLookedAt ??= losesNaNBits && hasRadixSort();
  return isLookedAt;
}

/**
 * Whether the engine's own sort finds by itself, and sooner than a look could, whether keys are in
 * ascending order: JavaScriptCore's does, of integers. It counts bytes, whatever their order.
 */
export function doesEngineLook(keys: KeyArray, keyType: KeyType): boolean {
  const { kind, bits } = keyTraits(keyType);
  if (kind === 'float' || !losesNaNBits) return false;
  if (bits === 8) return true;
  return isLookedAtByEngine() && (keys[0] as number) <= (keys[lengthOf(keys) >>> 1] as number);
}

/**
 * Sorts keys that are in order already, by doing nothing, or in reverse order, by reversing them.
 * Returns whether they are sorted now. Reads random keys at a few places, others up to the first
 * step out of order.
 */
export function sortIfInOrder(keys: KeyArray, order: Order): boolean {
  const length = lengthOf(keys);
  const rises = (keys[0] as number) <= (keys[length >>> 1] as number);
  if (length < LOOKED_FROM || !isSampleInOrder(keys, length, rises)) return false;
  return sortOrdered(keys, order, rises);
}

/**
 * Sorts keys that are in order, or in reverse order, as far as samples tell. Returns whether they
 * are sorted now. Random keys never compile it.
 */
function sortOrdered(keys: KeyArray, order: Order, rises: boolean): boolean {
  const length = lengthOf(keys);
  const { kind, bits } = traitsOf(keys);
  const isFloat = kind === 'float';
  // NaNs with their sign bit set have the least words, and belong after the greatest.
  if (isFloat && Number.isNaN(keys[rises ? 0 : length - 1])) return false;
  const isWanted = rises === (order === 'ascending');
  if (rises && isWanted && isLookedAtByEngine()) {
    if (!isFloat) {
      sortArray(keys);
      return true;
    }
    if (length >= LOOKED_BY_ENGINE_FROM) {
      sortOrderedFloats(keys);
      return true;
    }
  }
  const narrow = Math.min(bits, 32);
  const top = -1 << (narrow - 1);
  const words = integersOf(keys, bits, narrow) as Exclude<Integers, BigInt64Array>;
  const flip = (kind === 'unsigned' ? top : 0) ^ (rises ? 0 : -1);
  if (!isInOrder(words, bits === 64 ? 2 : 1, isFloat ? ~top : 0, flip, rises)) return false;
  // As integers, because an engine may make all NaNs one when it moves floats.
  if (!isWanted) reverseArray(integersOf(keys, bits));
  return true;
}

/**
 * Sorts floats that are most likely in order, ascending. JavaScriptCore's own sort looks at the
 * order of integers first, at several at a time.
 */
function sortOrderedFloats(floats: KeyArray): void {
  const integers = integersOf(floats, traitsOf(floats).bits);
  const negative = countOfNegative(integers);
  const [below, above] = [subarrayOf(integers, 0, negative), subarrayOf(integers, negative)];
  reverseArray(below);
  sortArray(below);
  reverseArray(below);
  sortArray(above);
  // If they were in no order, both halves may have numbers of both signs.
  if ((below[0] as number) >= 0 || (above[0] as number) < 0) sortFloats(floats, 'ascending');
  else moveNaNsToEnd(integers, floats);
}

/** Does what `sortIfInOrder` does, if the keys are so few that it needs no pause. */
export const sortIfSoonInOrder = (keys: KeyArray, order: Order): boolean =>
  lengthOf(keys) <= LOOKED_MOST && sortIfInOrder(keys, order);

/** Whether evenly spaced keys, and the first two, do not step back; or on, unless keys rise. */
function isSampleInOrder(keys: KeyArray, length: number, rises: boolean): boolean {
  let before = keys[0] as number;
  for (let at = 1; at < length; at += Math.ceil(length / SAMPLES)) {
    const key = keys[at] as number;
    if (rises ? !(before <= key) : !(before >= key)) return false;
    before = key;
  }
  return true;
}

/**
 * Whether words do not step back. A key has one or, the low half first, two: `mask` is what a set
 * sign inverts of the upper one, and `flip` what is inverted of it in any case.
 */
function isInOrder(
  words: Exclude<Integers, BigInt64Array>,
  perKey: number,
  mask: number,
  flip: number,
  rises: boolean,
): boolean {
  const lowMask = mask && -1;
  const lowFlip = rises ? -1 << 31 : ~(-1 << 31);
  let [high, low] = [-1 << 31, -1 << 31];
  for (let i = perKey - 1; i < words.length; i += perKey) {
    const word = words[i] as number;
    const sign = word >> 31;
    const nextHigh = word ^ (sign & mask) ^ flip;
    if (nextHigh < high) return false;
    if (perKey > 1) {
      const nextLow = (words[i - 1] as number) ^ (sign & lowMask) ^ lowFlip;
      if (nextHigh === high && nextLow < low) return false;
      low = nextLow;
    }
    high = nextHigh;
  }
  return true;
}
