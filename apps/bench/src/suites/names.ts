/** `names`: rows by a column of names in the order of a locale, beside `Array.prototype.sort`. */

import type { Random } from '@keysweep/conformance/data';
import { argsort, prepare } from 'keysweep';
import type { Round } from '../measure/runner.js';
import { suite } from '../measure/suite.js';
import type { Command } from '../program/command.js';

const ROWS = 1_000_000;

/** How many names are distinct. The strings are new ones in each round: none has been read. */
const CASES = [
  { name: 'a thousand distinct names', distinct: 1000 },
  { name: 'half of the names distinct', distinct: ROWS / 2 },
  { name: 'all names distinct', distinct: ROWS },
];

const SYLLABLES = 'an be cor da el fi ga há is jo ka lu mar ni ol pé ra so ti vi wen xa yo zé ö ñi';

export const command: Command = suite({
  help: `Measures argsort of a million names by an Intl.Collator, bare and prepared, beside toSorted
with the same collator's compare. Every result is checked.`,
  open(_, { random }) {
    const collator = new Intl.Collator('en');
    return {
      cases: CASES.map(({ name, distinct }) => ({
        name,
        samples: 5,
        warmUps: 1,
        makeRound: () => roundOf(names(random, distinct), collator),
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
