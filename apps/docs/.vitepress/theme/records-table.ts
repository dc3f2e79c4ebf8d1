/** All records, and a chart of what they say of a million keys, by GPU and by CPU. */

import { type FunctionalComponent, h, type VNode } from 'vue';
import { data, type Row } from '../records.data.js';

const FOLDER = 'https://github.com/keysweep/keysweep/blob/main/apps/bench/records';

const HEADINGS = ['record', 'machine', 'cores', 'a million keys: times the built-in'];

const linkTo = ({ file }: Row): VNode =>
  h('a', { href: `${FOLDER}/${file}` }, file.replace('.json', ''));

export const RecordsTable: FunctionalComponent = () =>
  h('div', { class: 'table', tabindex: 0 }, [
    h('table', [
      h('thead', [
        h(
          'tr',
          HEADINGS.map((name) => h('th', name)),
        ),
      ]),
      h(
        'tbody',
        data.map((row) => {
          const { host, gpu, cores, figure } = row;
          const times = figure && `${figure.times.toFixed(1)} (${figure.backend})`;
          const cells = [linkTo(row), gpu === '' ? host : `${host}, ${gpu}`, cores, times];
          return h(
            'tr',
            cells.map((cell) => h('td', [cell])),
          );
        }),
      ),
    ]),
  ]);

type Drawn = Row & { readonly figure: NonNullable<Row['figure']> };

const onGpu = ({ figure }: Drawn): boolean => /^web/.test(figure.backend);

const GROUPS: readonly [title: string, has: (row: Drawn) => boolean, none: string][] = [
  ['Keys of a file', ({ figure }) => figure.isReal, 'There is no such record yet.'],
  ['Random keys, sorted by a GPU', (row) => !row.figure.isReal && onGpu(row), 'None.'],
  ['Random keys, sorted by a CPU', (row) => !row.figure.isReal && !onGpu(row), 'None.'],
];

function barOf(row: Drawn, most: number): VNode {
  const { figure, host, machine, isOurs } = row;
  const where = machine === '' ? host : `${machine[0]?.toUpperCase()}${machine.slice(1)}`;
  const who = isOurs ? '' : ', sent by a visitor';
  return h('li', [
    h('span', { class: 'what' }, [
      `${where}: ${figure.keys} by ${figure.backend}${who}. `,
      linkTo(row),
    ]),
    h('span', { class: 'bar', style: { '--share': figure.times / most } }),
    h('strong', `${figure.times.toFixed(1)} ×`),
  ]);
}

/** A bar for each record that has a figure, the longest first in each group. */
export const RecordsChart: FunctionalComponent = () => {
  const drawn = data.filter((row): row is Drawn => row.figure !== undefined);
  const most = Math.max(...drawn.map(({ figure }) => figure.times));
  return GROUPS.map(([title, has, none]) => {
    const rows = drawn.filter(has).sort((a, b) => b.figure.times - a.figure.times);
    return h('section', { class: 'records-chart' }, [
      h('h2', title),
      rows.length > 0
        ? h(
            'ul',
            { role: 'list' },
            rows.map((row) => barOf(row, most)),
          )
        : h('p', none),
    ]);
  });
};
