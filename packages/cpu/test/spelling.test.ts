/** Strings that a job of texts spells, by an alphabet of five letters, beside their own order. */

import { runSeed } from '@keysweep/conformance/data';
import {
  type Letters,
  runAtOnce,
  SPELT_UNITS,
  type SpellingText,
  type SpellRequest,
} from '@keysweep/core';
import { describe, expect, it } from 'vitest';
import { testRandom } from '../../../tools/test/random.js';
import { Arena } from '../src/arena/arena.js';
import { WorkQueue } from '../src/arena/work-queue.js';
import { type RunSpelling, spellInArena, spellTexts } from '../src/spelling/spell-job.js';

const random = testRandom();

/** a to e, a letter each, of which every pair stands for itself. */
const LETTERS: Letters = {
  symbols: new Uint16Array(2 ** 16).map((_, unit) => {
    const letter = unit - 'a'.charCodeAt(0) + 1;
    return letter >= 1 && letter <= 5 ? (letter << 8) | 1 : 0;
  }),
  count: 6,
  refused: Uint8Array.from({ length: 36 }, (_, pair) => (pair % 6 === 0 ? 1 : 0)),
  sizes: [0, 1, 1, 1, 1, 1],
  before: [0, 0, 1, 2, 3, 4],
  isNumeric: false,
};
const MANY = 2 ** 16;
const PLAN = { stem: new Uint8Array(0), perHalf: 4 };

/** One string in nine has a character that is no letter. */
const stringsOf = (count: number): string[] =>
  Array.from({ length: count }, () => {
    const length = 1 + random.below(7);
    const own = Array.from({ length }, () => 'abcde'[random.below(5)]).join('');
    return random.below(9) === 0 ? `${own}日` : own;
  });

const textOf = (strings: readonly string[]): SpellingText => ({
  bytes: new Uint8Array(Buffer.from(strings.join('\n'))),
  lengths: Uint32Array.from(strings, ({ length }) => length),
});

/** Spells strings, `each` in a text, by this thread alone. */
async function spelt(strings: readonly string[], each: number, more: Partial<SpellRequest> = {}) {
  const arena = new Arena();
  const asked: number[] = [];
  const found = {
    texts: 0,
    numbers: [] as number[],
    words: [] as bigint[],
    others: [] as number[],
  };
  let triples = new Uint8Array(0);
  let symbolCount = 0;
  const run: RunSpelling = async (job, stage) => {
    const queue = new WorkQueue(arena.memory, job.arena, 0);
    queue.reset();
    await stage((slices) => queue.markStaged(slices));
    return runAtOnce(spellTexts(job, arena.memory, queue, 0));
  };
  const request: SpellRequest = {
    ...{ letters: LETTERS, plan: PLAN, first: 0, count: MANY, signal: undefined },
    text(from) {
      asked.push(from);
      const some = strings.slice(from, from + each);
      return some.length === 0 ? undefined : textOf(some);
    },
    take(texts, seen) {
      found.texts = texts.length;
      triples = seen.slice();
      for (const text of texts) {
        symbolCount += text.symbolCount;
        found.numbers.push(...text.numbers);
        found.others.push(...text.others);
        const { buffer, byteOffset, length } = text.words;
        found.words.push(...new BigUint64Array(buffer, byteOffset, length / 2));
      }
    },
    ...more,
  };
  const isSpelt = await spellInArena(request, arena, 2, run);
  return { ...found, isSpelt, asked, triples, symbolCount };
}

describe(`strings that are spelt text after text (KEYSWEEP_SEED=${runSeed()})`, () => {
  it('are told by number, those that have letters with words in their order', async () => {
    const strings = stringsOf(500);
    const { isSpelt, texts, asked, numbers, others, words, triples } = await spelt(strings, 90);
    expect({ isSpelt, texts, asked }).toEqual({
      ...{ isSpelt: true, texts: 6 },
      asked: [0, 90, 180, 270, 360, 450, 500],
    });
    const hasLetters = (i: number): boolean => /^[a-e]*$/.test(strings[i] as string);
    const all = [...strings.keys()];
    expect(numbers).toEqual(all.filter(hasLetters));
    expect(others).toEqual(all.filter((i) => !hasLetters(i)));
    const order = [...numbers.keys()].sort((a, b) =>
      (words[a] as bigint) < (words[b] as bigint) ? -1 : 1,
    );
    const inOrder = order.map((at) => strings[numbers[at] as number] as string);
    expect(inOrder).toEqual(inOrder.toSorted());
    // All three letters in a row, and no others.
    const expected = new Set<number>();
    const letterOf = (text: string, at: number): number => text.charCodeAt(at) - 96;
    for (const i of numbers) {
      const text = strings[i] as string;
      for (let at = 0; at + 2 < text.length; at++) {
        expected.add(
          (letterOf(text, at) * 6 + letterOf(text, at + 1)) * 6 + letterOf(text, at + 2),
        );
      }
    }
    const seen = [...triples.keys()].filter((at) => triples[at] === 1);
    const areThree = (at: number): boolean => ![at, at / 6, at / 36].some((n) => (n | 0) % 6 === 0);
    expect(seen.filter(areThree)).toEqual([...expected].sort((a, b) => a - b));
  });

  it('are those of 64 texts, or of four mebibytes; the rest is left', async () => {
    const strings = stringsOf(70);
    const { texts, asked, numbers, others, symbolCount } = await spelt(strings, 1, { first: 3 });
    expect([texts, asked]).toEqual([64, Array.from({ length: 64 }, (_, i) => i + 3)]);
    expect([...numbers, ...others].sort((a, b) => a - b)).toEqual(asked);
    expect(symbolCount).toBeGreaterThanOrEqual(numbers.length);
    const long = Array.from({ length: 100 }, () => 'ab'.repeat(SPELT_UNITS / 2));
    const few = await spelt(long, 1);
    expect(few.texts).toBe(Math.ceil((2 ** 22 + 1) / SPELT_UNITS));
    expect(few.symbolCount).toBe(few.texts * SPELT_UNITS);
  });

  it('are not begun if they are few, if none makes a text, or after an abort', async () => {
    const strings = stringsOf(9);
    const few = await spelt(strings, 9, { count: MANY - 1 });
    expect({ isSpelt: few.isSpelt, asked: few.asked }).toEqual({ isSpelt: false, asked: [] });
    const none = await spelt([], 9);
    expect({ isSpelt: none.isSpelt, asked: none.asked }).toEqual({ isSpelt: false, asked: [0] });
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(spelt(strings, 1, { signal })).rejects.toThrow('enough');
  });
});
