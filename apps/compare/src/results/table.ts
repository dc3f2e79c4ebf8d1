/** The run as a table: the figures of the charts, and which results were checked. */

import type { BackendName } from 'keysweep';
import { make } from '../page/dom.js';
import { formatCount, formatRate, formatRatio, formatTime } from '../page/format.js';
import type { Choice } from '../run/estimates.js';
import type { Cell } from '../run/events.js';
import { nameOf } from '../settings/names.js';
import { fasterThan, type Point, pointsOf } from './points.js';

/** Fills `table`. `choices` mark the cells whose backend 'auto' takes; it may be empty. */
export function fillTable(
  table: HTMLTableElement,
  cells: readonly Cell[],
  choices: readonly Choice[],
  caption: string,
): void {
  const all = pointsOf(cells);
  const points = new Map(all.map((point) => [point.cell, point]));
  const rows = cells.map((cell, i): HTMLTableRowElement => {
    const point = points.get(cell);
    const { median, first, third } = point?.milliseconds ?? {};
    const isFirst = cells[i - 1]?.length !== cell.length;
    const note = noteOf(cell, choices, all);
    return make(
      'tr',
      { class: isFirst && i > 0 ? 'group' : undefined },
      make('td', {}, formatCount(cell.length)),
      make(
        'th',
        { scope: 'row', class: 'text', style: `--series: var(--${cell.series})` },
        make('span', { class: 'swatch', 'aria-hidden': 'true' }),
        nameOf(cell.series, cell.software),
        ...(note === '' ? [] : [make('small', {}, note)]),
      ),
      make(
        'td',
        {},
        median === undefined ? '–' : formatTime(median),
        ...(first === undefined || third === undefined
          ? []
          : [make('small', {}, `${formatTime(first)} – ${formatTime(third)}`)]),
      ),
      make('td', {}, point === undefined ? '–' : formatRate(point.rate)),
      make('td', {}, point?.speedup === undefined ? '–' : formatRatio(point.speedup)),
      verifiedCell(cell),
    );
  });
  // Wide tables scroll in their box, with the keyboard too.
  if (table.parentElement !== null) table.parentElement.tabIndex = 0;
  table.replaceChildren(
    make('caption', { class: 'hidden' }, caption),
    make('thead', {}, make('tr', {}, ...HEADS.map(headOf))),
    make('tbody', {}, ...rows),
  );
}

const HEADS: readonly (readonly [head: string, more: string])[] = [
  ['Keys', ''],
  ['Sorted by', ''],
  ['Time', 'median, quartiles'],
  ['Keys a second', ''],
  ['Against the built-in', 'times as fast'],
  ['Checked', ''],
];

const headOf = ([head, more]: readonly [string, string]): HTMLTableCellElement =>
  make(
    'th',
    { scope: 'col', class: head === 'Sorted by' ? 'text' : undefined },
    head,
    ...(more === '' ? [] : [make('small', {}, more)]),
  );

function verifiedCell({ verified, fault, error }: Cell): HTMLTableCellElement {
  if (fault !== undefined) return make('td', { class: 'bad' }, '✗ wrong');
  if (error !== undefined) return make('td', {}, '–');
  return make(
    'td',
    { class: 'good' },
    `✓ ${formatCount(verified)} ${verified === 1 ? 'sort' : 'sorts'}`,
  );
}

/** The note that a cell has beside its figures. */
function noteOf(cell: Cell, choices: readonly Choice[], points: readonly Point[]): string {
  const notes = [cell.fault, cell.error];
  if (cell.samples.length > 0) {
    notes.push(choiceNote(cell, choices, points), threadsNote(cell));
    if (cell.calls > 1) notes.push(`${cell.calls} sorts a sample`);
    if (cell.series === 'resident') {
      notes.push(cell.clock === 'gpu' ? 'GPU’s clock' : 'browser’s clock');
    }
  }
  return notes.filter((note) => note !== undefined).join('; ');
}

/** That 'auto' takes this backend, or which one it took, and whether another was faster. */
function choiceNote(
  { series, length, backend }: Cell,
  choices: readonly Choice[],
  points: readonly Point[],
): string | undefined {
  const isChoice = choices.some((one) => one.length === length && one.backend === series);
  if (!isChoice && backend === undefined) return undefined;
  const what = isChoice ? '‘auto’ takes this' : `took ${nameOf(backend as BackendName)}`;
  const slower = isChoice || series === 'auto' ? fasterThan(points, length, series) : undefined;
  return slower === undefined ? what : `${what}, though ${nameOf(slower.other.series)} was faster`;
}

function threadsNote({ series, threads }: Cell): string | undefined {
  if (series !== 'cpu' || !threads) return undefined;
  return threads === 1 ? '1 thread' : `${threads} threads`;
}
