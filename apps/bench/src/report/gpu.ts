/** Tables from records of `gpu`. */

import { median } from '@keysweep/conformance/statistics';
import type { GpuRecord, GpuResult } from '../gpu/record.js';
import { referenceFor } from '../gpu/reference.js';
import { formatPercent, formatRate } from '../gpu/rows.js';
import { formatTime } from '../program/table.js';
import { formatLength, pivot, table } from './markdown.js';
import { distributionPoints, KINDS, kindOf, rateOf } from './rates.js';

/** Lengths of the short table. */
const SHORT: readonly number[] = [16, 20, 24, 26, 28].map((size) => 2 ** size);

/** Random keys by length: time and rate of each kind, and the share of the reference's rate. */
export function lengthTable(record: GpuRecord, isShort = false): string {
  const { results, reference = [] } = record;
  const random = results.filter(({ distribution }) => distribution === 'random');
  const kinds = KINDS.filter((kind) => random.some((result) => kindOf(result) === kind));
  const lengths = [...new Set(random.map(({ length }) => length))]
    .filter((length) => !isShort || SHORT.includes(length))
    .sort((a, b) => a - b);
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

/** Rates by distribution. @throws Error where there are only random keys. */
export function distributionTable(record: GpuRecord): string {
  const points = distributionPoints(record);
  if (points.length === 0) throw new Error('the record has only random keys');
  return pivot(points, {
    title: 'G records/s',
    row: ({ distribution }) => distribution,
    column: ({ group }) => group,
    cell: ({ rate }) => formatRate(rate),
  });
}

/**
 * Kernel by kernel, of random keys of the greatest length at which all kinds were measured.
 * @throws Error where kernels were not measured.
 */
export function kernelTables({ results, copyRate }: GpuRecord): string {
  const profiled = results.filter(
    (result) =>
      result.distribution === 'random' && result.kernels.length > 0 && kindOf(result) !== undefined,
  );
  if (copyRate === undefined || profiled.length === 0) throw new Error('no kernels in the record');
  const kinds = KINDS.filter((kind) => profiled.some((result) => kindOf(result) === kind));
  const all = (length: number): boolean =>
    kinds.every((kind) => profiled.some((one) => one.length === length && kindOf(one) === kind));
  const length = Math.max(...profiled.map((result) => result.length).filter(all));
  const tables = profiled
    .filter((result) => result.length === length)
    .map(
      (result) => `${formatLength(length)} ${kindOf(result)}:\n\n${kernelTable(result, copyRate)}`,
    );
  const rate = `Floors are at ${(copyRate / 1e9).toFixed(2)} TB/s.`;
  return [rate, ...tables].join('\n\n');
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

/** What was measured, and how. */
export function aboutRun({ gpu, machine, date, results }: GpuRecord): string {
  const name = [gpu.vendor, gpu.device].filter(Boolean).join(' ');
  const features = gpu.features.filter((feature) => feature !== 'core-features-and-limits');
  const failed = results.filter(({ verified }) => !verified).length;
  const isByGpu = results.every(({ clock }) => clock === 'gpu');
  const rows = [
    ['GPU', `${name}${gpu.software ? ' (SOFTWARE: no figure of any GPU)' : ''}`],
    ['driver', gpu.driver],
    ['WebGPU', `Dawn in Node.js ${machine.node}, ${machine.os}`],
    ['subgroups', features.includes('subgroups') ? 'yes' : 'no'],
    ['date', date.slice(0, 10)],
    ['clock', isByGpu ? 'timestamps of the GPU' : 'the host’s, for batches with and without sorts'],
    ['results', failed === 0 ? 'all verified' : `**${failed} of ${results.length} were wrong**`],
  ];
  return table(['', ''], rows, 'text');
}
