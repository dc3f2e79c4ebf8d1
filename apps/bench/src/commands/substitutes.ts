/** `substitutes`: sorts of other libraries and the recipes of docs/migration.md, by turns. */

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { Random } from '@keysweep/conformance/data';
import { median } from '@keysweep/conformance/statistics';
import { type Round, takeTurns } from '../measure/turns.js';
import { matching, seedOf, wholeNumber } from '../program/options.js';
import { formatHead, formatRatio, formatRow, formatTime } from '../program/table.js';
import { addResult, newRecord } from '../record/record.js';

export const help = `Measures sorts of d3-array, arquero, flatbush and apache-arrow beside the
recipes that take their place. Takes some minutes.

  --only PATTERN  only the sorts whose name has PATTERN in it, such as "flatbush"
  --rows N        N rows, instead of a million
  --samples N     N samples of each, instead of 7
  --seed N        the same inputs again
  --json FILE     writes the samples`;

/** The samples of a library's sort and of its recipe, in milliseconds. */
export interface SubstituteResult {
  readonly name: string;
  readonly rows: number;
  readonly theirs: readonly number[];
  readonly ours: readonly number[];
  readonly verified: boolean;
}

/** A library's sort, and what takes its place. Both return what has to be equal. */
interface Case {
  readonly name: string;
  /** Makes the input. No other case's is there then: the collector would go through it, too. */
  make(): {
    readonly theirs: () => ArrayLike<number>;
    readonly ours: () => Promise<ArrayLike<number>>;
  };
}

const COLUMNS = [
  { title: 'sort', width: 47, align: 'left' },
  { title: 'theirs', width: 9, align: 'right' },
  { title: 'keysweep', width: 9, align: 'right' },
  { title: 'ratio', width: 6, align: 'right' },
  { title: 'verified', width: 8, align: 'left' },
] as const;

export async function run(args: string[]): Promise<boolean> {
  const { values } = parseArgs({
    args,
    options: {
      only: { type: 'string', default: '' },
      rows: { type: 'string', default: '1e6' },
      samples: { type: 'string', default: '7' },
      seed: { type: 'string' },
      json: { type: 'string' },
    },
  });
  const rows = wholeNumber('--rows', values.rows, 1);
  const samples = wholeNumber('--samples', values.samples, 1);
  const record = newRecord<SubstituteResult, object>(seedOf(values.seed), {});
  const cases = await makeCases(rows, new Random(record.seed));
  console.log(formatHead(COLUMNS));
  for (const one of matching(cases, ({ name }) => name, values.only)) {
    const result = await measure(one, rows, samples);
    addResult(record, result, values.json);
    const [theirs, ours] = [median(result.theirs), median(result.ours)];
    const times = [formatTime(theirs), formatTime(ours), formatRatio(theirs / ours)];
    console.log(formatRow(COLUMNS, [one.name, ...times, result.verified ? 'yes' : 'wrong']));
  }
  return record.results.every(({ verified }) => verified);
}

/** Rounds before the samples: in the first ones engines compile while a recipe's threads run. */
const UNMEASURED = 4;

async function measure(one: Case, rows: number, samples: number): Promise<SubstituteResult> {
  const made = one.make();
  const makeRound = (): Round<ArrayLike<number>> => ({
    ways: [
      ['theirs', made.theirs],
      ['ours', made.ours],
    ],
    isRight: (result, results) => isEqual(result, results.get('theirs') as ArrayLike<number>),
  });
  const [theirs, ours] = await takeTurns(samples, makeRound, UNMEASURED);
  if (theirs === undefined || ours === undefined) throw new Error('there are no samples');
  const { name } = one;
  const verified = ours.verified;
  return { name, rows, theirs: theirs.milliseconds, ours: ours.milliseconds, verified };
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
async function makeCases(rows: number, random: Random): Promise<Case[]> {
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
