/** The table of where keysweep works, from what `npm run test:everywhere` saw. */

import { table } from './markdown.js';

const PLACES = ['process', 'isolated page', 'page'] as const;

/** See apps/everywhere/test/consumers.everywhere.test.ts, which writes it. */
export interface EverywhereRecord {
  readonly rows: readonly {
    readonly name: string;
    /** Of the tool's npm packages. */
    readonly versions: readonly string[];
    readonly way: string;
    readonly trials: readonly {
      readonly place: (typeof PLACES)[number];
      readonly backend: string;
      readonly threads: number;
      /** Those of keysweep. */
      readonly warnings: readonly string[];
    }[];
  }[];
}

/** "cpu, 2 threads" */
const served = (backend: string, threads: number): string =>
  threads === 0 ? backend : `${backend}, ${threads} thread${threads === 1 ? '' : 's'}`;

/** "Vite 7" and its version: "Vite 7.3.8". */
const nameOf = ({ name, versions }: EverywhereRecord['rows'][number]): string =>
  versions.length === 0 ? name : [name.replace(/ \d+$/, ''), ...versions].join(' ');

/** Those that differ, in one cell. */
const cell = (texts: readonly string[], between: string): string =>
  [...new Set(texts)].join(between);

/** A row for each `name`, with its ways. What several trials saw stands in one cell. */
export function everywhereTable({ rows }: EverywhereRecord): string {
  const lines = [...new Set(rows.map(({ name }) => name))].map((title) => {
    const same = rows.filter(({ name }) => name === title);
    const trials = same.flatMap((row) => row.trials);
    const tools = cell(same.map(nameOf), ', ');
    const places = PLACES.map((place) =>
      cell(
        trials
          .filter((trial) => trial.place === place)
          .map(({ backend, threads }) => served(backend, threads)),
        ' or ',
      ),
    );
    const warnings = trials.some((trial) => trial.warnings.length > 0) ? 'yes' : 'none';
    const ways = same.map(({ way }) => way);
    return [tools, cell(ways, '; '), ...places, warnings];
  });
  return table(['with', 'as', ...PLACES, 'warnings'], lines, 'text');
}
