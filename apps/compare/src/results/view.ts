/** The results on the page. Each part is drawn in a task of its own, and only if it has changed. */

import type { Phase } from 'keysweep';
import { byId, make, saveBlob } from '../page/dom.js';
import { formatLength, formatRate, formatRatio, formatTime } from '../page/format.js';
import type { Cell } from '../run/events.js';
import { nameOf, shortNameOf } from '../settings/names.js';
import { COLUMN, describeSettings, type SeriesId, type Settings } from '../settings/settings.js';
import type { Chart } from './charts.js';
import { type Point, pointsOf, seriesIn } from './points.js';
import { fileNameOf, type Results } from './record.js';
import { fillTable } from './table.js';
import { toCsv } from './to-csv.js';
import { verdictsOf } from './verdicts.js';

type Charts = typeof import('./charts.js');

/** The charts over all lengths. */
const LINES = ['speedup', 'throughput'] as const;
type Line = (typeof LINES)[number];

/** The parts, in drawing order. */
const PARTS = ['words', 'reading', 'speedup', 'throughput', 'phases', 'table'] as const;
type Part = (typeof PARTS)[number];

/** Milliseconds between two drawings of everything: each takes processor time from the sorts. */
const REDRAW_INTERVAL = 600;

export class ResultsView {
  #results: Results | undefined;
  #points: readonly Point[] = [];
  #charts: Promise<Charts> | undefined;
  readonly #stale: Set<Part> = new Set();
  #drawing: Promise<void> | undefined;
  /** The number of keys whose figures are shown, by its place among the lengths measured. */
  readonly #at = byId('at', HTMLInputElement);
  #lengths: readonly number[] = [];
  /** Whether the reader has chosen a number of keys; else it is the latest. */
  #isChosen = false;
  /** Where each length is in a chart, in pixels from its left. */
  readonly #places: Map<Line, ReadonlyMap<number, number>> = new Map();

