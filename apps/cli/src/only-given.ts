/** Options that are left out. */

/** Those of `options` that are not undefined: what is left out has its default. */
export const onlyGiven = <T extends object>(
  options: T,
): { [Name in keyof T]?: Exclude<T[Name], undefined> } =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as never;
