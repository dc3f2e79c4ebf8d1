/**
 * Alphabets: the order that a collator gives to single characters, learnt by asking it. A string
 * spelt in an alphabet is a row of small numbers, and strings whose numbers differ are in the order
 * of these numbers. Strings that are spelt alike, such as "Rose" and "rosé", are not told apart by
 * it: collators look at accents and case only if all letters are equal.
 *
 * That holds as long as every character stands for one letter by itself. Whatever does not, such as
 * "ch" in Czech, "ß", which is "ss", or a combining mark, is found by asking, and strings with it
 * are not spelt. Three characters may be a letter though no two of them are, as "c'h" in Breton.
 * Triples that strings were spelt with are asked about in the end.
 */

import type { Letters } from '@keysweep/core';

/** An alphabet of a collator. */
export interface Alphabet extends Letters {
  /** A character for each letter. */
  readonly characters: readonly string[];
  /** Compares strings by their letters only. */
  readonly compare: (a: string, b: string) => number;
}

/** More code units than these are not asked about, because every pair of them is. */
const LETTERS = 128;

/** Bits of a symbol for the characters of one letter. */
const CHARACTER_BITS = 8;
const CHARACTER = 2 ** CHARACTER_BITS - 1;

/** The letter of a symbol. */
export const letterOf = (symbol: number): number => symbol >>> CHARACTER_BITS;

/**
 * Which of its letter's characters a symbol is, counted from 1. Strings of the same symbols are
 * equal.
 */
export const characterOf = (symbol: number): number => symbol & CHARACTER;

/** Whether the symbols from `start` on, one or more, are all of their string. */
export const isWhole = (symbols: Uint16Array, start: number): boolean =>
  characterOf(symbols[start] as number) !== 0;

/** Notes in the first symbol that a character of the string has none. */
export function markPartial(symbols: Uint16Array, start: number): void {
  symbols[start] = (symbols[start] as number) & ~CHARACTER;
}

/** The symbol of a code unit that does not count, as a hyphen with `ignorePunctuation`. */
export const IGNORED = 0xffff;

export const ZERO = 48;
const NINE = 57;
export const isDigit = (code: number): boolean => code >= ZERO && code <= NINE;

/** Marks combine with what is before them. Surrogates are halves of a character, or U+FFFD. */
const COMBINES = /^[\p{M}\p{Cs}\ufffd]$/u;

/** Digits of other scripts, which belong to numbers, too. */
const IS_NUMBER = /^\p{N}$/u;

/**
 * The alphabet of the code units that are most frequent in `strings`. Undefined if all of them are
 * one letter. Asks some 30,000 times.
 */
export function learnAlphabet(
  collator: Intl.Collator,
  strings: Iterable<string>,
): Alphabet | undefined {
  const options = Intl.Collator.prototype.resolvedOptions.call(collator);
  // At this sensitivity strings tie if their letters do.
  const { compare } = new Intl.Collator(options.locale, { ...options, sensitivity: 'base' });
  const units = frequentUnits(strings, options.numeric);
  const symbols = new Uint16Array(2 ** 16);
  const characters: string[] = [];
  for (const code of units) {
    const character = String.fromCharCode(code);
    if (compare(character, '') === 0) symbols[code] = IGNORED;
    else characters.push(character);
  }
  const classes = classesOf(characters, compare);
  if (classes.length < 2) return undefined;
  classes.forEach((members, i) => {
    members.forEach((member, k) => {
      symbols[member.charCodeAt(0)] = ((i + 1) << CHARACTER_BITS) | (k + 1);
    });
  });
  const sizes = [0, ...classes.map((members) => members.length)];
  let sum = 0;
  return {
    symbols,
    count: sizes.length,
    refused: refusedPairs(classes, compare, options.numeric),
    sizes,
    before: sizes.map((size) => {
      sum += size;
      return sum - size;
    }),
    isNumeric: options.numeric,
    characters: ['', ...classes.map(([first = '']) => first)],
    compare,
  };
}

/**
 * Whether all that strings were spelt with, three letters at a time, is in the letters' order:
 * `seen` has a 1 for those.
 */
