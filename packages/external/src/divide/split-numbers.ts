/** Puts numbers of 4 and 8 bytes in the order of their parts, by kernels. */

import { keyTransform } from '@keysweep/core';
import { SPLIT, type SplitKernels, splitBytes } from '@keysweep/kernels/cpu';
import type { Layout } from '../open/layout.js';
import type { Split } from './split-records.js';
import { MAX_PARTS, type Splitters } from './splitters.js';

/** Cells that the range of splitters is divided into: most keys fall into one without splitter. */
const CELLS = 4096;
/** Where cells grow, this many of them hold as many words as all cells below them. */
const OCTAVE = 64;
/** The part of a cell that a splitter divides. */
const DIVIDED = 0xffff;
/** Bytes of the kernels' block and tables: places, words, counts, cursors and cells. */
export const SPLIT_BYTES: number = SPLIT.bytes + MAX_PARTS * (8 + 8 + 4 + 4) + CELLS * 2;

/** The kernels, compiled once. */
let module: WebAssembly.Module | undefined;

/** Whether there are kernels for records of this layout. */
export const isForKernels = ({ numbers, width }: Layout): boolean =>
  numbers !== undefined && width >= 4;

/**
 * A split of numbers, which lie in `memory` as their parts will. `ids` has a byte for each number
 * of a chunk, and `tables` SPLIT_BYTES, from a multiple of 8 on.
 */
export function splitNumbers(
  { width, keys: [key], numbers }: Layout,
  splitters: Splitters,
  memory: WebAssembly.Memory,
  ids: Uint8Array,
  { byteOffset: block }: Uint8Array,
): Split {
  module ??= new WebAssembly.Module(splitBytes());
  const { exports } = new WebAssembly.Instance(module, { env: { memory } });
  const kernels = exports as unknown as SplitKernels;
  const { buffer } = memory;
  const places = block + SPLIT.bytes;
  const words = places + 8 * MAX_PARTS;
  const counts = new Uint32Array(buffer, words + 8 * MAX_PARTS, splitters.parts);
  const cursors = new Uint32Array(buffer, words + 12 * MAX_PARTS, splitters.parts);
  const cells = new Uint16Array(buffer, words + 16 * MAX_PARTS, CELLS);

  const values = wordsOf(splitters, width);
  new BigUint64Array(buffer, places, MAX_PARTS)
    .fill(ALL)
    .set(BigUint64Array.from(splitters.pairs.places, BigInt));
  if (width === 4) new Uint32Array(buffer, words, MAX_PARTS).fill(-1).set(values.map(Number));
  else new BigUint64Array(buffer, words, MAX_PARTS).fill(ALL).set(values);
  const scale = chooseScale(values, width);
  const shared = fillCells(cells, values, scale);
  const pairs = { words: values, places: splitters.pairs.places };

  const fields = new DataView(buffer, block, SPLIT.bytes);
  const setLong = (at: number, value: bigint): void => fields.setBigUint64(at, value, true);
  const setWord = (at: number, value: number): void => fields.setUint32(at, value, true);
  const transform = keyTransform(numbers as Exclude<typeof numbers, undefined>);
  setLong(SPLIT.positive, transform.positive);
  setLong(SPLIT.differs, transform.negative ^ transform.positive);
  setLong(SPLIT.bias, transform.bias);
  setLong(SPLIT.ceiling, transform.ceiling);
  setLong(SPLIT.flip, key?.order === 'descending' ? ALL : 0n);
  setLong(SPLIT.base, scale.base);
  setWord(SPLIT.minShift, scale.minShift);
  setWord(SPLIT.maxShift, scale.maxShift);
  setWord(SPLIT.lastCell, CELLS - 1);
  setWord(SPLIT.cells, cells.byteOffset);
  setWord(SPLIT.words, words);
  setWord(SPLIT.places, places);
  setWord(SPLIT.width, width);
  setWord(SPLIT.counts, counts.byteOffset);
  setWord(SPLIT.cursors, cursors.byteOffset);

  return {
    classify(chunk, place) {
      const length = chunk.length / width;
      counts.fill(0);
      for (const one of shared) {
        // Places may leave the numbers of this chunk in one part.
        const part = partOf(pairs, one, one.low, place);
        const isOne = part === partOf(pairs, one, one.high, place + length - 1);
        cells[one.cell] = isOne ? part : DIVIDED;
      }
      setLong(SPLIT.place, BigInt(place));
      setWord(SPLIT.numbers, chunk.byteOffset);
      setWord(SPLIT.parts, ids.byteOffset);
      kernels.classify(block, length);
      return counts;
    },
    scatter(chunk, first, end, target, starts) {
      for (const [part, start] of starts.entries()) cursors[part] = target.byteOffset + start;
      setWord(SPLIT.numbers, chunk.byteOffset + first * width);
      setWord(SPLIT.parts, ids.byteOffset + first);
      kernels.scatter(block, end - first);
      for (const [part, cursor] of cursors.entries()) starts[part] = cursor - target.byteOffset;
    },
  };
}

