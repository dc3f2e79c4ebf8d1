/**
 * Spelling: the characters of strings become symbols of an alphabet, and their letters words of 64
 * bits, which are in the order of the strings. A module of its own. Its twin in TypeScript is
 * packages/keysweep/src/collation/speller.ts, where it says what a symbol is.
 */

import { Spelling } from './blocks';

/** The symbol of a code unit that does not count. */
const IGNORED: u32 = 0xffff;
/** The bits of a symbol that tell characters of one letter apart. */
const CHARACTER: u32 = 255;
/** Rests beyond are not exact as doubles. */
const REST_MOST: u64 = (1 << 53) - 1;
const ZERO: u32 = 48;
/** What `spellString` returns for a string that cannot be spelt. */
const UNSPELT: usize = 0;

/** Where the next string starts. */
let next: usize = 0;

/**
 * Spells `n` strings, which follow one another in UTF-8 with one byte between two. Returns how many
 * could be spelt. Floor: of each character a byte, a symbol and two marks read, and a symbol and a
 * mark written.
 */
export function spell(block: Spelling, n: u32): u32 {
  next = block.text;
  let room: usize = block.room;
  let words: usize = block.words;
  let numbers: usize = block.numbers;
  let others: usize = block.others;
  for (let i: u32 = 0; i < n; i++) {
    const end = spellString(block, load<u32>(<usize>block.lengths + (i << 2)), room);
    // The byte between two strings.
    next++;
    let rest = NaN;
    if (end == UNSPELT) {
      store<u32>(others, block.first + i);
      others += 4;
    } else {
      rest = writeWord(block, room, end, words);
      words += 8;
      store<u32>(numbers, block.first + i);
      numbers += 4;
      room = end;
    }
    store<f64>(<usize>block.rests + (i << 3), rest);
    store<u32>(<usize>block.ends + (i << 2), block.at + <u32>((room - block.room) >> 1));
  }
  return <u32>((numbers - block.numbers) >> 2);
}

/** Writes the symbols of the next string of `length` code units. Returns where they end. */
function spellString(block: Spelling, length: u32, room: usize): usize {
  const symbols: usize = block.symbols;
  const refused: usize = block.refused;
  const seen: usize = block.seen;
  const count = block.count;
  const isNumeric = block.isNumeric != 0;
  let at = next;
  let end = room;
  let before: u32 = 0;
  // Letters that are none are 0, and not looked at in `seen`.
  let two: u32 = 0;
  let isPartial = false;
  for (let left = length; left > 0; left--) {
    const start = at;
    let code: u32 = load<u8>(at++);
    if (code >= 0x80) {
      code = unitAt(start);
      at += code < 0x800 ? 1 : 2;
    }
    const symbol: u32 = load<u16>(symbols + (code << 1));
    if (symbol == IGNORED) {
      isPartial = true;
      continue;
    }
    const letter = symbol >> 8;
    const pair = before * count + letter;
    if (load<u8>(refused + pair)) return passOver(start, left);
    if (isNumeric && isDigit(code)) {
      // The letter of the digit k comes before a number of k digits, without zeros before it.
      for (; left > 1 && isDigit(load<u8>(at)); left--) at++;
      let first = start;
      while (first < at - 1 && load<u8>(first) == ZERO) first++;
      if (first > start) isPartial = true;
      const digits = <u32>(at - first);
      const size: u32 = digits > 9 ? 0 : load<u16>(symbols + ((ZERO + digits) << 1));
      if (size == 0) return passOver(at, left - 1);
      store<u16>(end, size);
      end += 2;
      for (; first < at; first++) {
        const digit: u32 = load<u16>(symbols + (<usize>load<u8>(first) << 1));
        if (digit == 0) return passOver(at, left - 1);
        store<u16>(end, digit);
        end += 2;
        before = digit >> 8;
      }
      two = 0;
    } else {
      store<u16>(end, symbol);
      end += 2;
      store<u8>(seen + two * count + letter, 1);
      two = pair;
      before = letter;
    }
  }
  next = at;
  if (isPartial) store<u16>(room, load<u16>(room) & ~CHARACTER);
  return end;
}

