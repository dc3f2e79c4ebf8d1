/** Cells with their rates, ratios and crossovers. Pure. */

import { type Summary, summarise } from '@keysweep/conformance/statistics';
import type { Cell } from '../run/events.js';
import { SERIES, type SeriesId } from '../settings/settings.js';

/** A measured cell with its statistics. */
export interface Point {
  readonly cell: Cell;
  readonly series: SeriesId;
  readonly software: boolean;
  readonly length: number;
  readonly milliseconds: Summary;
  /** Keys a second: at the median, and at the slower and the faster quartile. */
  readonly rate: number;
  readonly slowRate: number;
  readonly fastRate: number;
  /** Built-in median / this median; undefined where the built-in was not measured. */
  readonly speedup: number | undefined;
}

/** Points of the cells that have samples and no fault, in the order of SERIES and of lengths. */
export function pointsOf(cells: readonly Cell[]): Point[] {
  const good = cells.filter(({ samples, fault }) => samples.length > 0 && fault === undefined);
  const builtin = new Map(
    good
      .filter(({ series }) => series === 'builtin')
      .map(({ length, samples }) => [length, summarise(samples).median]),
  );
  const points = good.map((cell): Point => {
    const { series, software, length, samples } = cell;
    const milliseconds = summarise(samples);
    const rateAt = (time: number): number => (length / time) * 1000;
    const baseline = builtin.get(length);
    return {
      cell,
      series,
      software,
      length,
      milliseconds,
      rate: rateAt(milliseconds.median),
      slowRate: rateAt(milliseconds.third),
      fastRate: rateAt(milliseconds.first),
      speedup: baseline === undefined ? undefined : baseline / milliseconds.median,
    };
  });
  return points.sort(
    (a, b) => SERIES.indexOf(a.series) - SERIES.indexOf(b.series) || a.length - b.length,
  );
}

/** Where a series becomes faster or slower than the built-in sort. */
export interface Crossover {
  readonly series: SeriesId;
  readonly software: boolean;
  /** Keys, interpolated between two measured lengths on logarithmic axes. */
  readonly length: number;
  /** Whether the series is faster from here on; else it is faster up to here. */
  readonly pays: boolean;
}

/** All crossings of every series with the built-in, in order of length. */
export function crossoversOf(points: readonly Point[]): Crossover[] {
  const crossings: Crossover[] = [];
  for (let i = 1; i < points.length; i++) {
    const [a, b] = [points[i - 1] as Point, points[i] as Point];
    if (a.series !== b.series || a.series === 'builtin') continue;
    if (a.speedup === undefined || b.speedup === undefined) continue;
    const [from, to] = [Math.log(a.speedup), Math.log(b.speedup)];
    if (from < 0 === to < 0) continue;
    const share = from / (from - to);
    const length = Math.exp(Math.log(a.length) * (1 - share) + Math.log(b.length) * share);
    crossings.push({ series: b.series, software: b.software, length, pays: to >= 0 });
  }
  return crossings;
}

/** The series measured, in the order of SERIES; `software` if any of its cells is. */
export function seriesIn(
  cells: readonly Cell[],
): readonly { readonly series: SeriesId; readonly software: boolean }[] {
  return SERIES.flatMap((series) => {
    const own = cells.filter((cell) => cell.series === series);
    return own.length === 0 ? [] : [{ series, software: own.some(({ software }) => software) }];
  });
}

/** A choice is slower than another when it takes so many times as long: less is chance. */
const SLOWER = 1.15;

/**
 * The point of the backend that was chosen at a length, and the fastest other one from array to
 * array; undefined where the choice was about as good.
 */
export function fasterThan(
  points: readonly Point[],
  length: number,
  chosen: SeriesId,
): { readonly chosen: Point; readonly other: Point } | undefined {
  const line = points.filter(
    (point) => point.length === length && point.series !== 'resident' && !point.software,
  );
  const own = line.find(({ series }) => series === chosen);
  if (own === undefined) return undefined;
  // What `sort` itself took is no other one, though it was measured on its own, too.
  const same: readonly SeriesId[] = [chosen, 'auto', own.cell.backend ?? chosen];
  const others = line.filter(({ series }) => !same.includes(series));
  if (others.length === 0) return undefined;
  const other = others.reduce((a, b) => (b.rate > a.rate ? b : a));
  const isSlower = own.milliseconds.median > SLOWER * other.milliseconds.median;
  return isSlower ? { chosen: own, other } : undefined;
}
