/** The sort by a comparator: its order, and which neighbours it says tie. */

import { runSeed } from '@keysweep/conformance/data';
import { expect, it } from 'vitest';
import { testRandom } from '../../../../tools/test/random.js';
import { Comparing } from '../../src/collation/comparing.js';

const SEED = runSeed();
const random = testRandom();

/** What ties is told by place: 1 where a value is that of the place before. */
const tiesOf = (values: readonly number[]): number[] =>
  values.map((value, i) => (i > 0 && value === values[i - 1] ? 1 : 0));

/** Numbers of which some tie, in runs of about so many that are in order already. */
function valuesOf(length: number): number[] {
  const [distinct, run] = [1 + random.below(length), 1 + random.below(length)];
  const values = Array.from({ length }, () => random.below(distinct));
  return Array.from({ length: Math.ceil(length / run) }, (_, i) =>
    values.slice(i * run, (i + 1) * run).sort((a, b) => a - b),
  ).flat();
}

it(`sorts stably, and knows every tie (seed ${SEED})`, () => {
  for (let round = 0; round < 300; round++) {
    const values = valuesOf(1 + random.below(round % 30 === 0 ? 3000 : 60));
    const compare = (a: number, b: number) => (values[a] as number) - (values[b] as number);
    const comparing = new Comparing(Uint32Array.from(values.keys()), compare);
    for (const _ of comparing.sort(0, values.length));
    const expected = Array.from(values.keys()).sort(compare);
    expect([...comparing.order]).toEqual(expected);
    expect([...comparing.ties]).toEqual(tiesOf(expected.map((i) => values[i] as number)));
  }
});

it(`merges two sorted ranges, and orders what ties by number (seed ${SEED})`, () => {
  for (let round = 0; round < 300; round++) {
    const values = valuesOf(2 + random.below(60));
    const compare = (a: number, b: number) => (values[a] as number) - (values[b] as number);
    const numbers = Uint32Array.from(values.keys());
    // The numbers of the left range need not be the lower ones.
    for (let i = numbers.length - 1; i > 0; i--) {
      const other = random.below(i + 1);
      [numbers[i], numbers[other]] = [numbers[other] as number, numbers[i] as number];
    }
    const comparing = new Comparing(numbers.slice(), compare);
    const middle = random.below(values.length + 1);
    for (const _ of comparing.sort(0, middle));
    for (const _ of comparing.sort(middle, values.length));
    for (const _ of comparing.merge(0, middle, values.length));
    const merged = Array.from(numbers).sort(compare);
    expect([...comparing.order]).toEqual(merged);
    expect([...comparing.ties]).toEqual(tiesOf(merged.map((i) => values[i] as number)));
    for (const _ of comparing.orderTies());
    expect([...comparing.order]).toEqual(merged.sort((a, b) => compare(a, b) || a - b));
  }
});
