/** Sorters that take a backend at once where it is the quickest once warm, for tests of what it then does. */

import {
  type Backend,
  createSorter,
  type Profile,
  type Sorter,
  type SorterOptions,
} from 'keysweep';

/** A sorter over `backends` whose profile says that none of them takes any time to start. */
export async function eagerSorter(
  backends: readonly Backend[],
  options: SorterOptions = {},
): Promise<Sorter> {
  const known = await (await createSorter({ backends })).profile();
  const starting = Object.entries(known.backends).map(
    ([name, figures]) => [name, { ...figures, start: 0 }] as const,
  );
  const profile: Profile = { ...known, backends: Object.fromEntries(starting) };
  return createSorter({ ...options, backends, profile });
}