  constructor() {
    this.#at.addEventListener('input', () => this.#choose(this.#at.valueAsNumber));
    for (const line of LINES) {
      const box = byId(`chart-${line}`);
      box.addEventListener('pointermove', ({ clientX }) => this.#pointAt(line, clientX));
      box.addEventListener('pointerdown', ({ clientX }) => this.#pointAt(line, clientX));
    }
    byId('export-csv').addEventListener('click', () => {
      if (this.#results === undefined) return;
      const csv = new Blob([toCsv(this.#results.cells)], { type: 'text/csv' });
      saveBlob(fileNameOf(this.#results, 'csv'), csv);
    });
    let width = 0;
    new ResizeObserver(([entry]) => {
      const now = Math.round(entry?.contentRect.width ?? 0);
      // Results that become visible are drawn anyway.
      if (now !== width && width !== 0) this.#draw(['speedup', 'throughput', 'phases']);
      width = now;
    }).observe(byId('results'));
  }

  /** Shows the results of a run that is over. Resolves when all is drawn. */
  show(results: Results): Promise<void> {
    this.#take(results);
    byId('charts').hidden = false;
    return this.#draw(PARTS);
  }

  /** Shows the figures of a run so far, without charts, which would take time from its sorts. */
  showSoFar(results: Results): void {
    this.#take(results);
    byId('charts').hidden = true;
    void this.#draw(['words', 'reading', 'table']);
  }

  #take(results: Results): void {
    if (results.date !== this.#results?.date) this.#isChosen = false;
    this.#results = results;
    this.#points = pointsOf(results.cells);
    this.#lengths = [...new Set(results.cells.map(({ length }) => length))].sort((a, b) => a - b);
    this.#at.max = `${Math.max(0, this.#lengths.length - 1)}`;
    if (!this.#isChosen) this.#at.value = this.#at.max;
  }

  #choose(place: number): void {
    this.#isChosen = true;
    this.#at.value = `${place}`;
    this.#draw(['reading', 'phases']);
  }

  /** Chooses the length that is nearest to the pointer. */
  #pointAt(line: Line, clientX: number): void {
    const places = this.#places.get(line);
    const svg = byId(`chart-${line}`).querySelector('.plot > svg');
    if (places === undefined || svg === null) return;
    const x = clientX - svg.getBoundingClientRect().left;
    const distance = (length: number): number => Math.abs((places.get(length) ?? Infinity) - x);
    const nearest = this.#lengths.reduce((a, b) => (distance(b) < distance(a) ? b : a));
    const place = this.#lengths.indexOf(nearest);
    if (place !== this.#at.valueAsNumber) this.#choose(place);
  }

  get #length(): number {
    return this.#lengths[this.#at.valueAsNumber] ?? 0;
  }

  #draw(parts: readonly Part[]): Promise<void> {
    for (const part of parts) this.#stale.add(part);
    this.#drawing ??= this.#drawStale();
    return this.#drawing;
  }

  /** Draws what is stale, each part in a task of its own: charts take some milliseconds. */
  async #drawStale(): Promise<void> {
    try {
      this.#charts ??= import('./charts.js');
      const charts = await this.#charts;
      while (this.#stale.size > 0) {
        for (const part of PARTS) {
          if (!this.#stale.delete(part)) continue;
          await after(0);
          this.#drawPart(charts, part);
        }
        // What is read with a pointer follows it at once; all else is for a run that goes on.
        if (this.#stale.has('words')) await after(REDRAW_INTERVAL);
      }
    } finally {
      this.#drawing = undefined;
    }
  }

  #drawPart(charts: Charts, part: Part): void {
    if (this.#results === undefined) return;
    const { cells, choices, settings } = this.#results;
    byId('results').hidden = cells.length === 0;
    if (cells.length === 0) return;
    if (part === 'words') this.#drawWords(this.#results, settings);
    else if (part === 'reading') this.#drawReading(charts, cells);
    else if (part === 'table') {
      fillTable(byId('table', HTMLTableElement), cells, choices, describeSettings(settings));
    } else this.#drawFigure(charts, part);
  }

  #drawWords(results: Results, settings: Settings): void {
    const { samples, seed, distribution } = settings;
    const drawn = distribution === COLUMN ? '' : `, seed ${seed}`;
    byId('results-settings').textContent =
      `${describeSettings(settings)}. Medians of ${samples}${drawn}.`;
    byId('verdicts').replaceChildren(
      ...verdictsOf(results.cells, results.choices).map(({ series, text, isBad }) =>
        make('li', { style: `--series: var(--${series})`, class: isBad ? 'bad' : undefined }, text),
      ),
    );
  }

  /** The figures of the chosen length: they are the legend of the charts, too. */
  #drawReading(charts: Charts, cells: readonly Cell[]): void {
    const here = this.#points.filter(({ length }) => length === this.#length);
    const keys = `${formatLength(this.#length)} keys`;
    byId('at-length').textContent = keys;
    byId('phases-length').textContent = formatLength(this.#length);
    this.#at.ariaValueText = [
      keys,
      ...here.map(
        ({ series, software, milliseconds }) =>
          `${shortNameOf(series, software)} ${formatTime(milliseconds.median)}`,
      ),
    ].join(', ');
    byId('legend')
      .querySelector('tbody')
      ?.replaceChildren(
        ...seriesIn(cells).map(({ series, software }) => {
          const point = here.find((one) => one.series === series);
          return readingOf(charts, series, software, point);
        }),
      );
    for (const line of LINES) this.#mark(line);
  }

  /** Marks the chosen length in a chart. */
  #mark(line: Line): void {
    const svg = byId(`chart-${line}`).querySelector('.plot > svg');
    svg?.querySelector('.mark')?.remove();
    const x = this.#places.get(line)?.get(this.#length);
    if (svg === null || x === undefined) return;
    const mark = document.createElementNS('http://www.w3.org/2000/svg', 'line');
    const height = Number(svg.getAttribute('height'));
    for (const [name, value] of [
      ['class', 'mark'],
      ['x1', x],
      ['x2', x],
      ['y1', 20],
      ['y2', height - 40],
    ] as const) {
      mark.setAttribute(name, `${value}`);
    }
    svg.append(mark);
  }

  #drawFigure(charts: Charts, figure: Line | 'phases'): void {
    const points = this.#points;
    if (points.length === 0) return;
    const box = byId(`chart-${figure}`).querySelector('.plot') as HTMLElement;
    const width = Math.max(240, box.clientWidth);
    if (figure === 'phases') {
      const here = points.filter(({ length }) => length === this.#length);
      const chart = charts.phasesChart(points, this.#length, width);
      box.replaceChildren(chart.element, phasesKey(charts, here));
      return;
    }
    const draw = { speedup: charts.speedupChart, throughput: charts.throughputChart }[figure];
    const chart: Chart = draw(points, width);
    box.replaceChildren(chart.element);
    this.#places.set(figure, chart.lengths ?? new Map());
    this.#mark(figure);
  }
}

/** A line of the legend: the mark, the name, and the figures of a point. */
function readingOf(
  charts: Charts,
  series: SeriesId,
  software: boolean,
  point: Point | undefined,
): HTMLTableRowElement {
  const figures =
    point === undefined
      ? ['–', '', '']
      : [
          formatTime(point.milliseconds.median),
          `${formatRate(point.rate)}/s`,
          series === 'builtin' || point.speedup === undefined ? '' : formatRatio(point.speedup),
        ];
  return make(
    'tr',
    { style: `--series: var(--${series})` },
    make('th', { scope: 'row' }, keyOf(charts, series, software), nameOf(series, software)),
    ...figures.map((figure) => make('td', {}, figure)),
  );
}

/** A piece of a line with its mark. */
function keyOf(
  { SYMBOLS, OUTLINES, dashOf }: Charts,
  series: SeriesId,
  software: boolean,
): Element {
  const template = make('template');
  template.innerHTML =
    '<svg width="30" height="12" viewBox="-15 -6 30 12" aria-hidden="true">' +
    '<line x1="-14" x2="14" stroke="currentColor" stroke-width="2" ' +
    `stroke-dasharray="${dashOf(software)}"/>` +
    `<path d="${OUTLINES[SYMBOLS[series]]}" fill="currentColor"/></svg>`;
  return template.content.firstElementChild as Element;
}

/** The legend of the phases that are visible, with the time of each. */
function phasesKey(
  { PHASES, PHASE_WORDS, phaseBarsOf }: Charts,
  points: readonly Point[],
): Element {
  const bars = phaseBarsOf(points.filter(({ series }) => series !== 'builtin'));
  const longest = Math.max(...bars.map(({ milliseconds }) => milliseconds));
  // A phase that is too short to be visible needs no legend.
  const seen = bars.filter(({ milliseconds }) => milliseconds > longest / 200);
  const timesOf = (phase: Phase | 'other'): string =>
    seen
      .filter((bar) => bar.phase === phase)
      .map(({ name, milliseconds }) => `${name} ${formatTime(milliseconds)}`)
      .join(', ');
  return make(
    'ul',
    { class: 'phases-key' },
    ...PHASES.filter((phase) => timesOf(phase) !== '').map((phase) =>
      make(
        'li',
        { style: `--series: var(--phase-${phase})` },
        make('span', { class: 'swatch', 'aria-hidden': 'true' }),
        `${PHASE_WORDS[phase]}: `,
        make('span', {}, timesOf(phase)),
      ),
    ),
  );
}

/** Resolves in a task of its own, some milliseconds later. */
const after = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });
