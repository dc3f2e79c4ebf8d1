/** Spells strings by a kernel, on the calling thread and in a memory of its own. */

import { type Letters, SPELT_STRINGS, SPELT_UNITS, type Speller } from '@keysweep/core';
import { SPELLING, type SpellingKernel, spellingBytes } from '@keysweep/kernels/cpu';
import { linkInOwnMemory } from '../arena/own-memory.js';
import {
  Rooms,
  resultsAt,
  TEXT_BYTES,
  takeLetters,
  takeResults,
  takeSymbols,
  writeFields,
  writeLetters,
  writeText,
} from './blocks.js';

let module: WebAssembly.Module | undefined;

/** The kernel's module, compiled once by each thread that needs it: half a millisecond. */
export function spellingModule(): WebAssembly.Module {
  module ??= new WebAssembly.Module(spellingBytes());
  return module;
}

/** Links the kernel. Undefined where there is no memory for it. */
export function linkSpeller(letters: Letters): Speller | undefined {
  const rooms = new Rooms(SPELLING.bytes);
  const { take } = rooms;
  const lettersAt = takeLetters(letters, take);
  const results = takeResults(take);
  const text = { text: take(TEXT_BYTES), lengths: results.lengths };
  const symbolsAt = takeSymbols(take);
  const stemAt = take(2 * SPELT_UNITS);
  // Shared, because threads use the same module in a memory that they share.
  const linked = linkInOwnMemory<SpellingKernel>(spellingModule(), rooms.end, true);
  if (linked === undefined) return undefined;
  const { kernel, buffer } = linked;
  const fields = writeLetters(buffer, lettersAt, letters);
  writeFields(buffer, 0, { ...fields, ...lettersAt, ...results, ...text, ...symbolsAt });
  const stems = new Uint8Array(buffer, stemAt, 2 * SPELT_UNITS);
  const symbols = new Uint16Array(buffer, symbolsAt.room, 2 * SPELT_UNITS);
  const ends = new Uint32Array(buffer, symbolsAt.ends, SPELT_STRINGS);
  return {
    seen: new Uint8Array(buffer, lettersAt.seen, letters.count ** 3),
    spell(given, { stem, perHalf }, first, at) {
      writeText(buffer, text, given);
      stems.set(stem);
      writeFields(buffer, 0, { first, at, stem: stemAt, stemLength: stem.length, perHalf });
      const count = given.lengths.length;
      const spelt = kernel.spell(0, count);
      const symbolCount = count === 0 ? 0 : (ends[count - 1] as number) - at;
      return {
        symbolCount,
        symbols: symbols.subarray(0, symbolCount),
        ends: ends.subarray(0, count),
        ...resultsAt(buffer, results, count, spelt),
      };
    },
  };
}
