/** The memory that words are in between the caller's arrays and the GPU. */

import { runAtOnce } from '@keysweep/core';
import { expect, it } from 'vitest';
import { fromWords, toWords, WordMemory } from '../dist/words.js';

it('memory that is kept serves one request of its length', () => {
  const memory = new WordMemory();
  const first = memory.take(10);
  expect(first.length).toBe(10);
  memory.keep(first);
  expect(memory.take(10)).toBe(first);
  expect(memory.take(10)).not.toBe(first);
  memory.keep(first);
  expect(memory.take(11).length).toBe(11);
  memory.keep(first);
  expect(memory.take(9).length).toBe(9);
  memory.keep(first);
  memory.release();
  expect(memory.take(10)).not.toBe(first);
});

it.each([
  Int8Array.of(-1, 0, 127, -128),
  Uint16Array.of(0, 0xffff, 0x1234),
  Float32Array.of(-0, Number.NaN, 1.5),
])('words of %o come back as they went', (keys) => {
  const memory = new WordMemory();
  // What was there before must not shine through.
  memory.keep(new Uint32Array(keys.length).fill(0xffffffff));
  const words = runAtOnce(toWords(keys, memory));
  const { buffer } = keys;
  const bits = runAtOnce(fromWords(words, keys));
  expect(new Uint8Array(bits.buffer, bits.byteOffset, bits.byteLength)).toEqual(
    new Uint8Array(buffer),
  );
});
