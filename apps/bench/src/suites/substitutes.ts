/** `substitutes`: sorts of other libraries and the recipes of docs/migration.md, in turns. */

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { Random } from '@keysweep/conformance/data';
import { areRight, type SuiteCase, suite } from '../measure/suite.js';
import type { Command } from '../program/command.js';
import { wholeNumber } from '../program/options.js';

/** The samples of a library's sort and of its recipe, in milliseconds. */
export interface SubstituteResult {
  readonly name: string;
  readonly rows: number;
  readonly theirs: readonly number[];
  readonly ours: readonly number[];
  readonly verified: boolean;
}

/** A library's sort, and what takes its place. Both return what has to be equal. */
interface Substitute {
  readonly name: string;
  /** Makes the input. No other case's is there then: the collector would go through it, too. */
  make(): {
    readonly theirs: () => ArrayLike<number>;
    readonly ours: () => Promise<ArrayLike<number>>;
  };
}

export const command: Command = suite({
  help: `Measures sorts of d3-array, arquero, flatbush and apache-arrow beside the recipes that take
their place. Takes some minutes.

  --rows N        N rows, instead of a million`,
  flags: { rows: '1e6' },
  async open(values, { random }) {
    const rows = wholeNumber('--rows', values.rows, 1);
    return { cases: (await substitutes(rows, random)).map((one) => caseOf(one, rows)) };
  },
});

function caseOf({ name, make }: Substitute, rows: number): SuiteCase<SubstituteResult> {
  let made: ReturnType<Substitute['make']> | undefined;
  return {
    name,
    samples: 7,
    // In the first rounds engines compile while a recipe's threads run.
    warmUps: 4,
    makeRound() {
      made ??= make();
      let first: ArrayLike<number> | undefined;
      return {
        ways: [
          { name: 'keysweep', run: made.ours },
          { name: 'the library', run: made.theirs },
        ],
        check(result: ArrayLike<number>) {
          first ??= result;
          return isEqual(first, result) ? undefined : 'the results are not the same';
        },
      };
    },
    resultsOf(timings) {
      const [ours, theirs] = timings.map(({ milliseconds }) => milliseconds);
      return [{ name, rows, theirs: theirs ?? [], ours: ours ?? [], verified: areRight(timings) }];
    },
    async close() {
      made = undefined;
    },
  };
}

function isEqual(a: ArrayLike<number>, b: ArrayLike<number>): boolean {
  return a.length === b.length && Array.from(a).every((number, i) => Object.is(number, b[i]));
}

/** The functions of a recipe, as they stand in the document. */
async function recipe(name: string) {
  const page = readFileSync(new URL('../../../../docs/migration.md', import.meta.url), 'utf8');
  const [, text] = page.split(`<!-- recipe: ${name} -->\n\`\`\`js\n`);
  if (text === undefined) throw new Error(`docs/migration.md has no recipe of ${name}`);
  const folder = new URL('../recipes/', import.meta.url);
  mkdirSync(folder, { recursive: true });
  const file = new URL(`${name}.mjs`, folder);
  writeFileSync(file, text.slice(0, text.indexOf('```')));
  return import(file.href);
}

/** The part of flatbush that is used here. */
interface Boxes {
  search(minX: number, minY: number, maxX: number, maxY: number): number[];
}

/** What some searches find, each in ascending order. */
const found = (index: Boxes): number[] =>
  [10, 30, 50, 70, 90].flatMap((at) =>
    index.search(at, at, at + 0.1, at + 0.1).sort((a, b) => a - b),
  );

/** Days and delays as flights have them, distances, boxes, and 300 names. */
async function substitutes(rows: number, random: Random): Promise<Substitute[]> {
  // By names that no bundler follows: other machines get the benchmarks without them.
  const load = (name: string) => import(name);
  const [d3, arquero, arrow] = await Promise.all(['d3-array', 'arquero', 'apache-arrow'].map(load));
  const { toSorted } = await load('keysweep');
  const { argsortTable } = await load('@keysweep/arrow');
  const { rank } = await recipe('d3-array');
  const { orderRows } = await recipe('arquero');
  const { default: Flatbush } = await load('flatbush');
  const { indexBoxes } = await recipe('flatbush');

  const makeDays = () => Int32Array.from({ length: rows }, () => random.below(365));
  const makeDelays = () => Float64Array.from({ length: rows }, () => random.below(400) - 60);
  const makeDistances = () => Float64Array.from({ length: rows }, () => 4000 * random.unit());
  const makeNames = () => Array.from({ length: rows }, () => `airport ${random.below(300)}`);
  const numbered = () => Uint32Array.from({ length: rows }, (_, i) => i);
  return [
    {
      name: 'd3-array: sort',
      make() {
        const distance = makeDistances();
        return { theirs: () => d3.sort(distance), ours: () => toSorted(distance) };
      },
    },
    {
      name: 'd3-array: rank',
      make() {
        const distance = makeDistances();
        return { theirs: () => d3.rank(distance), ours: () => rank(distance) };
      },
    },
    {
      name: 'arquero: orderby two columns, reify',
      make() {
        const frame = arquero.table({ day: makeDays(), delay: makeDelays(), row: numbered() });
        const keys = [{ name: 'day' }, { name: 'delay', order: 'descending' }];
        return {
          theirs: () => frame.orderby('day', arquero.desc('delay')).reify().data().row,
          async ours() {
            const ordered: { data(): { row: Uint32Array } } = await orderRows(frame, keys);
            return ordered.data().row;
          },
        };
      },
    },
    {
      name: 'flatbush: index of boxes',
      make() {
        const boxes = makeBoxes(rows, random);
        return {
          theirs() {
            const index = new Flatbush(rows);
            for (let i = 0; i < boxes.length; i += 4) {
              index.add(boxes[i], boxes[i + 1], boxes[i + 2], boxes[i + 3]);
            }
            index.finish();
            return found(index);
          },
          ours: async () => found(await indexBoxes(boxes)),
        };
      },
    },
    {
      name: 'apache-arrow: comparator, two columns',
      make() {
        const table = arrow.tableFromArrays({ day: makeDays(), delay: makeDelays() });
        const [days, delays] = [table.getChild('day').toArray(), table.getChild('delay').toArray()];
        const row = numbered();
        const byDay = (a: number, b: number) => days[a] - days[b] || delays[b] - delays[a] || a - b;
        const late = { column: 'delay', order: 'descending' };
        return {
          theirs: () => row.slice().sort(byDay),
          ours: () => argsortTable(table, [{ column: 'day' }, late]),
        };
      },
    },
    {
      name: 'apache-arrow: comparator, names of a dictionary',
      make() {
        const names = makeNames();
        const table = arrow.tableFromArrays({ name: names, delay: makeDelays() });
        const delays = table.getChild('delay').toArray();
        const row = numbered();
        const byName = (a: number, b: number) => {
          if (names[a] === names[b]) return delays[a] - delays[b] || a - b;
          return (names[a] as string) < (names[b] as string) ? -1 : 1;
        };
        return {
          theirs: () => row.slice().sort(byName),
          ours: () => argsortTable(table, [{ column: 'name' }, { column: 'delay' }]),
        };
      },
    },
  ];
}

/** Boxes of up to 1 times 1 in a square of 100: minX, minY, maxX and maxY of each. */
function makeBoxes(rows: number, random: Random): Float64Array {
  const boxes = new Float64Array(4 * rows);
  for (let i = 0; i < boxes.length; i += 4) {
    const [x, y] = [100 * random.unit(), 100 * random.unit()];
    boxes.set([x, y, x + random.unit(), y + random.unit()], i);
  }
  return boxes;
}
