/**
 * Sorters that use a backend at once where it is the quickest once warm, for tests of the
 * backend.
 */

import {
  type Backend,
  type BackendName,
  type BackendProfile,
  createSorter,
  type Profile,
  type Sorter,
  type SorterOptions,
} from 'keysweep';

/**
 * A sorter over `backends` whose profile says that no backend takes time to start, and has these
 * `times` by backend.
 */
export async function eagerSorter(
  backends: readonly Backend[],
  options: SorterOptions = {},
  times: { readonly [name in BackendName]?: BackendProfile['times'] } = {},
): Promise<Sorter> {
  const known = await (await createSorter({ backends })).profile();
  const starting = Object.entries(known.backends).map(
    ([name, figures]) =>
      [name, { ...figures, start: 0, times: times[name as BackendName] ?? {} }] as const,
  );
  const profile: Profile = { ...known, backends: Object.fromEntries(starting) };
  return createSorter({ ...options, backends, profile });
}
