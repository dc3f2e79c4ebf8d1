/** The tables of sorts of files by the command. */

import { median } from '@keysweep/conformance/statistics';
import type { PlainResult } from '../measure/suite.js';
import type { BenchmarkRecord } from '../record/record.js';
import type { TableFilesResult } from '../suites/table-files.js';
import { type Source, table } from './markdown.js';

/** Seconds and memory of keysweep, DuckDB and, of CSV, GNU sort. */
export function tableFilesTable({ record }: Source<BenchmarkRecord<TableFilesResult>>): string {
  const seconds = (milliseconds: readonly number[] | undefined): string =>
    milliseconds === undefined ? '' : `${(median(milliseconds) / 1e3).toFixed(2)} s`;
  const rows = record.results.map((result) => {
    const { table: name, format, keys, head, ours, theirs, statements, gnu, peaks } = result;
    const [own, other] = [median(ours), median(theirs)];
    return [
      `${format}, ${name === 'numbers' ? 3 : 10} columns`,
      `${keys.join(', ')}${head === undefined ? '' : `, the first ${head}`}`,
      ...[seconds(ours), seconds(theirs), seconds(statements)],
      result.verified ? (own / other).toFixed(2) : 'wrong',
      seconds(gnu),
      peaks.map((peak) => Math.round(peak / 1e6)).join(', '),
    ];
  });
  const titles = ['table', 'by', 'keysweep', 'DuckDB', 'its statement', 'ratio', 'GNU sort', 'MB'];
  return table(titles, rows);
}

/** Seconds of each way to sort a file of numbers. */
export function rawFilesTable({ record }: Source<BenchmarkRecord<PlainResult>>): string {
  const rows = record.results.map(({ case: file, name, milliseconds, verified }) => {
    const time = `${(median(milliseconds) / 1e3).toFixed(2)} s`;
    return [file, name, verified ? time : 'wrong'];
  });
  return table(['file', 'keysweep sort', 'time'], rows);
}
