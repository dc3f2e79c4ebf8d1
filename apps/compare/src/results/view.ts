/** The results on the page. Each part is drawn in a task of its own, and only if it has changed. */

import type { Phase } from 'keysweep';
import type { Cell } from '../measure/run.js';
import { byId, make, option, saveFile } from '../page/dom.js';
import { formatLength } from '../page/format.js';
import { describeSettings, type SeriesId, type Settings } from '../settings/settings.js';
import { nameOf } from './names.js';
import { type Point, pointsOf, seriesIn } from './points.js';
import { type Results, toCsv, toJson } from './record.js';
import { fillTable } from './table.js';
import { verdictsOf } from './verdicts.js';

type Charts = typeof import('./charts.js');

const FIGURES = ['throughput', 'speedup', 'phases', 'prediction'] as const;
type Figure = (typeof FIGURES)[number];

/** The parts, in drawing order. */
const PARTS = ['words', 'table', 'legend', ...FIGURES] as const;
type Part = (typeof PARTS)[number];

/** Milliseconds between two drawings of everything: each takes processor time from the sorts. */
const REDRAW_INTERVAL = 600;

export class ResultsView {
  #results: Results | undefined;
  #charts: Promise<Charts> | undefined;
  readonly #stale: Set<Part> = new Set();
  #drawing: Promise<void> | undefined;
  readonly #phasesLength = byId('phases-length', HTMLSelectElement);

  constructor() {
    this.#phasesLength.addEventListener('change', () => this.#draw(['phases']));
    byId('export-csv').addEventListener('click', () => this.#save('csv'));
    byId('export-json').addEventListener('click', () => this.#save('json'));
    let width = 0;
    new ResizeObserver(([entry]) => {
      const now = Math.round(entry?.contentRect.width ?? 0);
      // Results that become visible are drawn anyway.
      if (now !== width && width !== 0) this.#draw(FIGURES);
      width = now;
    }).observe(byId('results'));
  }

  /** Shows results, also of a run that is not over. Resolves when all is drawn. */
  show(results: Results): Promise<void> {
    this.#results = results;
    return this.#draw(PARTS);
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
        if (this.#stale.size > 0) await after(REDRAW_INTERVAL);
      }
    } finally {
      this.#drawing = undefined;
    }
  }

  #drawPart(charts: Charts, part: Part): void {
    const { cells, choices, settings } = this.#results ?? {};
    byId('results').hidden = !cells?.length;
    if (!cells?.length || choices === undefined || settings === undefined) return;
    if (part === 'words') this.#drawWords(cells, settings);
    else if (part === 'legend') drawLegend(charts, cells);
    else if (part === 'table') {
      fillTable(byId('table', HTMLTableElement), cells, choices, describeSettings(settings));
    } else this.#drawFigure(charts, part);
  }

  #drawWords(cells: readonly Cell[], settings: Settings): void {
    byId('results-settings').textContent =
      `${describeSettings(settings)}. Medians of ${settings.samples}, seed ${settings.seed}.`;
    byId('verdicts').replaceChildren(
      ...verdictsOf(cells).map(({ series, text, isBad }) =>
        make('li', { style: `--series: var(--${series})`, class: isBad ? 'bad' : undefined }, text),
      ),
    );
    this.#offerLengths(cells.map(({ length }) => length));
  }

  #offerLengths(all: readonly number[]): void {
    const lengths = [...new Set(all)].sort((a, b) => a - b);
    const select = this.#phasesLength;
    if (select.options.length === lengths.length) return;
    select.replaceChildren(...lengths.map((length) => option(`${length}`, formatLength(length))));
    select.value = `${lengths.at(-1)}`;
  }

  #drawFigure(charts: Charts, figure: Figure): void {
    if (this.#results === undefined) return;
    const box = byId(`chart-${figure}`).querySelector('.plot') as HTMLElement;
    const points = pointsOf(this.#results.cells);
    if (points.length === 0) return;
    const width = Math.max(240, box.clientWidth);
    box.replaceChildren(...this.#chartOf(charts, figure, points, width));
  }

  #chartOf(charts: Charts, figure: Figure, points: readonly Point[], width: number): Element[] {
    switch (figure) {
      case 'throughput':
        return [charts.throughputChart(points, width)];
      case 'speedup':
        return [charts.speedupChart(points, width)];
      case 'prediction':
        return [charts.predictionChart(points, width)];
      case 'phases':
        return [
          charts.phasesChart(points, Number(this.#phasesLength.value), width),
          phasesKey(
            charts,
            points.filter(({ length }) => length === Number(this.#phasesLength.value)),
          ),
        ];
    }
  }

  #save(kind: 'csv' | 'json'): void {
    if (this.#results === undefined) return;
    const name = `keysweep-compare-${this.#results.date.slice(0, 19).replaceAll(':', '')}Z.${kind}`;
    if (kind === 'csv') saveFile(name, 'text/csv', toCsv(this.#results.cells));
    else saveFile(name, 'application/json', toJson(this.#results));
  }
}

/** One legend for all charts: line, mark and name. */
function drawLegend(charts: Charts, cells: readonly Cell[]): void {
  byId('legend').replaceChildren(
    ...seriesIn(cells).map(({ series, software }) =>
      make(
        'li',
        { style: `--series: var(--${series})` },
        keyOf(charts, series, software),
        nameOf(series, software),
      ),
    ),
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

/** The legend of the phases that are visible. */
function phasesKey(
  { PHASES, PHASE_WORDS, phaseBarsOf }: Charts,
  points: readonly Point[],
): Element {
  const bars = phaseBarsOf(points.filter(({ series }) => series !== 'builtin'));
  const longest = Math.max(...bars.map(({ milliseconds }) => milliseconds));
  const found = new Set(
    // A phase that is too short to be visible needs no legend.
    bars.filter(({ milliseconds }) => milliseconds > longest / 200).map(({ phase }) => phase),
  );
  return make(
    'p',
    { class: 'phases-key' },
    ...PHASES.filter((phase) => found.has(phase)).map((phase: Phase | 'other') =>
      make(
        'span',
        { style: `--series: var(--phase-${phase})` },
        make('span', { class: 'swatch', 'aria-hidden': 'true' }),
        PHASE_WORDS[phase],
      ),
    ),
  );
}

/** Resolves in a task of its own, some milliseconds later. */
const after = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });
