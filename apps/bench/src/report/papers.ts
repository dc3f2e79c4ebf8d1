/** Tables from records of `papers`. */

import { median } from '@keysweep/conformance/statistics';
import { CPU_SORTS } from '@keysweep/papers';
import { formatRate } from '../gpu/rows.js';
import { type Finding, SOURCES } from '../papers/claims.js';
import { claimsOnCpu } from '../papers/cpu.js';
import { OURS } from '../papers/definitions.js';
import type { PaperResult } from '../papers/measure.js';
import type { BenchmarkRecord } from '../record/record.js';
import type { RecordedTiming } from '../references/timings.js';
import { formatLength, type Source, table } from './markdown.js';
import { plotLines } from './plots.js';

const unique = <T>(values: readonly T[]): T[] => [...new Set(values)];

/** What was found of claims: what a source says, what holds here. */
const findingsTable = (findings: readonly ({ readonly says: string } & Finding)[]): string =>
  table(
    ['what it says', 'here', 'verdict'],
    findings.map(({ says, here, verdict }) => [says, here, verdict]),
    'text',
  );

/** Millions of random keys a second of each sort on the CPU, by length; then the claims. */
export function papersOnCpu({ record }: Source<BenchmarkRecord<RecordedTiming>>): string {
  const random = record.results.filter(({ distribution }) => distribution === 'random');
  const lengths = unique(random.map(({ length }) => length));
  const titleOf = ({ implementation, threads }: RecordedTiming): string =>
    threads > 1 ? `${implementation}, ${threads} threads` : implementation;
  const rows = unique(random.map(titleOf)).map((title) => [
    title,
    ...lengths.map((length) => {
      const found = random.find((one) => titleOf(one) === title && one.length === length);
      return found === undefined ? '' : (length / median(found.milliseconds) / 1000).toPrecision(3);
    }),
  ]);
  const rates = table(['M keys/s', ...lengths.map(formatLength)], rows);
  return `${rates}\n\n${findingsTable(claimsOnCpu(record.results))}`;
}

/** Billions of keys a second of each source's sorts, by length and by kind of key; its claims. */
export function papersOnGpu({ record }: Source<BenchmarkRecord<PaperResult>>): string {
  const { results } = record;
  const parts = SOURCES.flatMap(({ source, sorts, claims }) => {
    const own = results.filter(({ sort }) => sorts.includes(sort));
    const random = own.filter(({ distribution }) => distribution === 'random');
    const lengths = unique(random.map(({ length }) => length)).sort((a, b) => a - b);
    const rateOf = (found: PaperResult | undefined): string =>
      found === undefined ? '' : formatRate(found.length / median(found.milliseconds) / 1e6);
    const rows = (['sort', 'sortPairs'] as const).flatMap((operation) =>
      sorts
        .filter((sort) => random.some((one) => one.sort === sort && one.operation === operation))
        .map((sort) => [
          operation === 'sort' ? sort : `${sort}, pairs`,
          ...lengths.map((length) =>
            rateOf(
              random.find(
                (one) => one.sort === sort && one.operation === operation && one.length === length,
              ),
            ),
          ),
        ]),
    );
    const varied = own.filter((one) => one.operation === 'sort' && one.distribution !== 'random');
    const kinds = unique(varied.map(({ distribution }) => distribution));
    const variedRows = unique(varied.map(({ sort, length }) => `${sort} ${length}`)).map((key) => [
      key.replace(/ (\d+)$/, (_, length: string) => `, ${formatLength(Number(length))}`),
      ...kinds.map((kind) =>
        rateOf(
          varied.find((one) => `${one.sort} ${one.length}` === key && one.distribution === kind),
        ),
      ),
    ]);
    const findings = claims.map(({ says, find }) => ({ says, ...find(results) }));
    return [
      `**${source}**`,
      table(['G keys/s', ...lengths.map(formatLength)], rows),
      ...(variedRows.length > 0 ? [table(['G keys/s', ...kinds], variedRows)] : []),
      findingsTable(findings),
    ];
  });
  return parts.join('\n\n');
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
  const longest = Math.max(...random.map(({ length }) => length));
  const isForAny = ({ sort }: PaperResult): boolean =>
    random.some((one) => one.sort === sort && one.length === longest);
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
