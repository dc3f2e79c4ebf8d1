/** `demo`: keysweep on a table of flights and on random numbers, beside the built-in sort. */

import { type CommonKeyType, makeKeys } from '@keysweep/conformance/data';
import { createSorter, type Operation } from 'keysweep';
import { readFlights } from '../inputs/flights.js';
import { sortCase } from '../inputs/sort-case.js';
import { suite } from '../measure/suite.js';
import type { Input } from '../measure/workload.js';
import type { Command } from '../program/command.js';
import { formatCount } from '../program/table.js';

const RANDOM: readonly (readonly [keyType: CommonKeyType, length: number])[] = [
  ...[1e3, 1e4, 1e5, 1e6, 1e7].map((length) => ['u32', length] as const),
  ...(['f32', 'f64'] as const).flatMap((type) => [1e6, 1e7].map((n) => [type, n] as const)),
];

export const command: Command = suite({
  help: `Sorts the columns of a table of three million flights, and random numbers, by keysweep and
by the built-in sort. Every result is checked. Takes about a minute and some 2 GB.`,
  async open(_, { random }) {
    console.log('Reading three million flights …');
    const { date, delay, distance } = await readFlights();
    const sorter = await createSorter();
    const flights = (by: string, columns: Input['columns'], operation: Operation = 'sort') => ({
      name: `three million flights by ${by}`,
      ...{ operation, samples: operation === 'sort' ? 3 : 1, warmUps: 0, calls: 1 },
      makeInput: (): Input => ({ columns, values: undefined }),
    });
    const examples = [
      flights('date', [date]),
      flights('delay', [delay]),
      flights('distance', [distance]),
      flights('distance, delay', [distance, delay], 'argsort'),
      ...RANDOM.map(([keyType, length]) => ({
        name: `${formatCount(length)} random ${keyType}`,
        ...{ operation: 'sort' as const, samples: 5, warmUps: length < 1e5 ? 1 : 0 },
        calls: Math.max(1, Math.floor(1e5 / length)),
        makeInput: (): Input => ({
          columns: [makeKeys(keyType, length, 'random', random)],
          values: undefined,
        }),
      })),
    ];
    return {
      intro: `keysweep beside TypedArray.prototype.sort; for two columns, beside a sort of row
numbers with a comparator.`,
      columns: [{ title: 'backend', width: 8, align: 'left' }],
      cases: examples.map((one) =>
        sortCase(sorter, one, ({ backend }) => [backend], { case: one.name }),
      ),
      close: () => sorter.close(),
    };
  },
});
