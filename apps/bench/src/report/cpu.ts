/** Sections from records of `cpu`, `references`, `substitutes` and `names`. */

import { median } from '@keysweep/conformance/statistics';
import type { Definition } from '../inputs/definitions.js';
import type { PlainResult } from '../measure/suite.js';
import { formatTime } from '../program/table.js';
import type { BenchmarkRecord } from '../record/record.js';
import type { RecordedTiming } from '../references/comparison.js';
import type { CpuResult } from '../suites/cpu.js';
import type { FirstResult } from '../suites/first-sorts.js';
import type { SubstituteResult } from '../suites/substitutes.js';
import {
  type Context,
  formatLength,
  formatTimes,
  lengthColumns,
  pivot,
  recordLink,
  type Source,
  table,
  unique,
} from './markdown.js';
import { type LinePoint, plotLines } from './plots.js';

export type CpuRecord = BenchmarkRecord<CpuResult>;
export type ReferencesRecord = BenchmarkRecord<RecordedTiming>;

const NAMES: Readonly<Record<Definition['keyType'], string>> = {
  u8: 'Uint8Array',
  i8: 'Int8Array',
  u16: 'Uint16Array',
  i16: 'Int16Array',
  u32: 'Uint32Array',
  i32: 'Int32Array',
  f32: 'Float32Array',
  u64: 'BigUint64Array',
  i64: 'BigInt64Array',
  f64: 'Float64Array',
};

type What = Pick<Definition, 'operation' | 'keyType'>;

const nameOf = ({ operation, keyType }: What): string =>
  operation === 'sort' ? NAMES[keyType] : `${operation}, ${NAMES[keyType]}`;

/** The kinds of request of the short table. */
const SHORT: readonly string[] = [
  'sort u32',
  'sort f32',
  'sort f64',
  'sort u64',
  'argsort u32',
  'sortPairs u32',
];

/** How many times as fast as the built-in, by kind of request and length, and times from 1e6 on. */
export function cpuTable({ record }: Source<CpuRecord>, isShort: boolean): string {
  const random = record.results.filter(
    ({ distribution, length }) => distribution === 'random' && length >= (isShort ? 1e5 : 1e3),
  );
  const isOf =
    (kind: string) =>
    ({ operation, keyType }: What): boolean =>
      `${operation} ${keyType}` === kind;
  const shown = isShort ? SHORT.flatMap((kind) => random.filter(isOf(kind))) : random;
  return pivot(shown, {
    title: 'keys',
    row: nameOf,
    column: ({ length }) => formatLength(length),
    cell: ratioCell,
    columns: lengthColumns(random),
  });
}

function ratioCell({ ours, theirs, length }: CpuResult): string {
  const ratio = formatTimes(median(theirs) / median(ours));
  return length < 1e6 ? ratio : `${ratio} (${formatTime(median(ours))})`;
}

/** The same of Uint32Array by how the keys lie before the sort. */
export function cpuOrders({ record }: Source<CpuRecord>): string {
  const results = record.results.filter(
    ({ operation, keyType, length }) => operation === 'sort' && keyType === 'u32' && length >= 1e3,
  );
  return pivot(results, {
    title: 'Uint32Array',
    row: ({ distribution }) => distribution,
    column: ({ length }) => formatLength(length),
    cell: ratioCell,
    columns: lengthColumns(results),
  });
}

/** First or later sorts: their time over the built-in's, and in milliseconds. */
export function firstTable({ record }: Source<BenchmarkRecord<FirstResult>>): string {
  return pivot(record.results, {
    title: record.results.some(({ before }) => before > 0) ? 'later sort of' : 'first sort of',
    row: ({ keyType }) => NAMES[keyType],
    column: ({ length }) => formatLength(length),
    cell: ({ ours, theirs }) => {
      const share = (median(ours) / median(theirs)).toFixed(2);
      return `${share} (${formatTime(median(ours))})`;
    },
    columns: lengthColumns(record.results),
  });
}

/** Rates of keysweep and the built-in over lengths, as SVG. */
export function cpuChart({ record }: Source<CpuRecord>): string {
  const points = record.results.flatMap((result): LinePoint[] => {
    const { operation, keyType, distribution, length, ours, theirs } = result;
    const isShown = ['u32', 'f32', 'f64', 'u64'].includes(keyType) && length >= 1e3;
    if (operation !== 'sort' || distribution !== 'random' || !isShown) return [];
    const rate = (samples: readonly number[]): number => length / median(samples) / 1e3;
    const kind = NAMES[keyType];
    return [
      { kind, program: 'keysweep', length, rate: rate(ours) },
      { kind, program: 'built-in', length, rate: rate(theirs) },
    ];
  });
  const labels = { x: 'keys', y: 'million keys a second' };
  const isTick = (length: number): boolean => length === 1e4 || length === 1e6;
  return plotLines(points, { ...labels, base: 10, isTick, isFirstAbove: true });
}

const threadsText = (threads: number): string => `${threads} thread${threads > 1 ? 's' : ''}`;

const titleOf = (one: What & { readonly length: number }): string =>
  `${nameOf(one)} ${formatLength(one.length)}`;

