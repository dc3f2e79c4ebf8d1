/** What `papers` prints: a line for each sort, and what was found of the sources' claims. */

import { formatRate } from '@keysweep/bench/gpu/rows.js';
import {
  formatCount,
  formatHead,
  formatRow,
  formatTime,
  type TableColumn,
} from '@keysweep/bench/program/table.js';
import { median } from '@keysweep/conformance/statistics';
import { findingsBySource, linesOf } from './claims.js';
import { CUB, OURS, SORTS, STD_SORT } from './definitions.js';
import type { PaperResult } from './measure.js';

const COLUMNS: readonly TableColumn[] = [
  {
    title: 'sort',
    width: Math.max(...[...SORTS, CUB, STD_SORT].map((name) => name.length)),
    align: 'left',
  },
  { title: 'operation', width: 9, align: 'left' },
  { title: 'length', width: 11, align: 'right' },
  { title: 'keys', width: 13, align: 'left' },
  { title: 'time', width: 8, align: 'right' },
  { title: 'G keys/s', width: 8, align: 'right' },
  { title: 'of ours', width: 8, align: 'right' },
  { title: 'dispatches', width: 10, align: 'right' },
  { title: 'B/key', width: 7, align: 'right' },
  { title: 'ops/key', width: 7, align: 'right' },
  { title: 'verified', width: 8, align: 'left' },
];

export const headOfPapers = (): string => formatHead(COLUMNS);

/** One line; `all` has what keysweep took for the same. */
export function rowOfPaper(result: PaperResult, all: readonly PaperResult[]): string {
  const { sort, operation, length, distribution, milliseconds, dispatches, cost, fault } = result;
  const time = median(milliseconds);
  const ours = all.find(
    (one) =>
      one.sort === OURS &&
      one.operation === operation &&
      one.length === length &&
      one.distribution === distribution,
  );
  const share =
    ours === undefined ? '' : `${((100 * median(ours.milliseconds)) / time).toFixed(1)} %`;
  // The model is one of keys alone, but for sorts of pairs.
  const isModelled = cost !== undefined && (operation === 'sort' || /-(hybrid|pairs)$/.test(sort));
  return formatRow(COLUMNS, [
    sort,
    operation,
    formatCount(length),
    distribution,
    formatTime(time),
    formatRate(length / time / 1e6),
    share,
    dispatches === 0 ? '' : formatCount(dispatches),
    isModelled ? formatCount(Math.round(cost.bytes)) : '',
    isModelled ? formatCount(Math.round(cost.operations)) : '',
    fault === undefined ? 'yes' : `NO: ${fault}`,
  ]);
}

/** What was found of all claims, source by source. */
export const claimsText = (results: readonly PaperResult[]): string =>
  findingsBySource(results)
    .map(({ source, found }) => `${source}\n${linesOf(found)}`)
    .join('\n\n');
