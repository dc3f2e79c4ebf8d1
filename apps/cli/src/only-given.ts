/** Options that are left out. */

/** The options that are not undefined. One that is left out has its default. */
export const onlyGiven = <T extends object>(
  options: T,
): { [Name in keyof T]?: Exclude<T[Name], undefined> } =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as never;