/** Million keys a second of each implementation. */
export function referencesTable({ record: { results } }: Source<ReferencesRecord>): string {
  return pivot(results, {
    title: 'million keys a second',
    row: ({ implementation, threads }) => `${implementation}, ${threadsText(threads)}`,
    column: titleOf,
    cell: (one) => (one.verified ? (one.length / timeOf(one) / 1e3).toPrecision(3) : 'wrong'),
    columns: unique(results.filter(({ length }) => length <= 1e7).map(titleOf)),
  });
}

/** Milliseconds with all copies. */
function timeOf({ milliseconds, copyIn, copyOut }: RecordedTiming): number {
  return median(milliseconds) + (copyIn && copyOut ? median(copyIn) + median(copyOut) : 0);
}

const NATIVE = 'C++ radix';

/**
 * Milliseconds by number of threads, and how many times as fast that is as the same on one thread;
 * before it, if the C++ radix sort was measured, as that with as many threads.
 */
export function scalingTable({ record: { results } }: Source<ReferencesRecord>): string {
  const hasNative = results.some(({ implementation }) => implementation === NATIVE);
  const timeBy = (like: RecordedTiming, whose: string, threads: number): number | undefined => {
    const found = results.find(
      (one) =>
        titleOf(one) === titleOf(like) && one.implementation === whose && one.threads === threads,
    );
    return found?.verified ? timeOf(found) : undefined;
  };
  const cell = (one: RecordedTiming): string => {
    if (!one.verified) return 'wrong';
    const { implementation, threads } = one;
    const others = [timeBy(one, implementation, 1)];
    if (hasNative) others.unshift(timeBy(one, NATIVE, threads));
    const ratios = others.map((other) => (other ? (other / timeOf(one)).toFixed(2) : '–'));
    return `${formatTime(timeOf(one))} (${ratios.join(', ')})`;
  };
  const titles = unique(results.map(titleOf));
  const ours = titles.flatMap((title) =>
    results.filter((one) => titleOf(one) === title && one.implementation !== NATIVE),
  );
  const counts = unique(results.map(({ threads }) => threads)).sort((a, b) => a - b);
  return pivot(ours, {
    title: 'keys',
    row: (one) => one.implementation.replace('keysweep', titleOf(one)),
    column: ({ threads }) => threadsText(threads),
    cell,
    columns: counts.map(threadsText),
  });
}

/**
 * Rates over numbers of threads, as SVG: keysweep beside the radix sort in C++ or, if that was not
 * measured, beside itself on shared memory.
 */
export function scalingChart({ record }: Source<ReferencesRecord>): string {
  const { results } = record;
  const hasNative = results.some(({ implementation }) => implementation === NATIVE);
  const shown = ['keysweep', hasNative ? NATIVE : 'keysweep, shared memory'];
  const points = results.flatMap((result): LinePoint[] => {
    const { operation, keyType, implementation, threads, length, verified } = result;
    const isShown = shown.includes(implementation) && ['u32', 'u64'].includes(keyType);
    if (!verified || !isShown || operation !== 'sort' || length < 1e6 || length > 1e7) return [];
    const kind = `${NAMES[keyType]} ${formatLength(length)}`;
    const rate = length / timeOf(result) / 1e3;
    return [{ kind, program: implementation, length: threads, rate }];
  });
  const labels = { x: 'threads', y: 'million keys a second' };
  return plotLines(
    points.sort((a, b) => a.length - b.length),
    { ...labels, base: 2, isTick: () => true, isFirstAbove: false },
  );
}

/** Times of a library's sort and of its recipe. */
export function substitutesTable({ record }: Source<BenchmarkRecord<SubstituteResult>>): string {
  const rows = record.results.map(({ name, rows, theirs, ours, verified }) => {
    const times = [formatTime(median(theirs)), formatTime(median(ours))];
    const ratio = verified ? formatTimes(median(theirs) / median(ours)) : 'wrong';
    return [name, formatLength(rows), ...times, ratio];
  });
  return table(['sort', 'rows', 'theirs', 'keysweep', 'times faster'], rows);
}

/** Times of a million rows by names, beside those of `toSorted`. */
export function namesTable(
  sources: readonly Source<BenchmarkRecord<PlainResult>>[],
  context: Context,
): string {
  const rows = sources.flatMap((source) => {
    const { results } = source.record;
    return unique(results.map((result) => result.case)).map((one) => {
      const ways = results.filter((result) => result.case === one);
      const timeOf = (name: string): number | undefined => {
        const found = ways.find((way) => way.name === name);
        return found && median(found.milliseconds);
      };
      const [theirs, ours] = [timeOf('toSorted') as number, timeOf('keysweep') as number];
      const prepared = timeOf('keysweep, prepared');
      return [
        `${one} (${recordLink(source as unknown as Source, context)})`,
        formatTime(theirs),
        formatTime(ours),
        ways.every(({ verified }) => verified) ? formatTimes(theirs / ours) : 'wrong',
        prepared === undefined ? '' : formatTime(prepared),
      ];
    });
  });
  return table(['a million rows by', 'toSorted', 'keysweep', 'times faster', 'prepared'], rows);
}
