/** Charts, as SVG that is drawn without a browser. */

import * as Plot from '@observablehq/plot';
import { JSDOM } from 'jsdom';
import { formatLength } from './markdown.js';

/** Legible on a light background and on a dark one. */
const INK = '#7a828c';
const OUR_COLOUR = '#2f81f7';
const THEIR_COLOUR = '#d9822b';

const STYLE = { color: INK, background: 'none', fontFamily: 'sans-serif', fontSize: '12px' };

/** A point of a line over the lengths. */
export interface LinePoint {
  /** What is sorted: a facet of the chart. */
  readonly kind: string;
  /** What sorts it: a line. Those of the first program come in the first colour. */
  readonly program: string;
  readonly length: number;
  readonly rate: number;
}

export interface LineAxes {
  readonly x: string;
  readonly y: string;
  /** Of the lengths' logarithms. */
  readonly base: 2 | 10;
  /** Whether a length has a tick. */
  readonly isTick: (length: number) => boolean;
  /** Whether the first program's line is above the other's at its end. */
  readonly isFirstAbove: boolean;
  /** How far below its end the lower line has its name: farther where facets are narrow. */
  readonly below?: number;
}

/** Rates over lengths, both logarithmic: a facet for each kind, and a line for each program. */
export function plotLines(points: readonly LinePoint[], axes: LineAxes): string {
  const { x, y, base, isTick, isFirstAbove, below = 16 } = axes;
  const [first, others] = isFirstAbove ? [-10, below] : [below, -10];
  const kinds = [...new Set(points.map(({ kind }) => kind))];
  const programs = [...new Set(points.map(({ program }) => program))];
  const lengths = [...new Set(points.map(({ length }) => length))].sort((a, b) => a - b);
  const rates = points.map(({ rate }) => rate);
  // Room for the names above and below the lines.
  const [least, most] = [Math.min(...rates) / 2, 1.6 * Math.max(...rates)];
  // Plot draws every tick that it is given, also those outside of the domain.
  const lowest = Math.ceil(Math.log10(least));
  const powers = Math.floor(Math.log10(most)) - lowest + 1;
  const powersOfTen = Array.from({ length: powers }, (_, i) => 10 ** (lowest + i));
  const line = { x: 'length', y: 'rate', fx: 'kind', stroke: 'program', z: 'program' } as const;
  const isFirst = ({ program }: LinePoint): boolean => program === programs[0];
  return svgOf({
    width: 900,
    height: 356,
    marginTop: 48,
    marginLeft: 48,
    marginRight: 20,
    marginBottom: 44,
    // The names of many facets need the room.
    style: { ...STYLE, fontSize: kinds.length > 4 ? STYLE.fontSize : '14px' },
    color: { domain: programs, range: [OUR_COLOUR, THEIR_COLOUR] },
    fx: { domain: kinds, label: null, padding: 0.08 },
    x: {
      type: 'log',
      base,
      label: x,
      ticks: lengths.filter(isTick),
      tickFormat: formatLength,
    },
    y: {
      type: 'log',
      domain: [least, most],
      label: y,
      grid: true,
      ticks: powersOfTen,
      tickFormat: '~g',
    },
    marks: [
      Plot.lineY(points, { ...line, strokeWidth: 2 }),
      Plot.dot(points, { ...line, fill: 'program', r: 2.5 }),
      // Names at the lines' ends instead of a legend: above one and below the other.
      nameLines(points.filter(isFirst), first),
      nameLines(
        points.filter((point) => !isFirst(point)),
        others,
      ),
    ],
  });
}

function nameLines(points: readonly LinePoint[], dy: number): Plot.Text {
  const last = Plot.selectLast({
    ...{ x: 'length', y: 'rate', fx: 'kind', z: 'program' },
    ...{ fill: 'program', text: 'program', textAnchor: 'end' as const, fontWeight: 'bold' },
    dy,
  });
  return Plot.text(points, last);
}

function svgOf(options: Plot.PlotOptions): string {
  const { document } = new JSDOM('').window;
  const plot = Plot.plot({ ...options, document });
  // A file of its own needs the namespaces.
  plot.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  plot.setAttribute('xmlns:xlink', 'http://www.w3.org/1999/xlink');
  return `${plot.outerHTML}\n`;
}
