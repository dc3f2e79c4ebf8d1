/** Spells strings by a kernel, in a memory of its own. */

import { type Letters, SPELT_STRINGS, SPELT_UNITS, type Speller } from '@keysweep/core';
import { SPELLING, type SpellingKernel, spellingBytes } from '@keysweep/kernels/cpu';
import { linkInOwnMemory } from '../arena/own-memory.js';

let module: WebAssembly.Module | undefined;

/** Compiles the kernel: half a millisecond. Undefined where there is no memory for it. */
export function linkSpeller(letters: Letters): Speller | undefined {
  let end = SPELLING.bytes;
  /** Takes room for some bytes. */
  const take = (bytes: number): number => {
    const at = (end + 7) & ~7;
    end = at + bytes;
    return at;
  };
  const { count, sizes, before } = letters;
  const addresses = {
    symbols: take(letters.symbols.byteLength),
    refused: take(letters.refused.byteLength),
    seen: take(count ** 3),
    sizes: take(4 * count),
    before: take(4 * count),
    // A code unit is at most three bytes of text and, in a number, less than two symbols.
    text: take(3 * SPELT_UNITS + SPELT_STRINGS),
    lengths: take(4 * SPELT_STRINGS),
    stem: take(2 * SPELT_UNITS),
    room: take(4 * SPELT_UNITS + 128),
    ends: take(4 * SPELT_STRINGS),
    rests: take(8 * SPELT_STRINGS),
    words: take(8 * SPELT_STRINGS),
    numbers: take(4 * SPELT_STRINGS),
    others: take(4 * SPELT_STRINGS),
  };
  module ??= new WebAssembly.Module(spellingBytes());
  const linked = linkInOwnMemory<SpellingKernel>(module, end);
  if (linked === undefined) return undefined;
  const { kernel, buffer } = linked;
  const block = new Uint32Array(buffer, 0, SPELLING.bytes / 4);
  const write = (fields: Partial<Record<keyof typeof SPELLING, number>>): void => {
    for (const [name, value] of Object.entries(fields)) {
      block[SPELLING[name as keyof typeof SPELLING] / 4] = value;
    }
  };
  const all = (before.at(-1) as number) + (sizes.at(-1) as number) + 1;
  write({ ...addresses, count, all, isNumeric: Number(letters.isNumeric) });
  new Uint16Array(buffer, addresses.symbols).set(letters.symbols);
  new Uint8Array(buffer, addresses.refused).set(letters.refused);
  new Uint32Array(buffer, addresses.sizes).set([1, ...sizes.slice(1)]);
  new Uint32Array(buffer, addresses.before).set(before);
  const stems = new Uint8Array(buffer, addresses.stem, 2 * SPELT_UNITS);
  const room = new Uint16Array(buffer, addresses.room, 2 * SPELT_UNITS);
  const ends = new Uint32Array(buffer, addresses.ends, SPELT_STRINGS);
  const rests = new Float64Array(buffer, addresses.rests, SPELT_STRINGS);
  const words = new Uint32Array(buffer, addresses.words, 2 * SPELT_STRINGS);
  const numbers = new Uint32Array(buffer, addresses.numbers, SPELT_STRINGS);
  const others = new Uint32Array(buffer, addresses.others, SPELT_STRINGS);
  return {
    text: new Uint8Array(buffer, addresses.text, 3 * SPELT_UNITS + SPELT_STRINGS),
    lengths: new Uint32Array(buffer, addresses.lengths, SPELT_STRINGS),
    seen: new Uint8Array(buffer, addresses.seen, count ** 3),
    spell(strings, { first, at, stem, perHalf }) {
      stems.set(stem);
      write({ first, at, stemLength: stem.length, perHalf });
      const spelt = kernel.spell(0, strings);
      return {
        symbols: room.subarray(0, strings === 0 ? 0 : (ends[strings - 1] as number) - at),
        ends: ends.subarray(0, strings),
        rests: rests.subarray(0, strings),
        numbers: numbers.subarray(0, spelt),
        words: words.subarray(0, 2 * spelt),
        others: others.subarray(0, strings - spelt),
      };
    },
  };
}
