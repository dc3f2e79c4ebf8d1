/** What values.mjs gives a block: names, and their values. */
export declare function valuesOf(
  keysweep: Pick<typeof import('keysweep'), 'createSorter'>,
): Promise<Record<string, unknown>>;
