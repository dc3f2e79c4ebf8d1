/** `names`: rows by a column of names in the order of a locale, beside `Array.prototype.sort`. */

import type { Random } from '@keysweep/conformance/data';
import { argsort, prepare } from 'keysweep';
import type { Round } from '../measure/runner.js';
import { suite } from '../measure/suite.js';
import type { Command } from '../program/command.js';

const ROWS = 1_000_000;

/** Days of ten years, in milliseconds. */
const DAYS = 3650;
const DAY = 24 * 60 * 60 * 1000;

/** How many names are distinct. The strings are new ones in each round: none has been read. */
const CASES = [
  { name: 'a thousand distinct names', distinct: 1000 },
  { name: 'half of the names distinct', distinct: ROWS / 2 },
  { name: 'all names distinct', distinct: ROWS },
  { name: 'the latest day first, then by names, half of them distinct', distinct: ROWS / 2 },
];

const SYLLABLES = 'an be cor da el fi ga há is jo ka lu mar ni ol pé ra so ti vi wen xa yo zé ö ñi';

export const command: Command = suite({
  help: `Measures argsort of a million names by an Intl.Collator, bare and prepared, beside toSorted
with the same collator's compare, and of rows by a day and a name. Every result is checked.`,
  open(_, { random }) {
    const collator = new Intl.Collator('en');
    return {
      cases: CASES.map(({ name, distinct }, i) => ({
        name,
        samples: 5,
        warmUps: 1,
        makeRound: () =>
          i < 3
            ? roundOf(names(random, distinct), collator)
            : roundByDay(names(random, distinct), random, collator),
      })),
    };
  },
});

/** What a way makes: the rows' order, or the names in it. */
type Sorted = Uint32Array | readonly string[];

async function roundOf(json: string, collator: Intl.Collator): Promise<Round<Sorted>> {
  const expected = (JSON.parse(json) as string[]).sort(collator.compare);
  let keys: string[] = [];
  const prepared = await prepare({ keys: JSON.parse(json), collator });
  const parse = (): void => {
    keys = JSON.parse(json);
  };
  return {
    ways: [
      { name: 'keysweep', prepare: parse, run: () => argsort({ keys, collator }) },
      { name: 'toSorted', prepare: parse, run: () => [...keys].sort(collator.compare) },
      { name: 'keysweep, prepared', prepare: parse, run: () => argsort(prepared) },
    ],
    check(sorted) {
      const isRight = expected.every((name, i) => {
        const found = sorted[i];
        return name === (typeof found === 'number' ? keys[found] : found);
      });
      return isRight ? undefined : 'the names are not in order';
    },
  };
}

interface Row {
  readonly day: number;
  readonly name: string;
}

async function roundByDay(
  json: string,
  random: Random,
  collator: Intl.Collator,
): Promise<Round<Uint32Array | readonly Row[]>> {
  const days = Float64Array.from({ length: ROWS }, () => random.below(DAYS) * DAY);
  const compare = (a: Row, b: Row): number => b.day - a.day || collator.compare(a.name, b.name);
  let keys: string[] = [];
  let rows: readonly Row[] = [];
  const parse = (): void => {
    keys = JSON.parse(json);
    rows = keys.map((name, i) => ({ day: days[i] as number, name }));
  };
  parse();
  const expected = rows.slice().sort(compare);
  const byDay = { keys: days, order: 'descending' } as const;
  return {
    ways: [
      { name: 'keysweep', prepare: parse, run: () => argsort([byDay, { keys, collator }]) },
      { name: 'toSorted', prepare: parse, run: () => rows.slice().sort(compare) },
    ],
    check(sorted) {
      const isRight = expected.every(({ day, name }, i) => {
        const found = sorted[i];
        const row = typeof found === 'number' ? rows[found] : found;
        return row?.day === day && row.name === name;
      });
      return isRight ? undefined : 'the rows are not in order';
    },
  };
}

/** A list of names, as text: strings that are parsed from it are new ones. */
function names(random: Random, distinct: number): string {
  const syllables = SYLLABLES.split(' ');
  const word = (count: number): string => {
    const text = Array.from({ length: count }, () => syllables[random.below(syllables.length)]);
    return text.join('').replace(/^./, (first) => first.toUpperCase());
  };
  const some = new Set<string>();
  while (some.size < distinct)
    some.add(`${word(2 + random.below(2))} ${word(2 + random.below(3))}`);
  const list = [...some];
  while (list.length < ROWS) list.push(list[random.below(distinct)] as string);
  for (let i = list.length - 1; i > 0; i--) {
    const at = random.below(i + 1);
    [list[i], list[at]] = [list[at] as string, list[i] as string];
  }
  return JSON.stringify(list);
}
