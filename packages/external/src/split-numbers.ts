/** Puts numbers of 4 and 8 bytes in the order of their parts, by kernels. */

import { keyTransform } from '@keysweep/core';
import { SPLIT, type SplitKernels, splitBytes } from '@keysweep/kernels/cpu';
import type { Layout } from './layout.js';
import type { Split } from './split-records.js';
import { MOST_PARTS, type Splitters } from './splitters.js';

/** Cells that the range of splitters is divided into: most keys fall into one without splitter. */
const CELLS = 4096;
/** The part of a cell that a splitter lies in. */
const DIVIDED = 0xffff;
/** Bytes of the kernels' block and tables: places, words, counts, cursors and cells. */
export const SPLIT_BYTES: number = SPLIT.bytes + MOST_PARTS * (8 + 8 + 4 + 4) + CELLS * 2;

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
  const module = new WebAssembly.Module(splitBytes());
  const { exports } = new WebAssembly.Instance(module, { env: { memory } });
  const kernels = exports as unknown as SplitKernels;
  const { buffer } = memory;
  const places = block + SPLIT.bytes;
  const words = places + 8 * MOST_PARTS;
  const counts = new Uint32Array(buffer, words + 8 * MOST_PARTS, splitters.parts);
  const cursors = new Uint32Array(buffer, words + 12 * MOST_PARTS, splitters.parts);
  const cells = new Uint16Array(buffer, words + 16 * MOST_PARTS, CELLS);

  const values = wordsOf(splitters, width);
  new BigUint64Array(buffer, places, MOST_PARTS)
    .fill(ALL)
    .set(BigUint64Array.from(splitters.pairs.places, BigInt));
  if (width === 4) new Uint32Array(buffer, words, MOST_PARTS).fill(-1).set(values.map(Number));
  else new BigUint64Array(buffer, words, MOST_PARTS).fill(ALL).set(values);
  const { base, shift } = fillCells(values, cells);

  const fields = new DataView(buffer, block, SPLIT.bytes);
  const setLong = (at: number, value: bigint): void => fields.setBigUint64(at, value, true);
  const setWord = (at: number, value: number): void => fields.setUint32(at, value, true);
  const transform = keyTransform(numbers as Exclude<typeof numbers, undefined>);
  setLong(SPLIT.positive, transform.positive);
  setLong(SPLIT.differs, transform.negative ^ transform.positive);
  setLong(SPLIT.bias, transform.bias);
  setLong(SPLIT.ceiling, transform.ceiling);
  setLong(SPLIT.flip, key?.order === 'descending' ? ALL : 0n);
  setLong(SPLIT.base, base);
  setWord(SPLIT.shift, Number(shift));
  setWord(SPLIT.lastCell, CELLS - 1);
  setWord(SPLIT.cells, cells.byteOffset);
  setWord(SPLIT.words, words);
  setWord(SPLIT.places, places);
  setWord(SPLIT.width, width);
  setWord(SPLIT.parts, ids.byteOffset);
  setWord(SPLIT.counts, counts.byteOffset);
  setWord(SPLIT.cursors, cursors.byteOffset);

  return {
    classify(chunk, place) {
      counts.fill(0);
      setLong(SPLIT.place, BigInt(place));
      setWord(SPLIT.numbers, chunk.byteOffset);
      kernels.classify(block, chunk.length / width);
      return counts;
    },
    scatter(chunk, target, starts) {
      for (const [part, start] of starts.entries()) cursors[part] = target.byteOffset + start;
      kernels.scatter(block, chunk.length / width);
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

/** Fills in the part of each cell, or that splitters lie in it. Returns where cells begin. */
function fillCells(words: readonly bigint[], cells: Uint16Array): { base: bigint; shift: bigint } {
  const [least, most] = [words[0] as bigint, words.at(-1) as bigint];
  // A cell is free at either end: for the words that are below and above all splitters.
  let shift = 0n;
  while ((most - least) >> shift > CELLS - 4) shift++;
  const size = 1n << shift;
  const base = least > size ? least - size : 0n;
  for (let cell = 0, below = 0; cell < CELLS; cell++) {
    const end = base + BigInt(cell + 1) * size;
    const first = below;
    while (below < words.length && (words[below] as bigint) < end) below++;
    cells[cell] = below === first ? below : DIVIDED;
  }
  return { base, shift };
}
