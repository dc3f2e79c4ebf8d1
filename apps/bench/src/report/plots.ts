/** The page's charts, as SVG that is drawn without a browser. */

import * as Plot from '@observablehq/plot';
import { JSDOM } from 'jsdom';
import { DISTRIBUTIONS } from '../gpu/inputs/distributions.js';
import { type DistributionPoint, formatLength, KINDS, type LengthPoint, OURS } from './rates.js';

/** Legible on white and on black alike: nobody knows what is behind an image. */
const INK = '#7a828c';
const OUR_COLOUR = '#2f81f7';
const THEIR_COLOUR = '#d9822b';

const STYLE = { color: INK, background: 'none', fontFamily: 'sans-serif', fontSize: '12px' };

const POWERS_OF_TEN = Array.from({ length: 13 }, (_, i) => 10 ** (i - 9));

/**
 * Rates over lengths, both logarithmic, a facet for each kind of record and a line for each
 * program.
 */
export function plotLengths(points: readonly LengthPoint[]): string {
  const kinds = KINDS.filter((kind) => points.some((point) => point.kind === kind));
  const programs = [...new Set(points.map(({ program }) => program))];
  const others = programs.filter((program) => program !== OURS);
  const lengths = [...new Set(points.map(({ length }) => length))].sort((a, b) => a - b);
  const rates = points.map(({ rate }) => rate);
  const line = { x: 'length', y: 'rate', fx: 'kind', stroke: 'program', z: 'program' } as const;
  return svgOf({
    width: 900,
    height: 356,
    marginTop: 48,
    marginLeft: 48,
    marginRight: 20,
    marginBottom: 44,
    style: STYLE,
    color: {
      domain: [OURS, ...others],
      range: [OUR_COLOUR, THEIR_COLOUR],
    },
    fx: { domain: kinds, label: null, padding: 0.08 },
    x: {
      type: 'log',
      base: 2,
      label: 'records',
      ticks: lengths.filter((length) => Math.log2(length) % 4 === 2),
      tickFormat: formatLength,
    },
    y: {
      type: 'log',
      domain: [10 ** Math.floor(Math.log10(Math.min(...rates))), 1.6 * Math.max(...rates)],
      label: 'billions of records a second',
      grid: true,
      ticks: POWERS_OF_TEN,
      tickFormat: '~g',
    },
    marks: [
      Plot.lineY(points, { ...line, strokeWidth: 2 }),
      Plot.dot(points, { ...line, fill: 'program', r: 2.5 }),
      // Names at the lines' ends instead of a legend: ours below its line, the other's above, for
      // they come close.
      nameLine(
        points.filter(({ program }) => program === OURS),
        16,
      ),
      nameLine(
        points.filter(({ program }) => program !== OURS),
        -10,
      ),
    ],
  });
}

function nameLine(points: readonly LengthPoint[], dy: number): Plot.Text {
  const last = Plot.selectLast({
    ...{ x: 'length', y: 'rate', fx: 'kind', z: 'program' },
    ...{ fill: 'program', text: 'program', textAnchor: 'end' as const, fontWeight: 'bold' },
    dy,
  });
  return Plot.text(points, last);
}

/** Rates by distribution as bars, a facet for each kind and length. */
export function plotDistributions(points: readonly DistributionPoint[]): string {
  const groups = [...new Set(points.map(({ group }) => group))];
  // Keys that are all equal take no pass, and would leave the other bars no room.
  const most = Math.max(
    ...points.filter(({ distribution }) => !isOneKey(distribution)).map(({ rate }) => rate),
  );
  const shown = points.map((point) => ({ ...point, width: Math.min(point.rate, 1.15 * most) }));
  return svgOf({
    width: 900,
    height: 300,
    marginLeft: 110,
    marginRight: 44,
    marginBottom: 44,
    style: STYLE,
    fx: { domain: groups, label: null, padding: 0.12 },
    x: {
      label: 'billions of records a second',
      domain: [0, 1.4 * most],
      grid: true,
      ticks: 4,
    },
    y: {
      domain: DISTRIBUTIONS.filter((name) =>
        points.some(({ distribution }) => distribution === name),
      ),
      label: null,
    },
    marks: [
      Plot.barX(shown, {
        x: 'width',
        y: 'distribution',
        fx: 'group',
        fill: OUR_COLOUR,
        fillOpacity: (point: DistributionPoint) => (point.rate > most ? 0.45 : 0.9),
      }),
      Plot.text(shown, {
        x: 'width',
        y: 'distribution',
        fx: 'group',
        text: (point: DistributionPoint) =>
          `${point.rate.toPrecision(3)}${point.rate > most ? ' →' : ''}`,
        textAnchor: 'start',
        dx: 4,
        fill: INK,
      }),
      Plot.ruleX([0], { stroke: INK }),
    ],
  });
}

const isOneKey = (distribution: string): boolean =>
  distribution === 'equal' || distribution === 'entropy-0';

function svgOf(options: Plot.PlotOptions): string {
  const { document } = new JSDOM('').window;
  const plot = Plot.plot({ ...options, document });
  // Alone in a file, it has to say what it is.
  plot.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  plot.setAttribute('xmlns:xlink', 'http://www.w3.org/1999/xlink');
  return `${plot.outerHTML}\n`;
}
