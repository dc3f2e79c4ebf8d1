/** Tables from records of `papers`. */

import { formatRate } from '@keysweep/bench/gpu/rows.js';
import { formatCount } from '@keysweep/bench/program/table.js';
import type { BenchmarkRecord } from '@keysweep/bench/record/record.js';
import type { RecordedTiming } from '@keysweep/bench/references/comparison.js';
import {
  formatLength,
  lengthColumns,
  pivot,
  type Source,
  table,
  unique,
} from '@keysweep/bench/report/markdown.js';
import { plotLines } from '@keysweep/bench/report/plots.js';
import { median } from '@keysweep/conformance/statistics';
import type { PaperCheck } from '../bench/check.js';
import { type Finding, findingsBySource } from '../bench/claims.js';
import { claimsOnCpu } from '../bench/cpu.js';
import { CUB, OURS, SORTS, STD_SORT, VARIED } from '../bench/definitions.js';
import { IDEAS } from '../bench/ideas.js';
import type { PaperResult, PapersAbout } from '../bench/measure.js';
import { ALGORITHMS, CPU_ALGORITHMS, CPU_SORTS } from '../sorts/index.js';

/** What was found of claims: what a source says, what holds here. */
const findingsTable = (findings: readonly ({ readonly says: string } & Finding)[]): string =>
  table(
    ['what it says', 'here', 'verdict'],
    findings.map(({ says, here, verdict }) => [says, here, verdict]),
    'text',
  );

/** Millions of keys a second of each sort on the CPU, by length and kind of key; the claims. */
export function papersOnCpu({ record }: Source<BenchmarkRecord<RecordedTiming>>): string {
  const { results } = record;
  const random = results.filter(({ distribution }) => distribution === 'random');
  const rates = {
    row: ({ implementation, threads }: RecordedTiming) =>
      threads > 1 ? `${implementation}, ${threads} threads` : implementation,
    column: ({ length }: RecordedTiming) => formatLength(length),
    cell: ({ length, milliseconds }: RecordedTiming) =>
      (length / median(milliseconds) / 1000).toPrecision(3),
  };
  const reversed = results.filter(({ distribution }) => distribution === 'reversed');
  const kinds = VARIED.filter((kind) => results.some(({ distribution }) => distribution === kind));
  const varied = Math.max(
    ...results
      .filter(({ distribution }) => distribution === kinds.at(-1))
      .map(({ length }) => length),
  );
  const byKind = pivot(
    results.filter(({ length }) => length === varied),
    {
      ...{ ...rates, title: `${formatLength(varied)} keys, M keys/s`, columns: kinds },
      column: ({ distribution }) => distribution,
    },
  );
  return [
    pivot(random, { ...rates, title: 'M keys/s' }),
    pivot(reversed, { ...rates, title: 'descending keys, M keys/s' }),
    byKind,
    findingsTable(claimsOnCpu(results)),
  ].join('\n\n');
}

/** What the sources say of sorts on a GPU, and whether it held. */
export function papersClaims({ record }: Source<BenchmarkRecord<PaperResult>>): string {
  const rows = findingsBySource(record.results).flatMap(({ source, found }) =>
    found.map(({ says, here, verdict }) => [source, says, here, verdict]),
  );
  return table(['source', 'what it says', 'here', 'verdict'], rows, 'text');
}

