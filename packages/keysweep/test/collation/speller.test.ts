/** The loop that spells strings, compiled and plain: both say the same of every string. */

import { runSeed } from '@keysweep/conformance/data';
import {
  type FieldKernels,
  SPELT_UNITS,
  type Speller,
  type SpellingText,
  type Spelt,
} from '@keysweep/core';
import { cpu } from '@keysweep/cpu';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { testRandom } from '../../../../tools/test/random.js';
import { type Alphabet, learnAlphabet, letterOf } from '../../src/collation/alphabet.js';
import { TextRoom } from '../../src/collation/bytes.js';
import { PlainSpeller } from '../../src/collation/speller.js';

const SEED = runSeed();
const random = testRandom();
const oneOf = <T>(choices: readonly T[]): T => choices[random.below(choices.length)] as T;

const PIECES = [
  ...'aábBcdeéfghijklmnoöpqrsßtuvwxyzZ',
  ...[' ', '-', '0', '7', '10', '007', '1234567890123', 'ch', 'e\u0301', '日', '😀', '\ud83d', ''],
];

const stringsOf = (count: number, stem: string): string[] =>
  Array.from({ length: count }, () => {
    const own = Array.from({ length: random.below(30) }, () => oneOf(PIECES)).join('');
    return random.below(9) === 0 ? own : stem + own;
  });

const NO_TEXT: SpellingText = { bytes: new Uint8Array(0), lengths: new Uint32Array(0) };

/** A copy of what a speller says, which is good until its next call only. */
function spelt(speller: Speller, strings: readonly string[], stem: Uint8Array): Spelt {
  const text = new TextRoom().textOf(strings, 0) ?? NO_TEXT;
  expect(text.lengths.length).toBe(strings.length);
  const { symbols, ends, ...others } = speller.spell(text, { stem, perHalf: 4 }, 7, 99);
  const copied = Object.entries({ symbols, ends, ...others }).map(([name, value]) => [
    name,
    typeof value === 'number' ? value : value.slice(),
  ]);
  return Object.fromEntries(copied);
}

describe(`a compiled speller (KEYSWEEP_SEED=${SEED})`, () => {
  it.each([
    ['en', {}],
    ['cs', { sensitivity: 'base' }],
    ['de', { numeric: true }],
    ['da', { ignorePunctuation: true, numeric: true }],
  ] as const)('says of every string what the plain one does: %s %j', async (locale, options) => {
    const collator = new Intl.Collator(locale, options);
    const kernels = (await cpu().fieldKernels?.()) as FieldKernels;
    const alphabet = learnAlphabet(collator, stringsOf(2000, 'stem')) as Alphabet;
    const compiled = kernels.speller?.(alphabet) as Speller;
    const plain = new PlainSpeller(alphabet);
    const stem = Uint8Array.from('stem', (letter) => {
      const symbol = alphabet.symbols[letter.charCodeAt(0)] as number;
      return symbol >> 8;
    });
    for (const begin of [new Uint8Array(0), stem]) {
      for (const count of [0, 1, 3000]) {
        const strings = stringsOf(count, 'stem');
        const own = spelt(compiled, strings, begin);
        expect(own).toEqual(spelt(plain, strings, begin));
        expect(own.numbers.length + own.others.length).toBe(count);
      }
    }
    expect(compiled.seen).toEqual(plain.seen);
    expect(plain.seen).toContain(1);
  });

  it('reads what an encoder reads, where the runtime has none', async () => {
    vi.stubGlobal('TextEncoder', undefined);
    vi.resetModules();
    onTestFinished(() => void vi.unstubAllGlobals());
    const { TextRoom: PlainRoom } = await import('../../src/collation/bytes.js');
    // Characters of one unit: halves of others are encoded on their own.
    const strings = stringsOf(500, 'жstem').map((text) =>
      text.replaceAll(/[\ud800-\udfff]/g, '日'),
    );
    const { bytes, lengths } = new PlainRoom().textOf(strings, 0) as SpellingText;
    expect([...lengths]).toEqual(strings.map(({ length }) => length));
    let at = 0;
    for (const text of strings) {
      const expected = Buffer.from(text);
      expect(Buffer.from(bytes.subarray(at, at + expected.length)).equals(expected)).toBe(true);
      at += expected.length + 1;
    }
    expect(at).toBe(bytes.length);
  });

  it.each([
    ['en', {}],
    ['en', { sensitivity: 'base' }],
    ['cs', { sensitivity: 'accent' }],
    ['sv', { sensitivity: 'case', numeric: true }],
    ['de', { ignorePunctuation: true }],
  ] as const)(
    'has the letters of %s %j in their order, and one for characters that tie',
    (of, how) => {
      const collator = new Intl.Collator(of, how);
      const characters = [...'aAáÁäÄbBcçdzZåö09ｚ'];
      const alphabet = learnAlphabet(collator, [characters.join('')]) as Alphabet;
      // What a collator says of letters alone.
      const base = new Intl.Collator(of, { ...how, sensitivity: 'base' });
      const known = characters.flatMap((character) => {
        const symbol = alphabet.symbols[character.charCodeAt(0)] as number;
        return symbol === 0 ? [] : [{ character, letter: letterOf(symbol) }];
      });
      expect(known.length).toBeGreaterThan(10);
      for (const one of known) {
        for (const other of known) {
          const found = Math.sign(one.letter - other.letter);
          const expected = Math.sign(base.compare(one.character, other.character));
          expect([one.character, other.character, found]).toEqual([
            ...[one.character, other.character, expected],
          ]);
        }
      }
    },
  );

  it('has room for as many units as it takes', async () => {
    const kernels = (await cpu().fieldKernels?.()) as FieldKernels;
    const collator = new Intl.Collator('en', { numeric: true });
    const alphabet = learnAlphabet(collator, ['a1日']) as Alphabet;
    const compiled = kernels.speller?.(alphabet) as Speller;
    const plain = new PlainSpeller(alphabet);
    for (const text of ['1a'.repeat(SPELT_UNITS / 2), '日'.repeat(SPELT_UNITS)]) {
      const stem = new Uint8Array(0);
      expect(spelt(compiled, [text], stem)).toEqual(spelt(plain, [text], stem));
    }
  });
});
