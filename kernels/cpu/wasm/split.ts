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

/** Marks a cell that a splitter divides. */
const DIVIDED: u32 = 0xffff;
/** Where cells grow, 2^OCTAVE_BITS cells hold as many words as all cells below them. */
const OCTAVE_BITS: u32 = 6;
/** Splitters in the tables. */
const MOST: u32 = 255;
/** Numbers that are looked at together: all may have one part. */
const RUN: usize = 4096;

/**
 * Writes the part of each of `n` numbers, and adds them to the counts. A number's part is the
 * number of splitters that are not above it. The range of splitters is divided into cells, which
 * have one size, or grow with the distance from the base. The part of most numbers is the part of
 * their cell. Floor: a number read and a byte written.
 */
export function classify(block: Split, n: usize): void {
  if (block.width == 4) classifyAll<u32>(block, n);
  else classifyAll<u64>(block, n);
}

function classifyAll<K>(block: Split, n: usize): void {
  for (let first: usize = 0; first < n; first += RUN) {
    const length = min<usize>(RUN, n - first);
    if (classifyRun<K>(block, first, length)) continue;
    if (isPlain<K>(block)) classifyEach<K, i32>(block, first, length);
    else classifyEach<K, f32>(block, first, length);
  }
}

/** Whether numbers are integers, whose words differ from them in some bits, and cells even. */
function isPlain<K>(block: Split): bool {
  if (block.minShift != block.maxShift) return false;
  return block.differs == 0 && block.bias == 0 && ~(<K>block.ceiling) == 0;
}

/**
 * Classifies numbers that all have one part, where the first and the last have: those in between
 * do, if the least and the greatest word do. Floor: a number read. Returns whether they have.
 */
function classifyRun<K>(block: Split, first: usize, length: usize): bool {
  const positive = <K>block.positive;
  const differs = <K>block.differs;
  const bias = <K>block.bias;
  const ceiling = <K>block.ceiling;
  const flip = <K>block.flip;
  const place = block.place + first;
  const lastPlace = place + length - 1;
  let number = <usize>block.numbers + first * sizeof<K>();
  const last = number + (length - 1) * sizeof<K>();
  const head = wordOf<K>(load<K>(number), positive, differs, bias, ceiling, flip);
  const tail = wordOf<K>(load<K>(last), positive, differs, bias, ceiling, flip);
  const part = partOf<K>(block, head, place);
  if (partOf<K>(block, tail, lastPlace) != part) return false;
  let least = head;
  let greatest = head;
  for (; number <= last; number += sizeof<K>()) {
    const word = wordOf<K>(load<K>(number), positive, differs, bias, ceiling, flip);
    least = min<K>(least, word);
    greatest = max<K>(greatest, word);
  }
  if (partOf<K>(block, least, place) != part) return false;
  if (partOf<K>(block, greatest, lastPlace) != part) return false;
  memory.fill(<usize>block.parts + first, <u8>part, length);
  const count = <usize>block.counts + (<usize>part << 2);
  store<u32>(count, load<u32>(count) + <u32>length);
  return true;
}

/** N is i32 for plain numbers, which take a third less, and f32 for others. */
function classifyEach<K, N>(block: Split, first: usize, length: usize): void {
  const positive = <K>block.positive;
  const differs = <K>block.differs;
  const bias = <K>block.bias;
  const ceiling = <K>block.ceiling;
  const flip = <K>block.flip;
  const mask = positive ^ flip;
  const base = <K>block.base;
  const minShift = <K>block.minShift;
  const maxShift = <K>block.maxShift;
  const lastCell = <K>block.lastCell;
  const cells = <usize>block.cells;
  const counts = <usize>block.counts;
  let into = <usize>block.parts + first;
  const start = <usize>block.numbers + first * sizeof<K>();
  const end = start + length * sizeof<K>();
  // The last word that was searched for, and its part up to a place: keys often come in runs.
  let known: K = 0;
  let knownPart: u32 = 0;
  let until: u64 = 0;
  for (let number = start; number < end; number += sizeof<K>()) {
    const bits = load<K>(number);
    const word = isFloat<N>()
      ? wordOf<K>(bits, positive, differs, bias, ceiling, flip)
      : bits ^ mask;
    const offset = max<K>(word, base) - base;
    const cell = isFloat<N>() ? cellOf<K>(offset, minShift, maxShift) : offset >> minShift;
    let part = <u32>load<u16>(cells + (<usize>min<K>(cell, lastCell) << 1));
    if (part == DIVIDED) {
      const place = block.place + first + ((number - start) >> alignof<K>());
      if (word != known || place >= until) {
        knownPart = partOf<K>(block, word, place);
        known = word;
        until = isOf<K>(block, knownPart, word) ? placeOf(block, knownPart) : u64.MAX_VALUE;
      }
      part = knownPart;
    }
    store<u8>(into, <u8>part);
    increment<u32>(counts + (<usize>part << 2));
    into++;
  }
}

@inline
function wordOf<K>(bits: K, positive: K, differs: K, bias: K, ceiling: K, flip: K): K {
  return min<K>((bits ^ positive ^ (signOf<K>(bits) & differs)) - bias, ceiling) ^ flip;
}

/** The number of splitters that are not above a word at a place. */
@inline
function partOf<K>(block: Split, word: K, place: u64): u32 {
  return behindTies<K>(block, word, place, smaller<K>(<usize>block.words, word));
}

/** The cell of a word, so far above the base, where cells may grow. */
@inline
function cellOf<K>(offset: K, minShift: K, maxShift: K): K {
  const shift = min<K>(max<K>(bitsOver<K>(offset), minShift), maxShift);
  return (offset >> shift) + ((shift - minShift) << OCTAVE_BITS);
}

/** How many bits longer than a place in an octave and its top bit a number is. */
@inline
function bitsOver<K>(number: K): K {
  const least = <K>(1 << (OCTAVE_BITS + 1)) - 1;
  return <K>(8 * sizeof<K>() - OCTAVE_BITS - 1) - clz<K>(number | least);
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