/** Billions of keys a second of each sort: by length, and by kind of key at the longest length. */
export function papersOnGpu({ record }: Source<BenchmarkRecord<PaperResult>>): string {
  const sorts = [...SORTS, CUB, STD_SORT];
  const ordered = (['sort', 'sortPairs'] as const).flatMap((operation) =>
    sorts.flatMap((sort) =>
      record.results.filter((one) => one.sort === sort && one.operation === operation),
    ),
  );
  const cell = ({ length, milliseconds }: PaperResult): string =>
    formatRate(length / median(milliseconds) / 1e6);
  const random = ordered.filter(({ distribution }) => distribution === 'random');
  const byLength = pivot(random, {
    title: 'G keys/s',
    row: ({ sort, operation }) => (operation === 'sort' ? sort : `${sort}, pairs`),
    column: ({ length }) => formatLength(length),
    cell,
    columns: lengthColumns(random),
  });
  const keysAlone = ordered.filter(({ operation }) => operation === 'sort');
  const variedLength = (sort: string): number =>
    Math.max(
      ...keysAlone
        .filter((one) => one.sort === sort && one.distribution !== 'random')
        .map(({ length }) => length),
    );
  const varied = keysAlone.filter(({ sort, length }) => length === variedLength(sort));
  const byKind = pivot(varied, {
    title: 'G keys/s',
    row: ({ sort, length }) => `${sort}, ${formatLength(length)}`,
    column: ({ distribution }) => distribution,
    cell,
    columns: VARIED.filter((kind) => varied.some(({ distribution }) => distribution === kind)),
  });
  return `${byLength}\n\n${byKind}`;
}

/** 0.4561 → "0.456", 2184.5 → "2,185". */
const threeDigits = (number: number): string =>
  number < 1000 ? number.toPrecision(3) : formatCount(Math.round(number));

const shareOf = (rate: number, most: number | undefined): string =>
  most === undefined ? '' : `${((100 * rate) / most).toFixed(0)} %`;

/**
 * "Is this efficient?": each sort's dispatches, bytes and operations of a key by its model, at the
 * longest random input; what share of a copy's rate that makes, and operations a second.
 */
export function papersWork({ record }: Source<BenchmarkRecord<PaperResult> & PapersAbout>): string {
  const { results, copyRate } = record;
  const rows = ALGORITHMS.flatMap(({ name, isForPairs = false }) => {
    const found = results
      .filter(({ sort, distribution }) => sort === name && distribution === 'random')
      .filter(({ operation }) => (operation === 'sortPairs') === isForPairs)
      .sort((a, b) => b.length - a.length)[0];
    if (found?.cost === undefined) return [];
    const { length, dispatches, cost, milliseconds } = found;
    const time = median(milliseconds) / length;
    return [
      [
        isForPairs ? `${name}, pairs` : name,
        formatLength(length),
        formatCount(dispatches),
        formatCount(Math.round(cost.bytes)),
        formatCount(Math.round(cost.operations)),
        threeDigits(1e6 * time),
        shareOf(cost.bytes / time, copyRate),
        threeDigits(cost.operations / time / 1e6),
      ],
    ];
  });
  const head = ['sort', 'keys', 'dispatches', 'B/key', 'ops/key', 'ns/key', 'of a copy', 'G ops/s'];
  const copies = copyRate === undefined ? '' : ` Copies: ${(copyRate / 1e9).toFixed(2)} TB/s.`;
  return `${table(head, rows)}\n\nBytes and operations are the model’s.${copies}`;
}

/** The longest input at which each sort was checked, and how often, by whom. */
export function papersCheck({ record }: Source<BenchmarkRecord<PaperCheck>>): string {
  const rows = unique(record.results.map(({ sort }) => sort)).map((sort) => {
    const checks = record.results.filter((one) => one.sort === sort);
    const lengths = unique(checks.map(({ length }) => length));
    const hasPairs = checks.some(({ operation }) => operation === 'sortPairs');
    const countOf = (by: PaperCheck['by']): string =>
      formatCount(
        checks
          .filter((one) => one.by === by)
          .reduce((sum, { distributions }) => sum + distributions.length, 0),
      );
    const wrong = checks.reduce((sum, { faults }) => sum + Object.keys(faults).length, 0);
    const longest = formatLength(Math.max(...lengths));
    const counts = [countOf('suite'), countOf('gpu'), String(wrong)];
    return [sort, hasPairs ? 'yes' : 'no', longest, ...counts];
  });
  const kindsBy = (by: PaperCheck['by']): string =>
    unique(
      record.results.filter((one) => one.by === by).flatMap(({ distributions }) => distributions),
    ).join('; ');
  const head = ['sort', 'pairs', 'up to', 'sorts, by the suite', 'by the GPU', 'wrong'];
  return [
    table(head, rows),
    table(
      ['checked by', 'kinds of keys'],
      [
        ['the suite', kindsBy('suite')],
        ['the GPU', kindsBy('gpu')],
      ],
      'text',
    ),
  ].join('\n\n');
}

