import { classOf, distributionsFor, Random, runSeed, sample } from '@keysweep/conformance/data';
import type { KeyType } from '@keysweep/core';
import { describe, expect, it } from 'vitest';
import { BLOCK, KeyWords } from '../dist/key-words.js';
import { carve } from '../dist/memory.js';
import type { Run } from '../dist/run.js';
import { SPLIT_BYTES, splitNumbers } from '../dist/split-numbers.js';
import { splitRecords } from '../dist/split-records.js';
import { Splitters } from '../dist/splitters.js';

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

    const counts = kernels.classify(chunk, place).slice();
    expect([...counts], `seed ${SEED}`).toEqual([...script.classify(chunk, place)]);
    let end = 0;
    const starts = counts.map((count) => {
      end += count * width;
      return end - count * width;
    });
    kernels.scatter(chunk, byKernels, starts.slice());
    script.scatter(chunk, byScript, starts.slice());
    expect(Buffer.compare(byKernels, byScript), `seed ${SEED}`).toBe(0);
    expect(end).toBe(chunk.length);
  });
});
