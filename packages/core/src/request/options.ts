/** Reads a caller's options. */

import { getPrototypeOf } from '../intrinsics.js';
import { describe } from './describe.js';

/** No options, and the prototype of others. Copies that had none would be slow to read. */
const NONE = Object.create(null) as object;

/**
 * The properties of a plain object, each read once. What its prototype holds does not count. There
 * are none where `given` is undefined. `names` are those that it may have, and `name` is the
 * argument's, for errors. O(properties); allocates a copy.
 *
 * ```ts
 * readOptions({ threads: 4 }, ['threads', 'kernels']).threads; // 4
 * readOptions({ thread: 4 }, ['threads', 'kernels']);
 * // TypeError: options has no 'thread'; it takes threads, kernels
 * ```
 * @throws TypeError for what is no plain object, such as a Map, and for other names.
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
