import { classOf, distributionsFor, Random, runSeed, sample } from '@keysweep/conformance/data';
import type { KeyType } from '@keysweep/core';
import { describe, expect, it } from 'vitest';
import { carve } from '../dist/divide/memory-plan.js';
import { SPLIT_BYTES, splitNumbers } from '../dist/divide/split-numbers.js';
import { splitRecords } from '../dist/divide/split-records.js';
import { Splitters } from '../dist/divide/splitters.js';
import { BLOCK, KeyWords } from '../dist/open/key-words.js';
import type { Run } from '../dist/open/run.js';

const SEED = runSeed();
const TYPES = ['u32', 'i32', 'f32', 'u64', 'i64', 'f64'] as const;
const WIDTHS = { u32: 4, i32: 4, f32: 4, u64: 8, i64: 8, f64: 8 } as const;

/** Splitters that are `parts` - 1 of the records, at places from `place` on. */
function splittersOf(keyWords: KeyWords, bytes: Uint8Array, parts: number, place: number) {
  const records = keyWords.of(bytes).map((words) => words.slice());
  const length = (records[0] as Uint32Array).length;
  const compare = (a: number, b: number): number => {
    for (const words of records) {
      if (words[a] !== words[b]) return (words[a] as number) - (words[b] as number);
    }
    return a - b;
  };
  const order = Uint32Array.from({ length }, (_, i) => i).sort(compare);
  const chosen = Array.from(
    { length: parts - 1 },
    (_, i) => order[Math.floor(((i + 1) * length) / parts)] as number,
  );
  return new Splitters({
    words: records.map((words) => Uint32Array.from(chosen, (i) => words[i] as number)),
    places: Float64Array.from(chosen, (i) => place + i),
  });
}

describe('kernels divide numbers as TypeScript does', () => {
  const all = TYPES.flatMap((type) =>
    distributionsFor(classOf(type)).flatMap((distribution) =>
      (['ascending', 'descending'] as const).flatMap((order) =>
        [2, 41, 256].map((parts) => ({ type, distribution, order, parts })),
      ),
    ),
  );
  const named = all.map((one) => ({
    ...one,
    title: `${one.type}, ${one.distribution.name}, ${one.order}, ${one.parts} parts`,
  }));

  it.each(sample(named, 24, SEED))('$title', ({ type, distribution, order, parts }) => {
    const width = WIDTHS[type];
    const keys = [{ at: 0, bytes: width, type: type as KeyType, order }];
    const layout = { width, numbers: type as KeyType, keys };
    const keyWords = new KeyWords(layout);
    const memory = new WebAssembly.Memory({ initial: 8 });
    const take = carve(memory.buffer, 8);
    const [chunk, byKernels, byScript] = [
      take(BLOCK * width),
      take(BLOCK * width),
      take(BLOCK * width),
    ];
    const [ids, tables, otherIds] = [take(BLOCK), take(SPLIT_BYTES), take(BLOCK)];
    const numbers = classOf(type).create(BLOCK);
    distribution.fill(numbers, new Random(SEED));
    chunk.set(new Uint8Array(numbers.buffer));
    const place = 2 ** 33;
    const splitters = splittersOf(keyWords, chunk, parts, place);
    const kernels = splitNumbers(layout, splitters, memory, ids, tables);
    const script = splitRecords({ layout, keyWords } as Partial<Run> as Run, splitters, otherIds);

    // Piece by piece: of those in front of a splitter's place others come to know the part.
    const piece = BLOCK / 4;
    const ends = new Uint32Array(parts);
    for (let first = 0; first < BLOCK; first += piece) {
      const some = chunk.subarray(first * width, (first + piece) * width);
      const counts = kernels.classify(some, place + first).slice();
      const where = `seed ${SEED}, from ${first} on`;
      expect([...counts], where).toEqual([...script.classify(some, place + first)]);
      expect(ids.subarray(0, piece), where).toEqual(otherIds.subarray(0, piece));
      let end = 0;
      const starts = counts.map((count) => {
        end += count * width;
        return end - count * width;
      });
      ends.set(starts.map((start, part) => start + (counts[part] as number) * width));
      // In two steps, of which the second goes on where the first one ended.
      const others = starts.slice();
      for (const [from, to] of [[0, 1000] as const, [1000, piece] as const]) {
        kernels.scatter(some, from, to, byKernels, starts);
        script.scatter(some, from, to, byScript, others);
      }
      expect([starts, others], where).toEqual([ends, ends]);
      expect(Buffer.compare(byKernels, byScript), where).toBe(0);
      expect(end).toBe(some.length);
    }
  });
});

describe('key words', () => {
  it('of numbers within records, or alone, are in the order of the numbers', () => {
    const compare = (a: number | bigint, b: number | bigint): number =>
      Number(a > b) - Number(a < b);
    for (const [type, Class] of [
      ['u8', Uint8Array],
      ['i16', Int16Array],
      ['i32', Int32Array],
      ['u32', Uint32Array],
      ['f32', Float32Array],
      ['f64', Float64Array],
      ['i64', BigInt64Array],
    ] as const) {
      const width = Class.BYTES_PER_ELEMENT;
      const given =
        type === 'u8' || type === 'u32' ? [7, 200, 0, 7, 33] : [-7, 100, 0, -7, 33, -128];
      const list = type === 'i64' ? given.map((n) => BigInt(n) * 2n ** 40n) : given;
      const numbers = (Class as typeof Uint8Array).from(list as number[]);
      const bare = new Uint8Array(numbers.buffer as ArrayBuffer);
      // A byte before each, and two after it.
      const records = new Uint8Array(
        new ArrayBuffer(8 * Math.ceil((list.length * (width + 3)) / 8)),
      ).subarray(0, list.length * (width + 3));
      for (const i of list.keys()) {
        records.set(bare.subarray(i * width, (i + 1) * width), i * (width + 3) + 1);
      }
      for (const order of ['ascending', 'descending'] as const) {
        const sign = order === 'ascending' ? 1 : -1;
        for (const [bytes, layout] of [
          [bare, { width, numbers: type, keys: [{ at: 0, bytes: width, type, order }] }],
          [
            records,
            { width: width + 3, numbers: undefined, keys: [{ at: 1, bytes: width, type, order }] },
          ],
        ] as const) {
          const words = new KeyWords(layout as never).of(bytes).map((word) => word.slice());
          expect(words.length).toBe(width === 8 ? 2 : 1);
          for (const i of list.keys()) {
            for (const j of list.keys()) {
              const at = words.findIndex((word) => word[i] !== word[j]);
              const found =
                at < 0 ? 0 : compare(words[at]?.[i] as number, words[at]?.[j] as number);
              const expected = sign * compare(list[i] as number, list[j] as number);
              expect([type, order, i, j, found + 0]).toEqual([type, order, i, j, expected + 0]);
            }
          }
        }
      }
    }
  });
});