const ALL = 2n ** 64n - 1n;

/** The words of splitters as numbers. */
function wordsOf({ pairs: { words } }: Splitters, width: number): bigint[] {
  const [high, low] = words as [Uint32Array, Uint32Array | undefined];
  return Array.from(high, (word, i) =>
    width === 4 ? BigInt(word) : (BigInt(word) << 32n) | BigInt((low as Uint32Array)[i] as number),
  );
}

/**
 * How words fall into cells. A cell has 2^shift words: `minShift` near `base`, and where that is
 * less than `maxShift`, twice as many in each octave of OCTAVE cells.
 */
interface Scale {
  readonly base: bigint;
  readonly minShift: number;
  readonly maxShift: number;
}

/** Cells of one size, or cells that grow: those that fewer words share with a splitter. */
function chooseScale(words: readonly bigint[], width: number): Scale {
  const [least, most] = [words[0] as bigint, words.at(-1) as bigint];
  // A cell is free at either end: for the words that are below and above all splitters.
  let shift = 0;
  while ((most - least) >> BigInt(shift) > CELLS - 4) shift++;
  const from = (minShift: number): bigint => {
    const size = 1n << BigInt(minShift);
    return least > size ? least - size : 0n;
  };
  const even = { base: from(shift), minShift: shift, maxShift: shift };
  const growing = { base: from(0), minShift: 0, maxShift: 8 * width };
  return sharing(words, growing) < sharing(words, even) ? growing : even;
}

/** How many parts' worth of numbers share a cell with a splitter, roughly. */
function sharing(words: readonly bigint[], scale: Scale): number {
  let sum = 0;
  for (let i = 1; i + 1 < words.length; i++) {
    const [before, own, after] = words.slice(i - 1, i + 2) as [bigint, bigint, bigint];
    const { low, high } = boundsOf(cellOf(own, scale), scale);
    sum += Math.min(1, (2 * Number(high - low)) / Math.max(1, Number(after - before)));
  }
  return sum;
}

function cellOf(word: bigint, { base, minShift, maxShift }: Scale): number {
  const offset = word > base ? word - base : 0n;
  const over = offset.toString(2).length - Math.log2(2 * OCTAVE);
  const shift = Math.min(Math.max(over, minShift), maxShift);
  return Number(offset >> BigInt(shift)) + (shift - minShift) * OCTAVE;
}

/** The first and the last word of a cell. */
function boundsOf(cell: number, scale: Scale): { low: bigint; high: bigint } {
  const { base, minShift, maxShift } = scale;
  const octave = Math.max(0, Math.floor(cell / OCTAVE) - 1);
  const grown = Math.min(octave, maxShift - minShift);
  const size = 1n << BigInt(minShift + grown);
  const low = base + BigInt(cell - grown * OCTAVE) * size;
  // Words in front of the base are in the first cell.
  return { low: cell === 0 ? 0n : low, high: low + size - 1n };
}

/** A cell that splitters lie in: from number `first` to `end`. */
interface SharedCell {
  readonly cell: number;
  readonly low: bigint;
  readonly high: bigint;
  readonly first: number;
  readonly end: number;
}

/** Fills in the part of each cell that no splitter lies in. Returns the others. */
function fillCells(cells: Uint16Array, words: readonly bigint[], scale: Scale): SharedCell[] {
  const shared: SharedCell[] = [];
  let from = 0;
  for (let first = 0, end = 0; first < words.length; first = end) {
    const cell = cellOf(words[first] as bigint, scale);
    while (end < words.length && cellOf(words[end] as bigint, scale) === cell) end++;
    shared.push({ cell, ...boundsOf(cell, scale), first, end });
    cells.fill(first, from, cell);
    from = cell + 1;
  }
  cells.fill(words.length, from);
  return shared;
}

/** The number of splitters that are not above a word at a place, which is from `first` to `end`. */
function partOf(
  { words, places }: { readonly words: readonly bigint[]; readonly places: Float64Array },
  { first, end }: SharedCell,
  word: bigint,
  place: number,
): number {
  let part = first;
  const isAbove = (): boolean => {
    const own = words[part] as bigint;
    return own === word ? (places[part] as number) > place : own > word;
  };
  while (part < end && !isAbove()) part++;
  return part;
}
