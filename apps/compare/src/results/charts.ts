/** The charts. Colours are variables of the style sheet, which has a light and a dark mode. */

import * as Plot from '@observablehq/plot';
import type { Phase } from 'keysweep';
import { make } from '../page/dom.js';
import { formatLength, formatRate, formatRatioTick, formatTick } from '../page/format.js';
import { shortNameOf } from '../settings/names.js';
import type { SeriesId } from '../settings/settings.js';
import { type Crossover, crossoversOf, type Point } from './points.js';

const colourOf = (series: SeriesId): string => `var(--${series})`;

const STYLE = {
  background: 'none',
  color: 'var(--ink-2)',
  fontFamily: 'inherit',
  fontSize: '12px',
};

/** The marks on each line, for readers who cannot tell its colour. */
export const SYMBOLS: Readonly<
  Record<SeriesId, 'circle' | 'square' | 'triangle' | 'diamond' | 'star'>
> = {
  builtin: 'circle',
  cpu: 'square',
  webgpu: 'triangle',
  resident: 'diamond',
  webgl2: 'star',
  auto: 'circle',
};

/** The outlines of the marks for a legend, about the origin, 9 pixels wide. */
export const OUTLINES: Readonly<Record<(typeof SYMBOLS)[SeriesId], string>> = {
  circle: 'M4,0A4,4 0 1 1 -4,0A4,4 0 1 1 4,0Z',
  square: 'M-3.5,-3.5h7v7h-7z',
  triangle: 'M0,-5L4.5,3.5H-4.5Z',
  diamond: 'M0,-5.5L3.5,0L0,5.5L-3.5,0Z',
  star: 'M0,-5.5L1.4,-1.9L5.2,-1.7L2.3,0.7L3.2,4.4L0,2.4L-3.2,4.4L-2.3,0.7L-5.2,-1.7L-1.4,-1.9Z',
};

/** Lines of software renderers are dashed. */
export const dashOf = (software: boolean): string => (software ? '3 4' : 'none');

/** A chart, and where the lengths are in it; undefined where it has no axis of lengths. */
export interface Chart {
  readonly element: SVGSVGElement | HTMLElement;
  readonly lengths?: ReadonlyMap<number, number>;
}

const groupsOf = (points: readonly Point[]): Point[][] => [
  ...Map.groupBy(points, ({ series }) => series).values(),
];

/** The axis of lengths, with as many ticks as there is room for. */
function lengthAxis(points: readonly Point[], width: number): Plot.ScaleOptions {
  const lengths = [...new Set(points.map(({ length }) => length))].sort((a, b) => a - b);
  const room = Math.max(2, Math.floor(width / 64));
  const every = Math.ceil(lengths.length / room);
  return {
    type: 'log',
    base: 10,
    label: 'keys',
    ticks: lengths.filter((_, i) => (lengths.length - 1 - i) % every === 0),
    tickFormat: formatTick,
  };
}

/** Powers of ten in a domain, with some ticks between where they are few. */
function ticksIn([least, most]: readonly [number, number]): number[] {
  const times = (factors: readonly number[]): number[] =>
    Array.from({ length: 26 }, (_, i) => factors.map((factor) => factor * 10 ** (i - 12)))
      .flat()
      .filter((tick) => tick >= least && tick <= most);
  const tens = times([1]);
  if (tens.length > 2) return tens;
  return times(tens.length === 2 ? [1, 3] : [1, 2, 5]);
}

/** From the least to the greatest, with some room. */
const domainOf = (values: readonly number[]): [number, number] => [
  Math.min(...values) / 1.3,
  Math.max(...values) * 1.3,
];

const logAxis = (domain: [number, number]): Plot.ScaleOptions => ({
  type: 'log',
  domain,
  ticks: ticksIn(domain),
  grid: true,
});

/** What the charts over lengths have in common. */
const overLengths = (points: readonly Point[], width: number): Plot.PlotOptions => ({
  width,
  height: 320,
  marginBottom: 42,
  marginLeft: 52,
  marginRight: 20,
  style: STYLE,
  ariaDescription: 'The table below has the same figures.',
  x: lengthAxis(points, width),
});

function lines(points: readonly Point[], y: 'rate' | 'speedup'): Plot.Markish[] {
  return groupsOf(points).map((line): Plot.Markish => {
    const [{ series, software }] = line as [Point];
    return [
      Plot.line(line, {
        x: 'length',
        y,
        stroke: colourOf(series),
        strokeWidth: 2,
        strokeDasharray: dashOf(software),
      }),
      Plot.dot(line, {
        x: 'length',
        y,
        symbol: SYMBOLS[series],
        r: 3.5,
        fill: colourOf(series),
        stroke: 'var(--card)',
        strokeWidth: 0.75,
      }),
    ];
  });
}

/** A plot as one image with one name; the names of its groups, which have no role, are removed. */
function drawn(options: Plot.PlotOptions, points: readonly Point[] = []): Chart {
  const plot = Plot.plot(options);
  const image = plot instanceof SVGSVGElement ? plot : plot.querySelector('svg');
  image?.setAttribute('role', 'img');
  for (const group of plot.querySelectorAll('g[aria-label]')) group.removeAttribute('aria-label');
  if (points.length === 0) return { element: plot };
  const { apply } = plot.scale('x') as { apply: (length: number) => number };
  return { element: plot, lengths: new Map(points.map(({ length }) => [length, apply(length)])) };
}

