/** What the comparison found, as lines of a table and of a record. */

import { median } from '@keysweep/conformance/statistics';
import type { Definition } from '../inputs/definitions.js';
import {
  formatHead,
  formatRatio,
  formatRow,
  formatTime,
  type TableColumn,
} from '../program/table.js';
import type { Timing } from './comparison.js';

const COLUMNS: readonly TableColumn[] = [
  { title: 'sort', width: 19, align: 'left' },
  { title: 'threads', width: 7, align: 'right' },
  { title: 'time', width: 8, align: 'right' },
  { title: 'M keys/s', width: 8, align: 'right' },
  { title: 'ratio', width: 6, align: 'right' },
  { title: 'copies', width: 8, align: 'right' },
  { title: 'verified', width: 8, align: 'left' },
];

/** The table of one definition. Ratios are to the first timing. */
export function formatTimings(definition: Definition, timings: readonly Timing[]): string {
  const [first] = timings;
  const rows = timings.map((timing) => rowOf(definition, timing, first as Timing));
  return [formatHead(COLUMNS), ...rows].join('\n');
}

function rowOf(definition: Definition, timing: Timing, first: Timing): string {
  const { implementation, milliseconds, copyIn, copyOut, fault } = timing;
  const head = [implementation.name, String(implementation.threads)];
  if (fault !== undefined) {
    const what = fault.startsWith('failed: ') ? fault : `wrong: ${fault}`;
    return formatRow(COLUMNS, [...head, '', '', '', '', what]);
  }
  const time = median(milliseconds);
  return formatRow(COLUMNS, [
    ...head,
    formatTime(time),
    (definition.length / time / 1000).toPrecision(3),
    first.fault === undefined ? formatRatio(time / median(first.milliseconds)) : '',
    copyIn.length > 0 ? formatTime(median(copyIn) + median(copyOut)) : '',
    'yes',
  ]);
}

/** The samples of an implementation for one definition, in milliseconds. */
export interface RecordedTiming extends Definition {
  readonly implementation: string;
  readonly threads: number;
  readonly milliseconds: readonly number[];
  /** Only of programs with memory of their own, whose `milliseconds` are without copies. */
  readonly copyIn?: readonly number[];
  readonly copyOut?: readonly number[];
  readonly verified: boolean;
  readonly fault?: string;
}

/** The timings as they are recorded. */
export function recordedTimings(
  definition: Definition,
  timings: readonly Timing[],
): RecordedTiming[] {
  return timings.map(({ implementation, milliseconds, copyIn, copyOut, fault }) => ({
    ...definition,
    implementation: implementation.name,
    threads: implementation.threads,
    milliseconds,
    ...(copyIn.length > 0 ? { copyIn, copyOut } : {}),
    verified: fault === undefined,
    ...(fault === undefined ? {} : { fault }),
  }));
}
