/** Copies of a call's arguments, because their caller may change them while the call runs. */

import { type KeyArray, keyTypeOf } from '@keysweep/core';

/**
 * Lists and objects around the arrays of columns: a list of descriptions of text is the deepest.
 */
export const COLUMNS_DEPTH = 3;

/** Lists of strings that are copies already, which no caller can change. */
export const OWN_STRINGS: WeakSet<readonly unknown[]> = new WeakSet<readonly unknown[]>();

/**
 * A copy of what a caller passed and may change later: of lists and, down to `depth` of both, of
 * plain objects and descriptions. Other values stay as they are, arrays of numbers as `ofArray` has
 * them.
 */
export function snapshotOf<T>(
  given: T,
  depth: number = COLUMNS_DEPTH,
  ofArray: (array: KeyArray) => KeyArray = (array) => array,
): T {
  if (keyTypeOf(given) !== undefined) return ofArray(given as KeyArray) as T;
  const isList = Array.isArray(given);
  if (isList ? OWN_STRINGS.has(given) : depth === 0 || !isCopied(given)) return given;
  const copy = (isList ? given.slice() : { ...given }) as Record<PropertyKey, unknown>;
  if (typeof copy[0] === 'string') OWN_STRINGS.add(copy as never);
  else if (depth > 0) {
    for (const name in copy) copy[name] = snapshotOf(copy[name], depth - 1, ofArray);
  }
  return copy as T;
}

/** Properties of their own that descriptions of columns, keys of rows and text have. */
const DESCRIBING = ['keys', 'ranks', 'key', 'bytes'];

/**
 * Whether a value is an object without a class, whichever realm it is from, or a description, of
 * which only its own properties are read.
 */
function isCopied(given: unknown): boolean {
  if (typeof given !== 'object' || given === null) return false;
  const prototype = Object.getPrototypeOf(given);
  if (prototype === null || Object.getPrototypeOf(prototype) === null) return true;
  return DESCRIBING.some((name) => Object.hasOwn(given, name));
}
