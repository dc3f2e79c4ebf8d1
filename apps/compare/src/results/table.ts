/** The run as a table: the figures of the charts, and which results were checked. */

import type { Choice } from '../measure/estimates.js';
import type { Cell } from '../measure/run.js';
import { make } from '../page/dom.js';
import { formatCount, formatRate, formatRatio, formatTime } from '../page/format.js';
import { nameOf } from './names.js';
import { pointsOf } from './points.js';

/** Fills `table`. `choices` mark the cells whose backend 'auto' takes; it may be empty. */
export function fillTable(
  table: HTMLTableElement,
  cells: readonly Cell[],
  choices: readonly Choice[],
  caption: string,
): void {
  const points = new Map(pointsOf(cells).map((point) => [point.cell, point]));
  const hasPredictions = cells.some(({ predicted }) => predicted !== undefined);
  const heads = [
    'Keys',
    'Sorted by',
    'Median',
    'Quartiles',
    'Keys a second',
    '× built-in',
    ...(hasPredictions ? ['Predicted'] : []),
    'Verified',
    'Note',
  ];
  const rows = cells.map((cell, i): HTMLTableRowElement => {
    const point = points.get(cell);
    const { median, first, third } = point?.milliseconds ?? {};
    const isFirst = cells[i - 1]?.length !== cell.length;
    return make(
      'tr',
      { class: isFirst && i > 0 ? 'group' : undefined },
      make('td', {}, formatCount(cell.length)),
      make(
        'th',
        { scope: 'row', class: 'text', style: `--series: var(--${cell.series})` },
        make('span', { class: 'swatch', 'aria-hidden': 'true' }),
        nameOf(cell.series, cell.software),
      ),
      make('td', {}, median === undefined ? '–' : formatTime(median)),
      make(
        'td',
        {},
        first === undefined || third === undefined
          ? '–'
          : `${formatTime(first)} – ${formatTime(third)}`,
      ),
      make('td', {}, point === undefined ? '–' : formatRate(point.rate)),
      make('td', {}, point?.speedup === undefined ? '–' : formatRatio(point.speedup)),
      ...(hasPredictions
        ? [make('td', {}, cell.predicted === undefined ? '–' : formatTime(cell.predicted))]
        : []),
      verifiedCell(cell),
      make('td', { class: 'text' }, noteOf(cell, choices)),
    );
  });
  // Wide tables scroll in their box, with the keyboard too.
  if (table.parentElement !== null) table.parentElement.tabIndex = 0;
  table.replaceChildren(
    make('caption', { class: 'hidden' }, caption),
    make(
      'thead',
      {},
      make(
        'tr',
        {},
        ...heads.map((head) =>
          make(
            'th',
            { scope: 'col', class: head === 'Sorted by' || head === 'Note' ? 'text' : undefined },
            head,
          ),
        ),
      ),
    ),
    make('tbody', {}, ...rows),
  );
}

function verifiedCell({ verified, fault, error }: Cell): HTMLTableCellElement {
  if (fault !== undefined) return make('td', { class: 'bad' }, '✗ wrong');
  if (error !== undefined) return make('td', {}, '–');
  return make(
    'td',
    { class: 'good' },
    `✓ ${formatCount(verified)} ${verified === 1 ? 'sort' : 'sorts'}`,
  );
}

function noteOf(cell: Cell, choices: readonly Choice[]): string {
  const { series, length, fault, error, calls, clock, threads } = cell;
  const choice = choices.find((one) => one.length === length);
  const notes = [
    fault,
    error,
    ...(cell.samples.length === 0
      ? []
      : [
          choice?.backend === series ? '‘auto’ takes this' : undefined,
          series === 'cpu' && threads
            ? threads === 1
              ? '1 thread'
              : `${threads} threads`
            : undefined,
          calls > 1 ? `${calls} sorts a sample` : undefined,
          series === 'resident' ? (clock === 'gpu' ? 'GPU’s clock' : 'browser’s clock') : undefined,
        ]),
  ];
  return notes.filter((note) => note !== undefined).join('; ');
}
