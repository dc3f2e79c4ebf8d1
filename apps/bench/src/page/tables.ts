/** The page's tables, in Markdown. */

import { median } from '@keysweep/conformance/statistics';
import type { GpuResult } from '../gpu/record.js';
import { referenceFor } from '../gpu/reference.js';
import { formatPercent, formatRate } from '../gpu/rows.js';
import { formatTime } from '../table.js';
import {
  type BenchRecord,
  distributionPoints,
  formatLength,
  KINDS,
  kindOf,
  rateOf,
} from './rates.js';

/** Rows of cells under titles; the first column is text, the others are numbers. */
function table(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const rule = titles.map((_, i) => (i === 0 ? '---' : '--:'));
  return [line(titles), line(rule), ...rows.map(line)].join('\n');
}

/** Random keys by length: time and rate of each kind, and the share of the reference's rate. */
export function lengthTable(record: BenchRecord): string {
  const { results, reference = [] } = record;
  const random = results.filter(({ distribution }) => distribution === 'random');
  const kinds = KINDS.filter((kind) => random.some((result) => kindOf(result) === kind));
  const lengths = [...new Set(random.map(({ length }) => length))].sort((a, b) => a - b);
  const other = reference[0]?.name.toUpperCase();
  const titles = [
    'records',
    ...kinds.flatMap((kind) => [kind, 'G/s', ...(other === undefined ? [] : [`of ${other}`])]),
  ];
  const cellsOf = (result: GpuResult | undefined): string[] => {
    if (result === undefined) return ['', '', ...(other === undefined ? [] : [''])];
    const time = median(result.ours);
    const theirs = referenceFor(reference, result);
    const share = theirs === undefined ? '' : formatPercent(theirs.milliseconds / time);
    return [formatTime(time), formatRate(rateOf(result)), ...(other === undefined ? [] : [share])];
  };
  const rows = lengths.map((length) => [
    formatLength(length),
    ...kinds.flatMap((kind) =>
      cellsOf(random.find((result) => result.length === length && kindOf(result) === kind)),
    ),
  ]);
  return table(titles, rows);
}

/** Rates by distribution; undefined where there are only random keys. */
export function distributionTable(record: BenchRecord): string | undefined {
  const points = distributionPoints(record);
  if (points.length === 0) return undefined;
  const groups = [...new Set(points.map(({ group }) => group))];
  const distributions = [...new Set(points.map(({ distribution }) => distribution))];
  const rows = distributions.map((distribution) => [
    distribution,
    ...groups.map((group) => {
      const point = points.find((one) => one.group === group && one.distribution === distribution);
      return point === undefined ? '' : formatRate(point.rate);
    }),
  ]);
  return table(['G records/s', ...groups], rows);
}

/** Kernel by kernel, of random keys of the greatest length at which all kinds were measured; undefined without. */
export function kernelTables({ results, copyRate }: BenchRecord): string | undefined {
  const profiled = results.filter(
    (result) =>
      result.distribution === 'random' && result.kernels.length > 0 && kindOf(result) !== undefined,
  );
  if (copyRate === undefined || profiled.length === 0) return undefined;
  const kinds = KINDS.filter((kind) => profiled.some((result) => kindOf(result) === kind));
  const all = (length: number): boolean =>
    kinds.every((kind) => profiled.some((one) => one.length === length && kindOf(one) === kind));
  const length = Math.max(...profiled.map((result) => result.length).filter(all));
  return profiled
    .filter((result) => result.length === length)
    .map(
      (result) => `${formatLength(length)} ${kindOf(result)}:\n\n${kernelTable(result, copyRate)}`,
    )
    .join('\n\n');
}

function kernelTable({ kernels }: GpuResult, copyRate: number): string {
  const ran = kernels.filter(({ passes }) => passes > 0);
  const rows = ran.map(
    ({ kernel, passes, bytes, milliseconds }) =>
      [kernel, passes, median(milliseconds), bytes / copyRate] as const,
  );
  const sum = (at: 2 | 3): number => rows.reduce((total, row) => total + row[at], 0);
  return table(
    ['kernel', 'passes', 'time', 'floor', 'floor / time'],
    [...rows, ['all', '', sum(2), sum(3)] as const].map(([kernel, passes, time, floor]) => [
      kernel,
      String(passes),
      formatTime(time),
      floor === 0 ? '' : formatTime(floor),
      floor === 0 ? '' : formatPercent(floor / time),
    ]),
  );
}
