/**
 * Checks of command-line options. All throw an Error whose message names the option and what it
 * takes.
 */

/**
 * The whole number that `flag` was given, such as 1000 or 1e6.
 * @throws Error when it is none, or below `least`.
 */
export function wholeNumber(flag: string, given: string, least: number): number {
  const number = Number(given);
  if (/^[\de]+$/.test(given) && Number.isSafeInteger(number) && number >= least) return number;
  throw new Error(`${flag} must be a whole number from ${least} on, got '${given}'`);
}

/** As wholeNumber; undefined where the option was not given. */
export function optionalNumber(
  flag: string,
  given: string | undefined,
  least: number,
): number | undefined {
  return given === undefined ? undefined : wholeNumber(flag, given, least);
}

/** The seed that was given, or a new one each time. */
export const seedOf = (given: string | undefined): number =>
  optionalNumber('--seed', given, 0) ?? Date.now() % 2 ** 31;

/** `given`, which has to be one of `known`. */
export function oneOf<T extends string>(flag: string, given: string, known: readonly T[]): T {
  if ((known as readonly string[]).includes(given)) return given as T;
  throw new Error(`${flag} takes ${known.join(', ')}: got '${given}'`);
}

/** The parts of a list such as "u32,f32", each of which has to be one of `known`. */
export const someOf = <T extends string>(flag: string, given: string, known: readonly T[]): T[] =>
  given.split(',').map((one) => oneOf(flag, one, known));

/** Lengths, given by their exponents: "16,20" is 2^16 and 2^20. */
export const lengthsOf = (sizes: string): number[] =>
  sizes.split(',').map((size) => {
    const exponent = Number(size);
    if (/^\d+$/.test(size) && exponent >= 1 && exponent <= 30) return 2 ** exponent;
    throw new Error(`--sizes takes powers of two from 1 to 30, such as 16,20: got '${size}'`);
  });

/**
 * The definitions whose name has `pattern` in it, or one of several such as "1e5,3e5".
 * @throws Error when there are none.
 */
export function matching<Definition>(
  definitions: readonly Definition[],
  nameOf: (definition: Definition) => string,
  pattern: string,
): readonly Definition[] {
  const parts = pattern.split(',');
  const found = definitions.filter((definition) =>
    parts.some((part) => nameOf(definition).includes(part)),
  );
  if (found.length > 0) return found;
  const example = nameOf(definitions[0] as Definition);
  throw new Error(
    `--only '${pattern}' matches none of ${definitions.length} names such as '${example}'`,
  );
}