export function throughputChart(points: readonly Point[], width: number): Chart {
  const rates = points.flatMap(({ slowRate, fastRate }) => [slowRate, fastRate]);
  const domain = domainOf(rates);
  return drawn(
    {
      ...overLengths(points, width),
      ariaLabel: 'Throughput: keys a second against the number of keys',
      y: { ...logAxis(domain), label: 'keys a second', tickFormat: formatRate },
      marks: [
        ...groupsOf(points).map((line) =>
          Plot.areaY(line, {
            x: 'length',
            y1: 'slowRate',
            y2: 'fastRate',
            fill: colourOf((line[0] as Point).series),
            fillOpacity: 0.16,
          }),
        ),
        ...lines(points, 'rate'),
      ],
    },
    points,
  );
}

export function speedupChart(all: readonly Point[], width: number): Chart {
  const points = all.filter(({ series, speedup }) => series !== 'builtin' && speedup !== undefined);
  if (points.length === 0) return textInstead('Only the built-in sort was measured.');
  const crossings = crossoversOf(points);
  const ratios = points.map(({ speedup }) => speedup as number);
  const domain = domainOf([1, ...ratios]);
  return drawn(
    {
      ...overLengths(points, width),
      ariaLabel: 'Times as fast as the built-in sort, against the number of keys',
      y: { ...logAxis(domain), label: 'times as fast', tickFormat: formatRatioTick },
      marks: [
        Plot.ruleY([1], { stroke: colourOf('builtin'), strokeWidth: 1.5 }),
        ...lines(points, 'speedup'),
        Plot.dot(crossings, {
          x: 'length',
          y: 1,
          r: 6.5,
          stroke: ({ series }: Crossover) => colourOf(series),
          strokeWidth: 2,
          fill: 'var(--card)',
          fillOpacity: 0.6,
        }),
        // Labels of close crossings would overlap: every second one is above the line.
        ...[0, 1].map((turn) =>
          Plot.text(
            crossings.filter((_, i) => i % 2 === turn),
            {
              x: 'length',
              y: 1,
              dy: turn === 0 ? 17 : -16,
              text: ({ length }: Crossover) => formatTick(Number(length.toPrecision(2))),
              fill: ({ series }: Crossover) => colourOf(series),
              stroke: 'var(--card)',
              strokeWidth: 4,
              fontWeight: 600,
            },
          ),
        ),
      ],
    },
    points,
  );
}

/** In the order in which they happen. */
export const PHASES: readonly (Phase | 'other')[] = [
  'queue',
  'start',
  'pack',
  'upload',
  'sort',
  'readback',
  'other',
];

export const PHASE_WORDS: Readonly<Record<Phase | 'other', string>> = {
  queue: 'waiting',
  start: 'starting',
  pack: 'work on rows',
  upload: 'upload, copy in',
  sort: 'sort',
  readback: 'readback, copy out',
  other: 'everything else',
};

export interface PhaseBar {
  readonly name: string;
  readonly phase: Phase | 'other';
  readonly milliseconds: number;
}

/** The time of each phase of a point; time in no phase is 'other'. */
export function phaseBarsOf(points: readonly Point[]): PhaseBar[] {
  return points.flatMap(({ series, software, cell, milliseconds }): PhaseBar[] => {
    const name = shortNameOf(series, software);
    if (cell.phases === undefined) {
      return [{ name, phase: 'sort', milliseconds: milliseconds.median }];
    }
    const known = Object.entries(cell.phases) as [Phase, number][];
    const sum = known.reduce((total, [, time]) => total + time, 0);
    return [
      ...known.map(([phase, time]) => ({ name, phase, milliseconds: time })),
      { name, phase: 'other', milliseconds: Math.max(0, milliseconds.median - sum) },
    ];
  });
}

export function phasesChart(all: readonly Point[], length: number, width: number): Chart {
  const points = all.filter((point) => point.length === length && point.series !== 'builtin');
  if (points.length === 0)
    return textInstead('Only the built-in sort was measured at this length.');
  const bars = phaseBarsOf(points);
  const names = [...new Set(bars.map(({ name }) => name))];
  return drawn({
    width,
    height: 68 + 34 * names.length,
    marginBottom: 42,
    marginLeft: 20 + 7 * Math.max(...names.map((name) => name.length)),
    marginRight: 20,
    style: STYLE,
    ariaLabel: `Time by phase of sorting ${formatLength(length)} keys`,
    ariaDescription: 'The list below has the same figures.',
    x: { label: 'milliseconds', grid: true, ticks: Math.floor(width / 90) },
    y: { domain: names, label: null, padding: 0.3 },
    marks: [
      Plot.barX(
        bars,
        Plot.stackX({
          x: 'milliseconds',
          y: 'name',
          order: PHASES as Phase[],
          z: 'phase',
          fill: ({ phase }: PhaseBar) => `var(--phase-${phase})`,
          insetLeft: 0.5,
          insetRight: 0.5,
        }),
      ),
      Plot.ruleX([0]),
    ],
  });
}

/** A sentence in place of a chart that would be empty. */
const textInstead = (text: string): Chart => ({ element: make('p', { class: 'none' }, text) });
