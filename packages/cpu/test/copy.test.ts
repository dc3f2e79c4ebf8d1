/** Copies by Node's own means: the same elements as by the language's. */

import { Random, randomKeys, runSeed } from '@keysweep/conformance/data';
import type { TypedArray } from '@keysweep/core';
import { describe, expect, it } from 'vitest';
import { copyElements } from '../src/sort/copy-node.js';

const LENGTH = 10_000;

const bytes = new Uint8Array(randomKeys(LENGTH, new Random(runSeed())).buffer);

/** An array of `bytes`, some elements into memory of its own. */
function place<T extends TypedArray>(
  type: { new (buffer: ArrayBufferLike, at: number, length: number): T; BYTES_PER_ELEMENT: number },
  shared: boolean,
  first: number,
): T {
  const room = bytes.length + 64;
  const buffer = shared ? new SharedArrayBuffer(room) : new ArrayBuffer(room);
  const size = type.BYTES_PER_ELEMENT;
  const array = new type(buffer, first * size, bytes.length / size);
  new Uint8Array(buffer, first * size).set(bytes);
  return array;
}

describe('copyElements', () => {
  it.each([
    ['bytes to bytes', Uint8Array, Uint8Array],
    ['words to words', Uint32Array, Uint32Array],
    ['words to signed words', Uint32Array, Int32Array],
    ['signed bytes, widened', Int8Array, Uint32Array],
    ['words, narrowed', Uint32Array, Uint16Array],
  ] as unknown as ReadonlyArray<[string, Uint32ArrayConstructor, Uint32ArrayConstructor]>)(
    'copies %s as `set` does, wherever they lie',
    (_, from, to) => {
      for (const [first, at] of [
        [0, 0],
        [1, 0],
        [3, 5],
      ] as const) {
        for (const shared of [false, true]) {
          const source = place(from, shared, first).subarray(0, LENGTH);
          const target = new to(new SharedArrayBuffer(to.BYTES_PER_ELEMENT * (LENGTH + 9)));
          const expected = new to(LENGTH + 9);
          expected.set(source, at);
          copyElements(target, source, at);
          expect(target.every((element, i) => element === expected[i])).toBe(true);
        }
      }
    },
  );

  it('throws if the target is too short, and writes nothing', () => {
    const target = new Uint32Array(LENGTH);
    const source = place(Uint32Array, false, 0);
    expect(() => copyElements(target, source, 1)).toThrow(RangeError);
    expect(target.every((element) => element === 0)).toBe(true);
  });
});
