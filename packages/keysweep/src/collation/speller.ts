/** Spells strings: finds the symbols of their characters in an alphabet, string after string. */

import { type Alphabet, IGNORED, isDigit, letterOf, ZERO } from './alphabet.js';

/** What a string that cannot be spelt ends at. */
export const UNSPELT = -1;

/** The bits of a symbol that tell characters of one letter apart: never all 0 in an alphabet. */
const CHARACTER = 255;

/** The most symbols that a string of this length is spelt with: numbers have one more. */
export const roomFor = ({ isNumeric }: Alphabet, length: number): number =>
  isNumeric ? length + Math.ceil(length / 2) : length;

/** Which of its letter's characters a symbol is, from 1 on. */
export const characterOf = (symbol: number): number => symbol & CHARACTER;

/** Whether the symbols from `start` on, one or more, are all of their string. */
export const isWhole = (symbols: Uint16Array, start: number): boolean =>
  characterOf(symbols[start] as number) !== 0;

/** Notes in the first symbol that a character of the string has none. */
function markPartial(symbols: Uint16Array, start: number): void {
  symbols[start] = (symbols[start] as number) & ~CHARACTER;
}

/** Spells strings that follow one another in UTF-8. */
export class Speller {
  /** Where the next string starts. */
  at = 0;
  readonly #alphabet: Alphabet;
  readonly #bytes: Uint8Array;

  constructor(alphabet: Alphabet, bytes: Uint8Array) {
    this.#alphabet = alphabet;
    this.#bytes = bytes;
  }

  /**
   * Writes the symbols of the next string, which has `length` code units, to `room` from `start`
   * on, where there is `roomFor` it. Returns where they end, or UNSPELT.
   */
  spell(length: number, room: Uint16Array, start: number): number {
    if (this.#alphabet.isNumeric) return this.#spellWithNumbers(length, room, start);
    const bytes = this.#bytes;
    const { symbols, count, refused, seen } = this.#alphabet;
    let next = this.at;
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
      room[end++] = symbol;
      seen[two * count + letter] = 1;
      two = pair;
      before = letter;
    }
    this.at = next;
    if (isPartial) markPartial(room, start);
    return end;
  }

  /**
   * The same, with digits in a row as numbers: the letter of the digit k comes before a number of k
   * digits, because a longer number is a larger one. Zeros before it do not count.
   */
  #spellWithNumbers(length: number, room: Uint16Array, start: number): number {
    const bytes = this.#bytes;
    const { symbols, count, refused, seen } = this.#alphabet;
    let next = this.at;
    let end = start;
    let before = 0;
    let two = 0;
    let isPartial = false;
    for (let left = length; left > 0; left--) {
      const at = next++;
      const code = unitAt(bytes, at);
      if (code >= 0x80) next += code < 0x800 ? 1 : 2;
      const symbol = symbols[code] as number;
      if (symbol === IGNORED) {
        isPartial = true;
        continue;
      }
      const letter = letterOf(symbol);
      const pair = before * count + letter;
      if (refused[pair] === 1) return this.#passOver(at, left);
      if (isDigit(code)) {
        for (; left > 1 && isDigit(bytes[next] as number); left--) next++;
        let first = at;
        while (first < next - 1 && bytes[first] === ZERO) first++;
        isPartial ||= first > at;
        const digits = next - first;
        const size = digits > 9 ? 0 : (symbols[ZERO + digits] as number);
        if (size === 0) return this.#passOver(next, left - 1);
        room[end++] = size;
        for (let i = first; i < next; i++) {
          const digit = symbols[bytes[i] as number] as number;
          if (digit === 0) return this.#passOver(next, left - 1);
          room[end++] = digit;
        }
        before = letterOf(room[end - 1] as number);
        two = 0;
      } else {
        room[end++] = symbol;
        seen[two * count + letter] = 1;
        two = pair;
        before = letter;
      }
    }
    this.at = next;
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
    this.at = next;
    return UNSPELT;
  }
}

/** The code unit whose bytes begin at `at`; a surrogate for a character of two. */
function unitAt(bytes: Uint8Array, at: number): number {
  const byte = bytes[at] as number;
  if (byte < 0x80) return byte;
  const second = (bytes[at + 1] as number) & 0x3f;
  if (byte < 0xe0) return ((byte & 0x1f) << 6) | second;
  if (byte < 0xf0)
    return ((byte & 0x0f) << 12) | (second << 6) | ((bytes[at + 2] as number) & 0x3f);
  return 0xd800;
}
