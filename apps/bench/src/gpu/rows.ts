/** What `bench` prints: a row a definition, and a table of its kernels below. */

import { median } from '@keysweep/conformance/statistics';
import { formatCount, formatRow, formatTime, type TableColumn } from '../program/table.js';
import type { GpuCase } from './inputs/definitions.js';
import type { KernelShare } from './kernels/profile.js';
import type { Measured } from './measure.js';
import { type ReferenceTime, referenceFor } from './reference.js';

const COLUMNS: readonly TableColumn[] = [
  { title: 'operation', width: 9, align: 'left' },
  { title: 'type', width: 4, align: 'left' },
  { title: 'length', width: 11, align: 'right' },
  { title: 'keys', width: 4, align: 'left' },
  { title: 'on the GPU', width: 10, align: 'right' },
  { title: 'from', width: 8, align: 'right' },
  { title: 'to', width: 8, align: 'right' },
  { title: 'G keys/s', width: 8, align: 'right' },
  { title: 'latency', width: 8, align: 'right' },
  { title: 'verified', width: 8, align: 'left' },
];

const KERNEL_COLUMNS: readonly TableColumn[] = [
  { title: '', width: 4, align: 'left' },
  { title: 'kernel', width: 13, align: 'left' },
  { title: 'passes', width: 6, align: 'right' },
  { title: 'time', width: 8, align: 'right' },
  { title: 'share', width: 6, align: 'right' },
  { title: 'floor', width: 8, align: 'right' },
  { title: 'reached', width: 7, align: 'right' },
];

/** The table's columns; where there is a reference, our rate over its is the last but one. */
export function columnsFor(
  cases: readonly GpuCase[],
  reference: readonly ReferenceTime[],
): TableColumn[] {
  const names = [...new Set(reference.map(({ name }) => name))].join(', ');
  const column: TableColumn = { title: `of ${names}`, width: 6, align: 'right' };
  const columns = [
    ...COLUMNS.slice(0, -1),
    ...(names === '' ? [] : [column]),
    ...COLUMNS.slice(-1),
  ];
  const width = Math.max(...cases.map(({ distribution }) => distribution.length), 4);
  return columns.map((one) => (one.title === 'keys' ? { ...one, width } : one));
}

export function rowOf(
  columns: readonly TableColumn[],
  { result, fault }: Measured,
  reference: readonly ReferenceTime[],
): string {
  const { operation, keyType, length, distribution, ours, latency } = result;
  const time = median(ours);
  const theirs = referenceFor(reference, result)?.milliseconds;
  const ratio = theirs === undefined ? '' : formatPercent(theirs / time);
  return formatRow(columns, [
    operation,
    keyType,
    formatCount(length),
    distribution,
    formatTime(time),
    formatTime(Math.min(...ours)),
    formatTime(Math.max(...ours)),
    formatRate(length / time / 1e6),
    formatTime(median(latency)),
    ...(reference.length === 0 ? [] : [ratio]),
    fault === undefined ? 'yes' : `NO: ${fault}`,
  ]);
}

/** 31.6543 → "31.65"; of software, 0.000126 → "0.0001". */
export const formatRate = (rate: number): string =>
  rate < 0.01 ? Number(rate.toPrecision(1)).toString() : rate.toFixed(2);

/** 0.364 → "36 %". */
export const formatPercent = (share: number): string => `${(100 * share).toFixed(0)} %`;

/** A table of the kernels; `rate` is in bytes a millisecond. */
export function kernelRows(kernels: readonly KernelShare[], rate: number): string {
  const times = kernels.map(({ milliseconds }) => median(milliseconds));
  const total = times.reduce((sum, time) => sum + time, 0);
  const rows = kernels.map(({ kernel, passes, bytes }, i) => {
    const time = times[i] as number;
    const floor = bytes / rate;
    return formatRow(KERNEL_COLUMNS, [
      '',
      kernel,
      String(passes),
      formatTime(time),
      formatPercent(time / total),
      ...(bytes === 0 ? [] : [formatTime(floor), formatPercent(floor / time)]),
    ]);
  });
  const titles = KERNEL_COLUMNS.map(({ title }) => title);
  return [formatRow(KERNEL_COLUMNS, titles), ...rows, ''].join('\n');
}
