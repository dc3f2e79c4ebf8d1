/** The memory that words are in between the caller's arrays and the GPU. */

import { GpuRequest, plainRequest, runAtOnce, type SortRequest } from '@keysweep/core';
import { expect, it } from 'vitest';
import type { Engine } from '../dist/engine.js';
import { serve } from '../dist/request.js';
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

it('an order that a caller has got is no memory for later requests', async () => {
  const memory = new WordMemory();
  /** Sorts as a GPU does: the result takes the memory of the words. */
  const engine = {
    async sort({
      columns: [{ words }],
      wanted,
    }: {
      columns: [{ words: Uint32Array }];
      wanted: string;
    }) {
      const keys = words.slice();
      if (wanted === 'keys') return { words: words.sort(), passes: 1 };
      const order = Uint32Array.from(keys.keys()).sort(
        (a, b) => (keys[a] as number) - (keys[b] as number) || a - b,
      );
      words.set(order);
      return { words, passes: 1 };
    },
  } as unknown as Engine;
  const run = (request: SortRequest) =>
    serve(engine, request, new GpuRequest(request, () => 0), memory);
  const keys = () => Uint32Array.of(7, 3, 9, 1);
  const { permutation } = await run(plainRequest('argsort', keys()));
  const expected = Uint32Array.of(3, 1, 0, 2);
  expect(permutation).toEqual(expected);
  for (const later of [Uint32Array.of(5, 6, 4, 8), Uint32Array.of(1, 4, 3, 2)]) {
    const sorted = later.slice().sort();
    await run(plainRequest('sort', later));
    expect(later).toEqual(sorted);
    await run(plainRequest('argsort', later));
    expect(permutation).toEqual(expected);
  }
});