export function isConsistent(alphabet: Alphabet, seen: Uint8Array): boolean {
  const { count, characters, compare, isNumeric } = alphabet;
  const isOfNumber = (character: string) => isNumeric && isDigit(character.charCodeAt(0));
  for (let first = 1; first < count; first++) {
    for (let second = 1; second < count; second++) {
      const pair = (characters[first] as string) + (characters[second] as string);
      const above = characters[second + 1];
      let before = pair;
      for (let third = 1; third < count; third++) {
        if (seen[(first * count + second) * count + third] === 0) continue;
        const three = pair + (characters[third] as string);
        if (!(compare(before, three) < 0)) return false;
        before = three;
      }
      // A digit after a digit is a number: "0" and "00" are the same one.
      if (before === pair || above === undefined || isOfNumber(above)) continue;
      if (!(compare(before, (characters[first] as string) + above) < 0)) return false;
    }
  }
  return true;
}

/** The code units that may be characters of an alphabet, the most frequent ones. */
function frequentUnits(strings: Iterable<string>, isNumeric: boolean): readonly number[] {
  const counts = new Uint32Array(2 ** 16);
  counts.fill(1, ZERO, NINE + 1);
  for (const string of strings) {
    for (let i = 0; i < string.length; i++) {
      const code = string.charCodeAt(i);
      counts[code] = (counts[code] as number) + 1;
    }
  }
  const units: number[] = [];
  for (let code = 0; code < counts.length; code++) {
    if (counts[code] === 0) continue;
    const character = String.fromCharCode(code);
    if (COMBINES.test(character)) continue;
    if (!isNumeric || isDigit(code) || !IS_NUMBER.test(character)) units.push(code);
  }
  units.sort((a, b) => (counts[b] as number) - (counts[a] as number));
  return units.slice(0, LETTERS - 1);
}

type CompareStrings = Alphabet['compare'];

/**
 * Characters in their order, those that tie together. Without characters that stand for several
 * letters: they do not come after all that begins with the letter before them, as "sz" comes after
 * "ß".
 */
function classesOf(characters: readonly string[], compare: CompareStrings): readonly string[][] {
  const classes: string[][] = [];
  const sorted = [...characters].sort(compare);
  const last = sorted.at(-1) ?? '';
  for (const character of sorted) {
    const [before] = classes.at(-1) ?? [];
    if (before !== undefined && compare(before, character) === 0) {
      classes.at(-1)?.push(character);
    } else if (before === undefined || compare(before + last, character) < 0) {
      classes.push([character]);
    }
  }
  return classes;
}

/**
 * Pairs of letters that are not in the order of their letters. Each pair is compared with the pair
 * before it and with the single letters around it, and all pairs that are spelt alike with it.
 */
function refusedPairs(
  classes: readonly string[][],
  compare: CompareStrings,
  isNumeric: boolean,
): Uint8Array {
  const count = classes.length + 1;
  const refused = new Uint8Array(count * count);
  const refuse = (first: number, second: number): void => {
    refused[(first + 1) * count + second + 1] = 1;
  };
  for (let first = -1; first < classes.length; first++) refuse(first, -1);
  const digits = classes.map(([first = '']) => isNumeric && isDigit(first.charCodeAt(0)));
  classes.forEach(([first = '', ...others], i) => {
    const [above] = classes[i + 1] ?? [];
    let before = first;
    let second = -1;
    classes.forEach(([next = '', ...more], j) => {
      // Digits in a row are spelt otherwise.
      if (digits[i] && digits[j]) return;
      const pair = first + next;
      if (!(compare(before, pair) < 0)) {
        refuse(i, j);
        if (second >= 0) refuse(i, second);
      }
      const isWithin = compare(first, pair) < 0 && !(above && compare(pair, above) >= 0);
      const isSpelt = (a: string) => [next, ...more].every((b) => compare(a + b, pair) === 0);
      if (!isWithin || ![first, ...others].every(isSpelt)) refuse(i, j);
      before = pair;
      second = j;
    });
  });
  return refused;
}
