/**
 * Split: numbers are divided into up to 256 parts by splitters, pairs of a word and a place in the
 * file, as in a sample sort (Frazer and McKellar, "Samplesort", 1970). A module of its own, for one
 * thread.
 *
 *   word = min((bits ^ positive ^ (sign(bits) & differs)) - bias, ceiling) ^ flip
 *
 * All modulo the width of K; sign(bits) is all ones for a set sign bit, else 0. It is the transform
 * of @keysweep/core, for descending order inverted.
 */

import { Split } from './blocks';
import { signOf } from './order';
import { increment } from './partition';

/** Of a cell that a splitter lies in. */
const DIVIDED: u32 = 0xffff;
/** Splitters in the tables. */
const MOST: u32 = 255;

/**
 * Writes the part of each of `n` numbers, and adds them to the counts. A number's part is the
 * number of splitters that are not above it. The range of splitters is divided into cells of one
 * size: the part of most numbers is that of their cell. Floor: a number read and a byte written.
 */
export function classify(block: Split, n: usize): void {
  if (block.width == 4) classifyAll<u32>(block, n);
  else classifyAll<u64>(block, n);
}

@inline
function classifyAll<K>(block: Split, n: usize): void {
  const positive = <K>block.positive;
  const differs = <K>block.differs;
  const bias = <K>block.bias;
  const ceiling = <K>block.ceiling;
  const flip = <K>block.flip;
  const base = <K>block.base;
  const shift = <K>block.shift;
  const lastCell = <K>block.lastCell;
  const cells = <usize>block.cells;
  const counts = <usize>block.counts;
  let place = block.place;
  let into = <usize>block.parts;
  let number = <usize>block.numbers;
  // The last word that was searched for, and its part up to a place: keys often come in runs.
  let known: K = 0;
  let knownPart: u32 = 0;
  let until: u64 = 0;
  for (const end = number + n * sizeof<K>(); number < end; number += sizeof<K>()) {
    const bits = load<K>(number);
    const image = (bits ^ positive ^ (signOf<K>(bits) & differs)) - bias;
    const word = min<K>(image, ceiling) ^ flip;
    const cell = min<K>((max<K>(word, base) - base) >> shift, lastCell);
    let part = <u32>load<u16>(cells + (<usize>cell << 1));
    if (part == DIVIDED) {
      if (word != known || place >= until) {
        knownPart = behindTies<K>(block, word, place, smaller<K>(<usize>block.words, word));
        known = word;
        until = isOf<K>(block, knownPart, word) ? placeOf(block, knownPart) : u64.MAX_VALUE;
      }
      part = knownPart;
    }
    store<u8>(into, <u8>part);
    increment<u32>(counts + (<usize>part << 2));
    into++;
    place++;
  }
}

/** Whether splitter `i` has this word. */
@inline
function isOf<K>(block: Split, i: u32, word: K): bool {
  return load<K>(<usize>block.words + (<usize>i << alignof<K>())) == word;
}

@inline
function placeOf(block: Split, i: u32): u64 {
  return load<u64>(<usize>block.places + (<usize>i << 3));
}

/** Counts on from `low` splitters: those with the same word whose place is not above. */
@inline
function behindTies<K>(block: Split, word: K, place: u64, low: u32): u32 {
  let high = isOf<K>(block, low, word) ? MOST : low;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isOf<K>(block, middle, word) && placeOf(block, middle) <= place) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** How many splitters have a smaller word. No branch depends on the word. */
@inline
function smaller<K>(words: usize, word: K): u32 {
  const scale = alignof<K>();
  let at = words;
  at += <usize>u32(load<K>(at, 127 * sizeof<K>()) < word) << (7 + scale);
  at += <usize>u32(load<K>(at, 63 * sizeof<K>()) < word) << (6 + scale);
  at += <usize>u32(load<K>(at, 31 * sizeof<K>()) < word) << (5 + scale);
  at += <usize>u32(load<K>(at, 15 * sizeof<K>()) < word) << (4 + scale);
  at += <usize>u32(load<K>(at, 7 * sizeof<K>()) < word) << (3 + scale);
  at += <usize>u32(load<K>(at, 3 * sizeof<K>()) < word) << (2 + scale);
  at += <usize>u32(load<K>(at, sizeof<K>()) < word) << (1 + scale);
  at += <usize>u32(load<K>(at) < word) << scale;
  return <u32>((at - words) >> scale);
}

/** Moves `n` numbers, whose parts `classify` found. Stable. Floor: a number read and written. */
export function scatter(block: Split, n: usize): void {
  if (block.width == 4) scatterAll<u32>(block, n);
  else scatterAll<u64>(block, n);
}

@inline
function scatterAll<K>(block: Split, n: usize): void {
  const cursors = <usize>block.cursors;
  let part = <usize>block.parts;
  let number = <usize>block.numbers;
  for (const end = number + n * sizeof<K>(); number < end; number += sizeof<K>()) {
    const cursor = cursors + (<usize>load<u8>(part) << 2);
    const at = load<u32>(cursor);
    store<u32>(cursor, at + sizeof<K>());
    store<K>(<usize>at, load<K>(number));
    part++;
  }
}