/** Bytes and operations of a key by the model, beside the measured time at the longest length. */
export function papersCpuWork({ record }: Source<BenchmarkRecord<RecordedTiming>>): string {
  const random = record.results.filter(({ distribution }) => distribution === 'random');
  const lengths = unique(random.map(({ length }) => length)).sort((a, b) => a - b);
  const rows = CPU_ALGORITHMS.flatMap(({ name, cost }) =>
    [lengths[0], lengths.at(-1)].flatMap((length) => {
      const found = random.find((one) => one.implementation === name && one.length === length);
      if (found === undefined) return [];
      const { bytes, operations } = cost(found.length);
      const time = median(found.milliseconds) / found.length;
      return [
        [
          `${name}, ${formatLength(found.length)}`,
          formatCount(Math.round(bytes)),
          formatCount(Math.round(operations)),
          (1e6 * time).toPrecision(3),
          (bytes / time / 1e6).toPrecision(2),
          (operations / time / 1e6).toPrecision(2),
        ],
      ];
    }),
  );
  return table(['sort', 'B/key', 'ops/key', 'ns/key', 'GB/s', 'G ops/s'], rows);
}

/** What became of the papers' ideas. */
export function papersIdeas({ record }: Source<BenchmarkRecord<PaperResult>>): string {
  const rows = IDEAS.map(({ idea, source, today, find }) => [
    `${idea} (${source})`,
    today,
    find(record.results).here,
  ]);
  return table(['idea', 'today it …', 'measured'], rows, 'text');
}

/** Rates over lengths: a facet for each sort of the papers, beside keysweep's line. */
function chartBeside(
  rates: readonly { readonly sort: string; readonly length: number; readonly rate: number }[],
  y: string,
): string {
  const sorted = [...rates].sort((a, b) => a.length - b.length);
  const ours = sorted.filter(({ sort }) => sort === OURS);
  const points = unique(rates.map(({ sort }) => sort))
    .filter((sort) => sort !== OURS)
    .flatMap((kind) => [
      ...ours.map((point) => ({ ...point, kind, program: OURS })),
      ...sorted
        .filter(({ sort }) => sort === kind)
        .map((point) => ({ ...point, kind, program: 'paper' })),
    ]);
  const isTick = (length: number): boolean => Math.log2(length) % 10 === 0;
  return plotLines(points, { x: 'keys', y, base: 2, isTick, isFirstAbove: true, below: 30 });
}

/** Random keys on a GPU, by the sorts that are for any length. */
export function papersOnGpuChart({ record }: Source<BenchmarkRecord<PaperResult>>): string {
  const random = record.results.filter(
    ({ operation, distribution }) => operation === 'sort' && distribution === 'random',
  );
  const isOfPaper = ({ sort }: PaperResult): boolean =>
    ALGORITHMS.some(({ name }) => name === sort);
  const longest = Math.max(...random.filter(isOfPaper).map(({ length }) => length));
  const isForAny = ({ sort, clock }: PaperResult): boolean =>
    clock !== 'host' && random.some((one) => one.sort === sort && one.length === longest);
  const rates = random.filter(isForAny).map(({ sort, length, milliseconds }) => ({
    sort,
    length,
    rate: length / median(milliseconds) / 1e6,
  }));
  return chartBeside(rates, 'billion keys a second');
}

/** Random keys on one thread of the CPU. */
export function papersOnCpuChart({ record }: Source<BenchmarkRecord<RecordedTiming>>): string {
  const rates = record.results
    .filter(({ distribution, threads }) => distribution === 'random' && threads === 1)
    .filter(({ implementation }) => implementation === OURS || implementation in CPU_SORTS)
    .map(({ implementation, length, milliseconds }) => ({
      sort: implementation,
      length,
      rate: length / median(milliseconds) / 1e3,
    }));
  return chartBeside(rates, 'million keys a second');
}
