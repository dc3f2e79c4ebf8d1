/**
 * Serves the calls of a sorter that read, and give something new: the rows that sortRows sorts, the
 * keys that topK finds. A page that only sorts keys does without this file.
 */

import { memoryOfRows } from './call/check.js';
import { withMemoryLock } from './call/memory-locks.js';
import type { RowOptions } from './call/row-options.js';
import { snapshotOf } from './call/snapshot.js';
import { tellingAll } from './call/telling.js';
import type { Sorting } from './make-serving.js';
import type { DispatcherSource } from './run/dispatcher-source.js';
import type { Sorter } from './sorter.js';
import type { RowBy, SortRowsOptions } from './table/row-columns.js';

export type Reading = Pick<
  Sorter,
  'sortRows' | 'argsortRows' | 'topK' | 'select' | 'gather' | 'prepare'
>;

/** The functions that read; `sorting` is of the same sorter. */
export function makeReading(source: DispatcherSource, sorting: Sorting): Reading {
  /**
   * Serves a call that reads the arrays in `keys` and in `rows`: locks them, and copies whatever
   * the caller may change while code is loaded.
   */
  function reading<K, O, T>(
    keys: K,
    options: O,
    serve: (keys: K, options: O) => Promise<T>,
    rows: RowOptions = {},
  ): Promise<T> {
    const [ownKeys, ownOptions] = [snapshotOf(keys), snapshotOf(options, 1)];
    return withMemoryLock(memoryOfRows(keys, rows), () => serve(ownKeys, ownOptions));
  }

  /** The function that sorts rows, which are objects, or gives their order. */
  const byRows =
    (name: 'sortObjects' | 'argsortObjects') =>
    async (rows: readonly unknown[], by: RowBy<unknown>, options?: SortRowsOptions) => {
      const own = [snapshotOf(rows, 0), snapshotOf(by), snapshotOf(options, 1)] as const;
      const serve = (await import('./table/argsort-table.js'))[name];
      return serve(sorting.argsort, ...own) as never;
    };

  const selecting = {
    toSorted: sorting.toSorted,
    argsort: sorting.argsortLocked,
    keyFinder: async () => (await source.get()).keyFinder(),
  };

  return {
    sortRows: byRows('sortObjects'),
    argsortRows: byRows('argsortObjects'),
    async topK(keys: unknown, k: number, options?: object) {
      return reading(keys, options, async (keys, options) => {
        const { topK } = await import('./selection/selection.js');
        return tellingAll(options, (options) => topK(selecting, keys, k, options));
      }) as never;
    },
    async select(keys, k, options) {
      return reading(keys, options, async (keys, options) => {
        const { select } = await import('./selection/selection.js');
        return tellingAll(options, (options) => select(selecting, keys, k, options));
      });
    },
    async prepare(column, options) {
      return reading(column, options, async (column, options) => {
        const { prepareColumn } = await import('./table/prepare.js');
        return prepareColumn(column, options, await source.get());
      });
    },
    async gather(rows, order, options) {
      const serve = async (own: typeof rows, options: unknown) => {
        const { gather } = await import('./selection/gather.js');
        source.assertOpen();
        return gather(async (request) => (await source.get()).gather(request), own, order, options);
      };
      return reading(rows, options, serve, { indices: order, out: options?.into as never });
    },
  };
}
