/**
 * Spells strings: finds the symbols of their characters in an alphabet, and the words that they are
 * sorted by. This is the loop in plain TypeScript, for where there is no WebAssembly. Its twin is
 * kernels/cpu/wasm/spelling.ts.
 */

import {
  type Letters,
  SPELT_STRINGS,
  SPELT_UNITS,
  type Speller,
  type SpellingPlan,
  type SpellingText,
  type Spelt,
} from '@keysweep/core';
import { characterOf, IGNORED, isDigit, isWhole, letterOf, markPartial, ZERO } from './alphabet.js';

/** What a string that cannot be spelt ends at. */
const UNSPELT = -1;

/** Spells strings in plain TypeScript. */
export class PlainSpeller implements Speller {
  readonly seen: Uint8Array;
  readonly #letters: Letters;
  /** The strings that are being spelt. */
  #bytes: Uint8Array = new Uint8Array(0);
  /** A number has one symbol more than digits. */
  readonly #room = new Uint16Array(2 * SPELT_UNITS);
  readonly #ends = new Uint32Array(SPELT_STRINGS);
  readonly #rests = new Float64Array(SPELT_STRINGS);
  readonly #words = new Uint32Array(2 * SPELT_STRINGS);
  /** Where the next string starts. */
  #at = 0;

  constructor(letters: Letters) {
    this.#letters = letters;
    this.seen = new Uint8Array(letters.count ** 3);
  }

  spell({ bytes, lengths }: SpellingText, plan: SpellingPlan, first: number, start: number): Spelt {
    this.#bytes = bytes;
    this.#at = 0;
    const count = lengths.length;
    const numbers: number[] = [];
    const others: number[] = [];
    let at = 0;
    for (let i = 0; i < count; i++) {
      const end = this.#spell(lengths[i] as number, at);
      // The byte between two strings.
      this.#at++;
      if (end === UNSPELT) {
        others.push(first + i);
        this.#rests[i] = Number.NaN;
      } else {
        this.#rests[i] = this.#writeWord(at, end, plan, numbers.length);
        numbers.push(first + i);
        at = end;
      }
      this.#ends[i] = start + at;
    }
    return {
      symbolCount: at,
      symbols: this.#room.subarray(0, at),
      ends: this.#ends.subarray(0, count),
      rests: this.#rests.subarray(0, count),
      numbers: Uint32Array.from(numbers),
      words: this.#words.subarray(0, 2 * numbers.length),
      others: Uint32Array.from(others),
    };
  }

  /**
   * Writes the symbols of the next string, which has `length` code units, from `start` on. Returns
   * where they end, or UNSPELT. Digits in a row may be a number: the letter of the digit k comes
   * before a number of k digits, because a longer number is a larger one. Zeros before it do not
   * count.
   */
  #spell(length: number, start: number): number {
    const bytes = this.#bytes;
    const { seen } = this;
    const room = this.#room;
    const { symbols, count, refused, isNumeric } = this.#letters;
    let next = this.#at;
    let end = start;
    let before = 0;
    // Letters that are none are 0, and not looked at in `seen`.
    let two = 0;
    let isPartial = false;
    for (let left = length; left > 0; left--) {
      const at = next++;
      let code = bytes[at] as number;
      if (code >= 0x80) {
        code = unitAt(bytes, at);
        next += code < 0x800 ? 1 : 2;
      }
      const symbol = symbols[code] as number;
      if (symbol === IGNORED) {
        isPartial = true;
        continue;
      }
      const letter = letterOf(symbol);
      const pair = before * count + letter;
      if (refused[pair] === 1) return this.#passOver(at, left);
      if (!isNumeric || !isDigit(code)) {
        room[end++] = symbol;
        seen[two * count + letter] = 1;
        two = pair;
        before = letter;
        continue;
      }
      for (; left > 1 && isDigit(bytes[next] as number); left--) next++;
      let first = at;
      while (first < next - 1 && bytes[first] === ZERO) first++;
      isPartial ||= first > at;
      const digits = next - first;
      const size = digits > 9 ? 0 : (symbols[ZERO + digits] as number);
      if (size === 0) return this.#passOver(next, left - 1);
      room[end++] = size;
      for (; first < next; first++) {
        const digit = symbols[bytes[first] as number] as number;
        if (digit === 0) return this.#passOver(next, left - 1);
        room[end++] = digit;
      }
      before = letterOf(room[end - 1] as number);
      two = 0;
    }
    this.#at = next;
    if (isPartial) markPartial(room, start);
    return end;
  }

  /** Goes to the end of a string that cannot be spelt, `length` code units after `at`. */
  #passOver(at: number, length: number): number {
    let next = at;
    for (let left = length; left > 0; left--) {
      const byte = this.#bytes[next] as number;
      next += byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
      // A character of four bytes is two code units.
      if (byte >= 0xf0) left--;
    }
    this.#at = next;
    return UNSPELT;
  }

  /** Writes word `place` of the string with these symbols. Returns its rest. */
  #writeWord(start: number, end: number, { stem, perHalf }: SpellingPlan, place: number): number {
    const symbols = this.#room;
    const { count, sizes, before } = this.#letters;
    const all = (before.at(-1) as number) + (sizes.at(-1) as number) + 1;
    let at = start;
    let high = 0;
    if (stem.length > 0) {
      // The upper half says first whether a string is before, with, or after the stem.
      const side = sideOf(symbols, at, end, stem);
      high = side + 1;
      if (side === 0) at += stem.length;
    }
    for (const stop = at + perHalf; at < stop; at++) {
      high = (Math.imul(high, count) + (at < end ? letterOf(symbols[at] as number) : 0)) | 0;
    }
    let low = 0;
    for (const stop = at + perHalf; at < stop; at++) {
      low = (Math.imul(low, count) + (at < end ? letterOf(symbols[at] as number) : 0)) | 0;
    }
    this.#words[2 * place] = low;
    this.#words[2 * place + 1] = high;
    // The rest has, for letters in the word, which of its characters each is; then whole symbols.
    let rest = start < end && isWhole(symbols, start) ? 1 : Number.NaN;
    const known = Math.min(at, end);
    for (let i = start; i < known; i++) {
      const symbol = symbols[i] as number;
      rest = rest * (sizes[letterOf(symbol)] as number) + characterOf(symbol) - 1;
    }
    for (let i = known; i < end; i++) {
      const symbol = symbols[i] as number;
      rest = rest * all + (before[letterOf(symbol)] as number) + characterOf(symbol);
    }
    return rest <= Number.MAX_SAFE_INTEGER ? rest : Number.NaN;
  }
}

/** 0 if letters begin with a stem; −1 if they are before all that do, and 1 if they are after. */
function sideOf(symbols: Uint16Array, start: number, end: number, stem: Uint8Array): number {
  for (let i = 0; i < stem.length; i++) {
    const letter = start + i < end ? letterOf(symbols[start + i] as number) : 0;
    if (letter !== stem[i]) return letter < (stem[i] as number) ? -1 : 1;
  }
  return 0;
}

/** The code unit whose bytes begin at `at`; a surrogate for a character of two. */
function unitAt(bytes: Uint8Array, at: number): number {
  const byte = bytes[at] as number;
  const second = (bytes[at + 1] as number) & 0x3f;
  if (byte < 0xe0) return ((byte & 0x1f) << 6) | second;
  if (byte >= 0xf0) return 0xd800;
  return ((byte & 0x0f) << 12) | (second << 6) | ((bytes[at + 2] as number) & 0x3f);
}