/** Goes to the end of a string that cannot be spelt, `length` code units after `at`. */
function passOver(at: usize, length: u32): usize {
  for (let left = length; left > 0; left--) {
    const byte: u32 = load<u8>(at);
    at += byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
    // A character of four bytes is two code units.
    if (byte >= 0xf0) left--;
  }
  next = at;
  return UNSPELT;
}

/** The code unit whose bytes begin at `at`; a surrogate for a character of two. */
function unitAt(at: usize): u32 {
  const byte: u32 = load<u8>(at);
  const second: u32 = load<u8>(at + 1) & 0x3f;
  if (byte < 0xe0) return ((byte & 0x1f) << 6) | second;
  if (byte >= 0xf0) return 0xd800;
  return ((byte & 0x0f) << 12) | (second << 6) | (load<u8>(at + 2) & 0x3f);
}

@inline
function isDigit(code: u32): bool {
  return code - ZERO <= 9;
}

/**
 * Writes the word of a string whose symbols are given: the letters that it begins with, after the
 * stem. Returns its rest: what the word does not tell, or NaN. Zeros behind the symbols stand for
 * no letters, so that all words take as many steps, which processors foresee.
 */
function writeWord(block: Spelling, start: usize, end: usize, word: usize): f64 {
  const sizes: usize = block.sizes;
  const count = block.count;
  const perHalf = block.perHalf;
  for (let at = end, last = end + (perHalf << 2); at < last; at += 8) store<u64>(at, 0);
  let high: u32 = 0;
  let rest: u64 = 1;
  let at = start;
  if (block.stemLength > 0) {
    const side = sideOf(block, start, end);
    high = side + 1;
    const stop = side == 0 ? start + (block.stemLength << 1) : start;
    for (; at < stop; at += 2) rest = addKnown(rest, load<u16>(at), sizes);
  }
  for (let i = perHalf; i > 0; i--, at += 2) {
    const symbol: u32 = load<u16>(at);
    high = high * count + (symbol >> 8);
    rest = addKnown(rest, symbol, sizes);
  }
  let low: u32 = 0;
  for (let i = perHalf; i > 0; i--, at += 2) {
    const symbol: u32 = load<u16>(at);
    low = low * count + (symbol >> 8);
    rest = addKnown(rest, symbol, sizes);
  }
  store<u32>(word, low);
  store<u32>(word, high, 4);
  const isWhole = start < end && (load<u16>(start) & CHARACTER) != 0;
  if (!isWhole) return NaN;
  for (; at < end && rest <= REST_MOST; at += 2) {
    const symbol: u32 = load<u16>(at);
    const before = load<u32>(<usize>block.before + ((symbol >> 8) << 2));
    rest = rest * block.all + before + (symbol & CHARACTER);
  }
  return rest <= REST_MOST ? <f64>rest : NaN;
}

/**
 * A rest, with which of its letter's characters a symbol is, counted from 1; the same rest for no
 * symbol. Too large ones stay as they are.
 */
@inline
function addKnown(rest: u64, symbol: u32, sizes: usize): u64 {
  if (rest > REST_MOST) return rest;
  const character = symbol & CHARACTER;
  return rest * load<u32>(sizes + ((symbol >> 8) << 2)) + (character - u32(character != 0));
}

/** 0 if letters begin with the stem; −1 if they are before all that do, and 1 if after. */
function sideOf(block: Spelling, start: usize, end: usize): i32 {
  for (let i: u32 = 0; i < block.stemLength; i++) {
    const at = start + (i << 1);
    const letter: u32 = at < end ? load<u16>(at) >> 8 : 0;
    const own: u32 = load<u8>(<usize>block.stem + i);
    if (letter != own) return letter < own ? -1 : 1;
  }
  return 0;
}
