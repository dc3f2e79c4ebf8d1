/** All records, with what they say of a million keys. */

import { type FunctionalComponent, h } from 'vue';
import { data } from '../records.data.js';

const FOLDER = 'https://github.com/keysweep/keysweep/blob/main/apps/bench/records';

const HEADINGS = ['record', 'machine', 'cores', 'a million keys: times the built-in'];

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
        data.map(({ file, machine, cores, figure }) => {
          const link = h('a', { href: `${FOLDER}/${file}` }, file.replace('.json', ''));
          return h(
            'tr',
            [link, machine, cores, figure].map((cell) => h('td', [cell])),
          );
        }),
      ),
    ]),
  ]);
