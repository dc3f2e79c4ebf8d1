/** Reads a caller's options. */

import { getPrototypeOf } from '../intrinsics.js';
import { describe } from './describe.js';

/** No options, and the prototype of others. Copies that had none would be slow to read. */
const NONE = Object.create(null) as object;

/**
 * Copies a caller's options, reading each property once, because it may be a getter with code of
 * its own. Properties of a prototype do not count. If `given` is undefined there are no options.
 * `names` lists the options that exist, and `name` is what errors call the argument. O(properties).
 *
 * ```ts
 * readOptions({ threads: 4 }, ['threads', 'kernels']).threads; // 4
 * readOptions({ thread: 4 }, ['threads', 'kernels']);
 * // TypeError: options has no 'thread'; it takes threads, kernels
 * ```
 * @throws TypeError if `given` is not a plain object (a Map, say), or has an option of another
 *   name.
 */
export function readOptions<Options>(
  given: unknown,
  names: readonly string[],
  name = 'options',
): Options {
  if (given === undefined) return NONE as Options;
  if (typeof given !== 'object' || given === null) {
    throw new TypeError(`${name} must be an object, got ${describe(given)}`);
  }
  const prototype = getPrototypeOf(given);
  if (prototype !== null && getPrototypeOf(prototype) !== null) {
    throw new TypeError(`${name} must be a plain object, got ${describe(given)}`);
  }
  const options = Object.assign(Object.create(NONE), given);
  for (const property in options) {
    if (names.includes(property)) continue;
    throw new TypeError(`${name} has no '${property}'; it takes ${names.join(', ')}`);
  }
  return options as Options;
}
