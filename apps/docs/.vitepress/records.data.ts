/** The rows of the table of all records: those with a figure first, then the newest. */

import { readFileSync } from 'node:fs';
import { median } from '@keysweep/conformance/statistics';
import { defineLoader } from 'vitepress';

/** Keys of the figure in the table, and of the page's run that is nearest to it. */
const [MILLION, MEBI] = [10 ** 6, 2 ** 20];

/** What is read of a record: of `npm run bench`, or of the comparison page. */
interface Stored {
  readonly date: string;
  readonly machine?: { readonly cpu: string; readonly cores: number };
  readonly gpu?: { readonly vendor: string; readonly device: string };
  readonly results?: readonly {
    readonly operation?: string;
    readonly keyType?: string;
    readonly distribution?: string;
    readonly length?: number;
    readonly backend?: string;
    readonly ours?: readonly number[];
    readonly theirs?: readonly number[];
  }[];
  readonly facts?: {
    readonly browser: string;
    readonly threads: number;
    readonly probes: Readonly<
      Record<string, { readonly capabilities?: { readonly description: string } }>
    >;
  };
  readonly settings?: {
    readonly keyType: string;
    readonly payload: string;
    readonly distribution: string;
  };
  readonly cells?: readonly {
    readonly series: string;
    readonly length: number;
    readonly samples: readonly number[];
  }[];
}

export interface Row {
  /** The file, below the folder of records: MACHINE/DATE-SUBCOMMAND.json. */
  readonly file: string;
  /** ISO 8601. */
  readonly date: string;
  /** Processor or browser, and GPU. */
  readonly machine: string;
  readonly cores: number;
  /** How many times as fast as the built-in sort, by which backend; '' where it does not say. */
  readonly figure: string;
}

declare const data: readonly Row[];

export { data };

export default defineLoader({
  watch: '../../bench/records/*/*.json',
  load: (files): Row[] =>
    files
      .map((file) => rowOf(file, JSON.parse(readFileSync(file, 'utf8'))))
      .sort((a, b) => Number(b.figure !== '') - Number(a.figure !== '') || later(a, b)),
});

const later = (a: Row, b: Row): number => b.date.localeCompare(a.date);

function rowOf(file: string, record: Stored): Row {
  const { date, machine, gpu, facts } = record;
  const adapter = gpu?.device ?? facts?.probes.webgpu?.capabilities?.description;
  const host = machine?.cpu ?? facts?.browser ?? '';
  return {
    file: file.replace(/^.*\/records\//, ''),
    date,
    machine: adapter === undefined ? host : `${host}, ${adapter}`,
    cores: machine?.cores ?? facts?.threads ?? 0,
    figure: figureOfBench(record) ?? figureOfPage(record) ?? '',
  };
}

const inWords = (times: number, backend = 'auto'): string => `${times.toFixed(1)} (${backend})`;

/** A million random 32-bit keys in a record of `npm run bench`. */
function figureOfBench({ results = [] }: Stored): string | undefined {
  const found = results.find(
    ({ operation, keyType, distribution, length, theirs }) =>
      [operation, keyType, distribution].join() === 'sort,u32,random' &&
      length === MILLION &&
      theirs !== undefined,
  );
  if (found?.ours === undefined || found.theirs === undefined) return undefined;
  return inWords(median(found.theirs) / median(found.ours), found.backend);
}

/** 2^20 random 32-bit keys in a record of the comparison page, by the quickest backend. */
function figureOfPage({ settings, cells = [] }: Stored): string | undefined {
  const { keyType, payload, distribution } = settings ?? {};
  if ([keyType, payload, distribution].join() !== 'u32,none,random') return undefined;
  const times = cells
    .filter(({ length, samples }) => length === MEBI && samples.length > 0)
    .map(({ series, samples }) => ({ series, time: median(samples) }));
  const builtin = times.find(({ series }) => series === 'builtin');
  // What is on the GPU already is no sort of an array.
  const [best] = times
    .filter(({ series }) => !['builtin', 'resident'].includes(series))
    .sort((a, b) => a.time - b.time);
  if (builtin === undefined || best === undefined) return undefined;
  return inWords(builtin.time / best.time, best.series);
}
