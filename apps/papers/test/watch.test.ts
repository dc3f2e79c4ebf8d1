/** The animated sorts. */

import { Random, runSeed } from '@keysweep/conformance/data';
import { describe, expect, it } from 'vitest';
import { ANIMATIONS } from '../page/watch/animations.js';
import {
  countKeys,
  DIGIT_BITS,
  fieldsOf,
  KEYS_PER_THREAD,
  placesOf,
} from '../page/watch/counters.js';
import { animationKeys, digitOf, histogramOf, shareInOrder } from '../page/watch/frame.js';

const seed = runSeed();
const random = new Random(seed);

describe.each(ANIMATIONS)('$title', ({ make }) => {
  const inputs: [string, Uint16Array][] = [
    ['random', animationKeys(512, seed)],
    ['few keys', Uint16Array.from({ length: 256 }, () => random.below(4) * 9999)],
    ['equal', new Uint16Array(256).fill(7)],
    ['reversed', Uint16Array.from({ length: 1024 }, (_, i) => 65_000 - 60 * i)],
  ];

  it.each(inputs)(`ends sorted: %s (seed ${seed})`, (_, keys) => {
    const animation = make(keys);
    const last = animation.frames.at(-1)!;
    const sorted = Array.from(last.order, (id) => keys[id]);
    expect(sorted).toEqual(Array.from(keys.slice().sort()));
    expect(shareInOrder(animation, last)).toBe(1);
  });

  it('has all keys in every frame, and the input in the first', () => {
    const keys = animationKeys(512, seed);
    const { frames } = make(keys);
    const all = Array.from(keys, (_, id) => id);
    for (const { order, title } of frames) {
      expect(
        Array.from(order).sort((a, b) => a - b),
        title,
      ).toEqual(all);
    }
    expect(Array.from(frames[0]!.order)).toEqual(all);
    expect(frames.length).toBeGreaterThan(8);
  });
});

it.each(ANIMATIONS.filter(({ id }) => id === 'implicit'))(
  '$title: after a scatter, keys are in stable order of all bits so far',
  ({ make }) => {
    const keys = animationKeys(512, seed);
    const scattered = make(keys).frames.filter(({ title }) => title.endsWith('scattered'));
    expect(scattered.length).toBeGreaterThan(1);
    for (const { order, digit } of scattered) {
      const mask = 2 ** (digit!.begin + digit!.bits) - 1;
      const expected = Array.from(keys, (_, id) => id).sort(
        (a, b) => (keys[a]! & mask) - (keys[b]! & mask) || a - b,
      );
      expect(Array.from(order)).toEqual(expected);
    }
  },
);

describe('sixteen counters of 4 bits', () => {
  const radix = 2 ** DIGIT_BITS;

  it('holds the thread’s counts and each key’s rank', () => {
    const digits = Array.from({ length: KEYS_PER_THREAD }, () => random.below(radix));
    const counts = countKeys(digits);
    counts.forEach(({ digit, rank, words: packed }, i) => {
      expect(packed.length).toBe(2);
      expect(rank, `seed ${seed}`).toBe(
        digits.slice(0, i).filter((other) => other === digit).length,
      );
      const fields = packed.flatMap((word) => fieldsOf(word));
      const expected = Array.from(
        { length: radix },
        (_, d) => digits.slice(0, i + 1).filter((other) => other === d).length,
      );
      expect(fields).toEqual(expected);
    });
  });

  it('does not overflow into its neighbours when all keys have the same digit', () => {
    const digits = new Array<number>(KEYS_PER_THREAD).fill(radix - 1);
    const fields = countKeys(digits)
      .at(-1)!
      .words.flatMap((word) => fieldsOf(word));
    expect(fields).toEqual([...new Array<number>(radix - 1).fill(0), KEYS_PER_THREAD]);
  });

  it.each([1, 8, 63, 64, 500])('gives %i keys the positions of a stable sort', (length) => {
    const digits = Array.from({ length }, () => random.below(radix));
    const placed: number[] = [];
    placesOf(digits).forEach((place, i) => {
      placed[place] = i;
    });
    const expected = digits.map((_, i) => i).sort((a, b) => digits[a]! - digits[b]! || a - b);
    expect(placed, `seed ${seed}`).toEqual(expected);
  });
});

it('counts every key once in a histogram', () => {
  const keys = Uint16Array.of(0x0012, 0x0022, 0xff12, 0x0000);
  const counts = histogramOf(keys, { begin: 0, bits: 8 });
  expect([counts[0x12], counts[0x22], counts[0]]).toEqual([2, 1, 1]);
  expect(counts.reduce((sum, count) => sum + count)).toBe(4);
  expect(digitOf(0xabcd, { begin: 4, bits: 8 })).toBe(0xbc);
});
