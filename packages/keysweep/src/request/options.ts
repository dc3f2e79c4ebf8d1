/** Reads a caller's options. */

import { getPrototypeOf } from '@keysweep/core';
import { describe } from './describe.js';

/** No options, and the prototype of others. Copies that had none would be slow to read. */
const NONE = Object.create(null) as object;

/**
 * The options of a plain object, each read once. What its prototype holds does not count. None are
 * given by undefined.
 * @throws TypeError for what is no plain object, such as a Map, and for names that are not known.
 */
export function readOptions<Options>(given: unknown, names: readonly string[]): Options {
  if (given === undefined) return NONE as Options;
  if (typeof given !== 'object' || given === null) {
    throw new TypeError(`options must be an object, got ${describe(given)}`);
  }
  const prototype = getPrototypeOf(given);
  if (prototype !== null && getPrototypeOf(prototype) !== null) {
    throw new TypeError(`options must be a plain object, got ${describe(given)}`);
  }
  const options = Object.assign(Object.create(NONE), given);
  for (const name in options) {
    if (names.includes(name)) continue;
    throw new TypeError(`options has no '${name}'; the options are ${names.join(', ')}`);
  }
  return options as Options;
}
