/** Sections from records of `regret`, `compare-page` and `gpu-sort`. */

import { median } from '@keysweep/conformance/statistics';
import type { RegretRecord } from '../commands/regret.js';
import { formatTime } from '../program/table.js';
import type { BenchmarkRecord } from '../record/record.js';
import type { GpuSortResult } from '../suites/gpu-sort.js';
import {
  type Context,
  formatLength,
  formatTimes,
  recordLink,
  type Source,
  table,
} from './markdown.js';

/** A record of the comparison page, as far as its table needs it. */
export interface CompareRecord {
  readonly cells: readonly {
    readonly series: string;
    readonly length: number;
    /** Milliseconds of one sort. */
    readonly samples: readonly number[];
  }[];
}

/** What choices cost, a row for each record: geometric mean and worst case. */
export function regretTable(sources: readonly Source<RegretRecord>[], context: Context): string {
  const rows = sources.map((source) => {
    const { results } = source.record;
    const lengths = results.map(({ length }) => length);
    const cell = (which: 'builtIn' | 'calibrated'): string => {
      const all = results.map((result) => result[which].regret);
      const mean = Math.exp(all.reduce((sum, one) => sum + Math.log(one), 0) / all.length);
      return `${mean.toFixed(2)}, ${Math.max(...all).toFixed(2)}`;
    };
    const range = [Math.min(...lengths), Math.max(...lengths)].map(formatLength).join(' to ');
    return [
      recordLink(source, context, source.name),
      range,
      String(results.length),
      cell('builtIn'),
      cell('calibrated'),
    ];
  });
  return table(['record', 'keys', 'cases', 'built-in figures', 'after `calibrate()`'], rows);
}

/** Times faster than the built-in sort, by the comparison page. */
export function compareTable({ record: { cells } }: Source<CompareRecord>): string {
  const NAMES = {
    cpu: 'CPU backend',
    webgl2: 'WebGL2',
    webgpu: 'WebGPU',
    resident: 'WebGPU, keys on the GPU already',
  };
  const timeOf = (series: string, length: number): number => {
    const cell = cells.find((one) => one.series === series && one.length === length);
    return cell === undefined || cell.samples.length === 0 ? Number.NaN : median(cell.samples);
  };
  const lengths = [...new Set(cells.map(({ length }) => length))].filter((one) => one >= 2 ** 12);
  const rows = Object.entries(NAMES).map(([series, name]) => [
    name,
    ...lengths.map((length) => {
      const ratio = timeOf('builtin', length) / timeOf(series, length);
      return Number.isNaN(ratio) ? '' : formatTimes(ratio);
    }),
  ]);
  const builtin = lengths.map((length) => formatTime(timeOf('builtin', length)));
  return table(
    ['Uint32Array', ...lengths.map(formatLength)],
    [...rows, ['the built-in takes', ...builtin]],
  );
}

/** Ordinary arrays by the webgpu backend: whole calls, their phases, and the built-in sort. */
export function gpuArraysTable({
  record: { results },
}: Source<BenchmarkRecord<GpuSortResult>>): string {
  const rows = results.map(({ keyType, length, ours, theirs, phases }) => [
    `${formatLength(length)} ${keyType}`,
    formatTime(median(ours)),
    ...(['upload', 'sort', 'readback'] as const).map((phase) => formatTime(median(phases[phase]))),
    formatTime(median(theirs)),
    formatTimes(median(theirs) / median(ours)),
  ]);
  return table(['keys', 'whole call', 'upload', 'sort', 'readback', 'built-in', 'ratio'], rows);
}
