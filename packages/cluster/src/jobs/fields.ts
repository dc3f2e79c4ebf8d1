/** Reads values of which nothing is known, because anybody may have written them. */

import { describe, propertiesOf } from '@keysweep/external/internal';

/** An object of which nothing is known yet. */
export type Given<T> = { readonly [Name in keyof T]?: unknown };

/** No number of bytes, records or milliseconds is larger. */
export const MAX_COUNT: number = Number.MAX_SAFE_INTEGER;

/** The properties of an object that has no others. @throws TypeError */
export const given = <T>(
  name: string,
  value: unknown,
  known: readonly (keyof T & string)[],
): Given<T> => propertiesOf(name, value, known) as Given<T>;

/** A list, of what `check` makes of each element. @throws TypeError */
export function listOf<T>(
  name: string,
  value: unknown,
  check: (name: string, value: unknown) => T,
): readonly T[] {
  if (Array.isArray(value)) return value.map((one, i) => check(`${name}[${i}]`, one));
  throw new TypeError(`${name} must be a list, got ${describe(value)}`);
}
