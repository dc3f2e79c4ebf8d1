/** The table of where keysweep works, from what `npm run test:everywhere` saw. */

import { table } from './markdown.js';

const PLACES = ['process', 'isolated page', 'page'] as const;

/** See apps/everywhere/test/everywhere.test.ts, which writes it. */
export interface EverywhereRecord {
  readonly rows: readonly {
    /** Rows of one name are one row of the table. */
    readonly name: string;
    /** Of the tool's npm packages. */
    readonly versions: readonly string[];
    readonly way: string;
    readonly trials: readonly {
      readonly place: (typeof PLACES)[number];
      readonly backend: string;
      readonly threads: number;
      readonly warnings: readonly string[];
    }[];
  }[];
}

/** "cpu, 2 threads" */
const served = (backend: string, threads: number): string =>
  threads === 0 ? backend : `${backend}, ${threads} thread${threads === 1 ? '' : 's'}`;

/** Those that differ, in one cell. */
const cell = (texts: readonly string[]): string => [...new Set(texts)].join(' or ');

export function everywhereTable({ rows }: EverywhereRecord): string {
  const lines = [...new Set(rows.map(({ name }) => name))].map((name) => {
    const same = rows.filter((row) => row.name === name);
    const trials = same.flatMap((row) => row.trials);
    const versions = [...new Set(same.flatMap((row) => row.versions))];
    const places = PLACES.map((place) =>
      cell(
        trials
          .filter((trial) => trial.place === place)
          .map(({ backend, threads }) => served(backend, threads)),
      ),
    );
    const warnings = trials.some((trial) => trial.warnings.length > 0) ? 'yes' : 'none';
    return [
      [name, ...versions].join(' '),
      [...new Set(same.map(({ way }) => way))].join('; '),
      ...places,
      warnings,
    ];
  });
  return table(['where', 'as', ...PLACES, 'warnings'], lines);
}
