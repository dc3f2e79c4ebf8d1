/** Tables and the chart of keys as programs have them, from records of `gpu --keys`. */

import { median } from '@keysweep/conformance/statistics';
import { REAL_KEYS, REAL_NAMES, type RealName } from '../gpu/inputs/real-keys.js';
import type { GpuRecord, GpuResult } from '../gpu/record.js';
import { referenceFor } from '../gpu/reference.js';
import { formatPercent } from '../gpu/rows.js';
import {
  type Context,
  formatLength,
  lengthColumns,
  type Make,
  pivot,
  recordLink,
  type Source,
  unique,
} from './markdown.js';
import { type LinePoint, plotLines } from './plots.js';

const RECORDS: Readonly<Record<GpuResult['operation'], string>> = {
  sort: 'keys',
  sortPairs: 'pairs',
};

/** Lengths of the brief table, and its rows: of each sort of keys the one that most have. */
const BRIEF = [2 ** 22, 2 ** 26];
const BRIEF_NAMES: readonly string[] = [
  'f32-unit',
  'f32-normal',
  'u32-ids24',
  'u32-zipf',
  'f64-ms',
  'u32-uniform',
] satisfies RealName[];

/** A kind of keys is in the chart if it was measured at this many lengths or more. */
const CHARTED = 5;

/** Billions of records a second. */
const rate = (length: number, milliseconds: number): number => length / milliseconds / 1e6;

const nameOf = ({ keyType, distribution }: GpuResult): string => `${keyType}-${distribution}`;

/** A file's kind in words; files that we don't make are called as they are named. */
function kindText(result: GpuResult): string {
  const { keyType, distribution } = result;
  const name = REAL_NAMES.find((one) => one === nameOf(result));
  return name === undefined ? `\`${keyType}\` ${distribution}` : REAL_KEYS[name].text;
}

/** Results in the order in which the kinds are listed. */
function ordered(results: readonly GpuResult[]): GpuResult[] {
  const names: readonly string[] = REAL_NAMES;
  const place = (result: GpuResult): number => {
    const found = names.indexOf(nameOf(result));
    return found < 0 ? names.length : found;
  };
  return [...results].sort((a, b) => place(a) - place(b));
}

/** "52.1 (108 %)": billions of records a second, and the share of the reference's rate. */
function cellOf(result: GpuResult, reference: GpuRecord['reference']): string {
  const time = median(result.ours);
  const ours = rate(result.length, time).toFixed(1);
  const theirs = referenceFor(reference, result);
  if (theirs === undefined) return ours;
  return `${ours} (${formatPercent(theirs.milliseconds / time)})`;
}

/** What CUB is called, such as "CUB 3.6.0"; undefined without a reference. */
function referenceName({ reference: [first] }: GpuRecord): string | undefined {
  if (first === undefined) return undefined;
  return [first.name.toUpperCase(), first.version].filter(Boolean).join(' ');
}

/** The title of the first column. */
function titleOf(record: GpuRecord, what: string): string {
  const other = referenceName(record);
  return other === undefined ? `G ${what}/s` : `G ${what}/s (of ${other})`;
}

/** A table of keys at all lengths, and one of pairs. */
export function realKeysTables(record: GpuRecord): string {
  const tables = (['sort', 'sortPairs'] as const).map((operation) => {
    const results = record.results.filter((one) => one.operation === operation);
    return pivot(ordered(results), {
      title: titleOf(record, RECORDS[operation]),
      row: kindText,
      column: ({ length }) => formatLength(length),
      columns: lengthColumns(results),
      cell: (one) => cellOf(one, record.reference),
    });
  });
  return tables.join('\n\n');
}

/** Some kinds of keys and pairs at two lengths, in one table. */
export function realKeysBrief(record: GpuRecord): string {
  const columnOf = ({ operation, length }: Pick<GpuResult, 'operation' | 'length'>): string =>
    `${formatLength(length)} ${RECORDS[operation]}`;
  const results = record.results.filter((result) => BRIEF_NAMES.includes(nameOf(result)));
  return pivot(ordered(results), {
    title: titleOf(record, 'records'),
    row: kindText,
    column: columnOf,
    columns: BRIEF.flatMap((length) =>
      (['sort', 'sortPairs'] as const).map((operation) => columnOf({ operation, length })),
    ),
    cell: (one) => cellOf(one, record.reference),
  });
}

/** Rates over lengths, of keys and pairs that were measured at many; and those of the reference. */
export function realKeysChart({ results, reference }: GpuRecord): string {
  const points = ordered(results).flatMap((result): LinePoint[] => {
    const { keyType, distribution, operation, length, ours } = result;
    const kind = `${keyType} ${distribution}, ${RECORDS[operation]}`;
    const theirs = referenceFor(reference, result);
    return [
      { kind, program: 'keysweep', length, rate: rate(length, median(ours)) },
      ...(theirs === undefined
        ? []
        : [{ kind, program: 'CUB', length, rate: rate(length, theirs.milliseconds) }]),
    ];
  });
  const lengthsOf = (wanted: string): number =>
    unique(points.filter(({ kind }) => kind === wanted).map(({ length }) => length)).length;
  return plotLines(
    points.filter(({ kind }) => lengthsOf(kind) >= CHARTED).sort((a, b) => a.length - b.length),
    {
      x: 'records',
      y: 'billions of records a second',
      base: 2,
      isTick: (length) => Math.log2(length) % 4 === 2,
      isFirstAbove: false,
      below: 64,
    },
  );
}

/** A section of one record, with a line that says where it was made. */
export const realKeysSection =
  (make: (record: GpuRecord, context: Context) => string): Make =>
  (sources, context) => {
    const [source] = sources as readonly unknown[] as readonly Source<GpuRecord>[];
    if (source === undefined || sources.length > 1) throw new Error('it takes one record');
    const { record, name } = source;
    const wrong = record.results.filter(({ verified }) => !verified).length;
    if (wrong > 0) throw new Error(`${wrong} results of ${name} were wrong`);
    const { gpu, machine, date } = record;
    const names = [gpu.vendor, gpu.device, gpu.software ? '(SOFTWARE)' : undefined];
    const device = names.filter(Boolean).join(' ');
    const link = recordLink(source as unknown as Source, context, name);
    const about = `${device}, Node.js ${machine.node}, ${date.slice(0, 10)}, every result checked`;
    return `${make(record, context)}\n\nRecord ${link}: ${about}.`;
  };
