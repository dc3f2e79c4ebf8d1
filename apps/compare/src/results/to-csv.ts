/** Results as CSV. */

import type { Cell } from '../run/events.js';
import { pointsOf } from './points.js';

const COLUMNS = [
  'series',
  'software',
  'keys',
  'median_ms',
  'first_quartile_ms',
  'third_quartile_ms',
  'keys_per_second',
  'times_builtin',
  'clock',
  'samples',
  'sorts_per_sample',
  'verified_sorts',
  'predicted_ms',
  'upload_ms',
  'sort_ms',
  'readback_ms',
  'problem',
] as const;

/** A line of names, then one line a cell, failed ones included. */
export function toCsv(cells: readonly Cell[]): string {
  const points = new Map(pointsOf(cells).map((point) => [point.cell, point]));
  const lines = cells.map((cell) => {
    const point = points.get(cell);
    const { phases } = cell;
    const line: Readonly<Record<(typeof COLUMNS)[number], string | number | boolean | undefined>> =
      {
        series: cell.series,
        software: cell.software,
        keys: cell.length,
        median_ms: point?.milliseconds.median,
        first_quartile_ms: point?.milliseconds.first,
        third_quartile_ms: point?.milliseconds.third,
        keys_per_second: point && Math.round(point.rate),
        times_builtin: point?.speedup,
        clock: cell.clock,
        samples: cell.samples.length,
        sorts_per_sample: cell.calls,
        verified_sorts: cell.verified,
        predicted_ms: cell.predicted,
        upload_ms: phases?.upload,
        sort_ms: phases?.sort,
        readback_ms: phases?.readback,
        problem: cell.fault ?? cell.error,
      };
    return COLUMNS.map((name) => quoted(line[name])).join(',');
  });
  return `${[COLUMNS.join(','), ...lines].join('\n')}\n`;
}

function quoted(value: string | number | boolean | undefined): string {
  const text = typeof value === 'number' ? `${Number(value.toPrecision(6))}` : `${value ?? ''}`;
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
