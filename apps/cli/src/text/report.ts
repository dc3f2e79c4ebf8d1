/** A sort's report as text. */

import type { ClusterReport } from '@keysweep/cluster';
import type { FileReport } from '@keysweep/external';
import type { Phase as SortPhase, SortReport } from 'keysweep';
import { formatBytes, formatCount, formatMilliseconds, layOut } from './format.js';

/** The parts of the work, in milliseconds each. */
export interface Phases {
  readonly reading: number;
  /** Finding the order, by one sort or several. */
  readonly ordering: number;
  /** Putting rows in order and encoding them, and waiting until they are written. */
  readonly writing: number;
}

const DONE: Readonly<Record<SortReport['operation'], string>> = {
  sort: 'sorted',
  sortPairs: 'sorted pairs of',
  argsort: 'found the order of',
};

/** In the order in which they happen. */
const PHASES: readonly SortPhase[] = ['queue', 'start', 'pack', 'upload', 'sort', 'readback'];

/** Any report as one line of JSON, with errors as their messages. */
export function jsonOf(report: object): string {
  const plain = (_: string, value: unknown): unknown => {
    // Nobody measures a time to more digits.
    if (typeof value === 'number' && !Number.isInteger(value)) return Number(value.toPrecision(6));
    return value instanceof Error ? value.message : value;
  };
  return `${JSON.stringify(report, plain)}\n`;
}

/** Several lines, each ended by a newline: the sort, and what all of the command took. */
export function formatReport(report: SortReport, phases: Phases): string {
  const { operation, backend, length, keyTypes, milliseconds, gpuMilliseconds, passes, threads } =
    report;
  const times = PHASES.filter((phase) => milliseconds[phase] !== undefined).map(
    (phase) => `${phase} ${formatMilliseconds(milliseconds[phase] as number)}`,
  );
  const what = `${formatCount(length)} ${keyTypes.join(' + ')} keys`;
  const rows = [
    [
      '  in all',
      (['reading', 'ordering', 'writing'] as const)
        .map((phase) => `${phase} ${formatMilliseconds(phases[phase])}`)
        .join(', '),
    ],
    ['  why', report.reason],
    ['  time', times.join(', ')],
    ...(gpuMilliseconds === undefined
      ? []
      : [['  on the GPU', `sort ${formatMilliseconds(gpuMilliseconds.sort)}`]]),
    ['  passes', `${passes.run} run, ${passes.skipped} skipped`],
    ['  threads', threads === 0 ? 'none: a GPU did the work' : `${threads}`],
    ...report.fallbacks.map((fallback) => [
      '  failed',
      `${fallback.backend}: ${fallback.error.message}`,
    ]),
  ];
  const title =
    `${DONE[operation]} ${what} in ${formatMilliseconds(milliseconds.total)} ` +
    `with '${backend}'`;
  return `${[title, ...layOut(rows)].join('\n')}\n`;
}

/** The report of a sort by files, likewise. */
export function formatFileReport(report: FileReport): string {
  const { bytes, memory, milliseconds, parts, partsResumed, imbalance, passes, threads } = report;
  const stages = (['spool', 'sample', 'partition', 'sort'] as const).filter(
    (stage) => milliseconds[stage] > 0,
  );
  const times = stages.map((stage) => `${stage} ${formatMilliseconds(milliseconds[stage])}`);
  const resumed = partsResumed === 0 ? '' : `, ${formatCount(partsResumed)} of them before`;
  const rows = [
    ['  time', times.join(', ')],
    [
      '  files',
      `${formatBytes(report.bytesRead)} read, ${formatBytes(report.bytesWritten)} written, ` +
        `in ${passes} ${passes === 1 ? 'pass' : 'passes'}` +
        (threads > 1 ? `, divided by ${threads} threads` : ''),
    ],
    [
      '  parts',
      `${formatCount(parts)}${resumed}, the largest ${imbalance.toFixed(2)} times the mean`,
    ],
    ['  output', formatBytes(report.outputBytes)],
    ...report.processes.map(({ pid, gpu, threads, parts: own, endedBy }) => [
      `  process ${pid}`,
      `${formatCount(own)} parts ${gpu === undefined ? `by ${threads} threads` : `on GPU ${gpu}`}` +
        (endedBy === undefined ? '' : `; ended by ${endedBy}`),
    ]),
  ];
  const title =
    `sorted ${formatBytes(bytes)} in ${formatMilliseconds(milliseconds.total)} ` +
    `with ${formatBytes(memory)} of memory`;
  return `${[title, ...layOut(rows)].join('\n')}\n`;
}

/** The report of a sort by a cluster, likewise. */
export function formatClusterReport(report: ClusterReport): string {
  const { bytes, milliseconds, parts, pieces, imbalance, retries, workers } = report;
  const stages = (['sample', 'partition', 'sort', 'write'] as const).filter(
    (stage) => milliseconds[stage] > 0,
  );
  const times = stages.map((stage) => `${stage} ${formatMilliseconds(milliseconds[stage])}`);
  const jobs = Object.entries(workers).map(([name, count]) => `${formatCount(count)} by ${name}`);
  const rows = [
    ['  time', times.join(', ')],
    [
      '  files',
      `${formatBytes(report.bytesRead)} read, ${formatBytes(report.bytesWritten)} written`,
    ],
    [
      '  parts',
      `${formatCount(parts)}, the largest ${imbalance.toFixed(2)} times the mean, of ` +
        `${formatCount(pieces)} pieces`,
    ],
    ['  jobs', `${jobs.join(', ')}; ${formatCount(retries)} started again`],
  ];
  const title = `sorted ${formatBytes(bytes)} in ${formatMilliseconds(milliseconds.total)}`;
  return `${[title, ...layOut(rows)].join('\n')}\n`;
}
