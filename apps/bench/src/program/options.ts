/** Options of command lines, checked. */

/**
 * The whole number that `flag` was given, or undefined where it was not given.
 * @throws Error for a person when it is none, or below `from`.
 */
export function wholeNumber(
  flag: string,
  given: string | undefined,
  from: number,
): number | undefined {
  if (given === undefined) return undefined;
  const number = Number(given);
  if (/^\d+$/.test(given) && Number.isSafeInteger(number) && number >= from) return number;
  throw new Error(`${flag} must be a whole number from ${from} on, got '${given}'`);
}

/**
 * Those definitions whose name has `pattern` in it.
 * @throws Error for a person when there are none.
 */
export function matching<Definition>(
  definitions: readonly Definition[],
  nameOf: (definition: Definition) => string,
  pattern: string,
): readonly Definition[] {
  const found = definitions.filter((definition) => nameOf(definition).includes(pattern));
  if (found.length > 0) return found;
  const example = nameOf(definitions[0] as Definition);
  throw new Error(
    `--only '${pattern}' matches none of ${definitions.length} names such as '${example}'`,
  );
}
