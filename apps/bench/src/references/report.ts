/** What the comparison found, as lines of a table and of a record. */

import { median } from '@keysweep/conformance/statistics';
import type { Definition } from '../definitions.js';
import type { BenchmarkRecord } from '../record.js';
import { formatHead, formatRatio, formatRow, formatTime, type TableColumn } from '../table.js';
import type { Standing } from './contest.js';

const COLUMNS: readonly TableColumn[] = [
  { title: 'sort', width: 19, align: 'left' },
  { title: 'threads', width: 7, align: 'right' },
  { title: 'time', width: 8, align: 'right' },
  { title: 'M keys/s', width: 8, align: 'right' },
  { title: 'ratio', width: 6, align: 'right' },
  { title: 'copies', width: 8, align: 'right' },
  { title: 'verified', width: 8, align: 'left' },
];

/** The table of one definition. The first standing is what the others are compared with. */
export function formatStandings(definition: Definition, standings: readonly Standing[]): string {
  const [first] = standings;
  const rows = standings.map((standing) => formatStanding(definition, standing, first as Standing));
  return [formatHead(COLUMNS), ...rows].join('\n');
}

function formatStanding(definition: Definition, standing: Standing, first: Standing): string {
  const { contender, milliseconds, copyIn, copyOut, fault } = standing;
  const head = [contender.name, String(contender.threads)];
  if (fault !== undefined) return formatRow(COLUMNS, [...head, '', '', '', '', verdictOf(fault)]);
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

const verdictOf = (fault: string): string =>
  fault.startsWith('failed: ') ? fault : `wrong: ${fault}`;

/** A contender's samples for one definition, in milliseconds. */
export interface RecordedStanding extends Definition {
  readonly contender: string;
  readonly threads: number;
  readonly milliseconds: readonly number[];
  /** Only of programs with memory of their own, whose `milliseconds` are without copies. */
  readonly copyIn?: readonly number[];
  readonly copyOut?: readonly number[];
  readonly verified: boolean;
  readonly fault?: string;
}

/** A comparison, with the versions of everything in it. */
export interface ReferenceRecord extends BenchmarkRecord<RecordedStanding> {
  readonly versions: Readonly<Record<string, string>>;
  /** Who was not there, and why. */
  readonly absent: Readonly<Record<string, string>>;
}

/** The standings as they are recorded. */
export function recorded(
  definition: Definition,
  standings: readonly Standing[],
): RecordedStanding[] {
  return standings.map(({ contender, milliseconds, copyIn, copyOut, fault }) => ({
    ...definition,
    contender: contender.name,
    threads: contender.threads,
    milliseconds,
    ...(copyIn.length > 0 ? { copyIn, copyOut } : {}),
    verified: fault === undefined,
    ...(fault === undefined ? {} : { fault }),
  }));
}
