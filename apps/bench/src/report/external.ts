/** The table of sorts of files beyond memory. */

import { median } from '@keysweep/conformance/statistics';
import type { BenchmarkRecord } from '../record/record.js';
import type { ExternalResult } from '../suites/external.js';
import { formatTimes, type Source, table } from './markdown.js';

/** Seconds of keysweep and DuckDB by keys, and the memory of the process of keysweep. */
export function externalTable({ record }: Source<BenchmarkRecord<ExternalResult>>): string {
  const rows = record.results.map((result) => {
    const { keys, count, memory, ours, theirs, peaks, verified } = result;
    const [own, other] = [median(ours), median(theirs)];
    const seconds = (milliseconds: number): string => `${(milliseconds / 1e3).toFixed(1)} s`;
    return [
      keys,
      ...[`${(8 * count) / 1e6} MB`, `${memory / 1e6} MB`, seconds(own), seconds(other)],
      verified ? formatTimes(other / own) : 'wrong',
      `${Math.round(Math.max(...peaks) / 1e6)} MB`,
    ];
  });
  const titles = ['keys', 'file', 'memory', 'sortFile', 'DuckDB', 'times faster', 'peak'];
  return table(titles, rows);
}
