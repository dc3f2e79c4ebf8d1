/** Words for error messages. */

import { lengthOf, type TypedArray, typedArrayName } from '../intrinsics.js';

/** Describes a value for people: "null", "an Array of 3", "Uint8Array(5)", "the string 'up'". */
export function describe(value: unknown): string {
  try {
    return inWords(value);
  } catch {
    // Its own code has thrown.
    return 'a value that cannot be read';
  }
}

function inWords(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (typeof value === 'string') return `the string '${value}'`;
  if (typeof value === 'function') return `a function${value.name ? ` (${value.name})` : ''}`;
  if (typeof value === 'bigint') return `the bigint ${value}n`;
  if (typeof value !== 'object') return `the ${typeof value} ${String(value)}`;
  if (Array.isArray(value)) return `an Array of ${value.length}`;
  const name = typedArrayName(value);
  if (name !== undefined) return `${name}(${lengthOf(value as TypedArray)})`;
  return `an object (${value.constructor?.name ?? 'without a prototype'})`;
}
