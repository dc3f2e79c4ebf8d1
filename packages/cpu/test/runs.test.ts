/**
 * Keys that few leading digits nearly sort. Neighbours that agree in these change places, insertion
 * does the rest, and where that would be much, all digits are passed over after all.
 */

import { verifyAll } from '@keysweep/conformance';
import { isThorough, sample } from '@keysweep/conformance/data';
import type { KeyArray } from '@keysweep/core';
import { cpu } from '@keysweep/cpu';
import { afterAll, describe, it } from 'vitest';
import { testRandom } from '../../../tools/test/random.js';

const ORDERS = ['ascending', 'descending'] as const;

const random = testRandom();
const backend = cpu({ threads: 1 });

afterAll(() => backend.close());

const word = (): number => random.below(2 ** 32);

/** Keys of whatever type from random words. */
const TYPES: readonly { readonly name: string; readonly from: (words: Uint32Array) => KeyArray }[] =
  [
    { name: 'Uint32Array', from: (words) => words },
    { name: 'Int32Array', from: (words) => new Int32Array(words.buffer) },
    { name: 'positive Float32Array', from: (words) => Float32Array.from(words) },
    { name: 'negative Float32Array', from: (words) => Float32Array.from(words, (w) => -w) },
    {
      name: 'Float32Array of both signs, none near zero',
      from: (words) => Float32Array.from(words, (w) => (w % 2 === 0 ? w + 2 ** 31 : -w - 2 ** 31)),
    },
    {
      name: 'BigUint64Array',
      from: (words) => BigUint64Array.from(words, (w) => (BigInt(w) << 32n) + BigInt(w >>> 7)),
    },
    {
      name: 'BigInt64Array below 2^32',
      from: (words) => BigInt64Array.from(words, (w) => BigInt(w)),
    },
    {
      name: 'Float64Array of both signs, none near zero',
      from: (words) => Float64Array.from(words, (w) => (w % 2 === 0 ? w + 2 ** 20 : -w - 2 ** 20)),
    },
  ];

/** Words that have the same `agreeing` leading bits in groups of `size`, in no order. */
function groups(length: number, size: number, agreeing: number): Uint32Array {
  const leading = Array.from({ length: Math.ceil(length / size) }, word);
  const below = 2 ** (32 - agreeing);
  return Uint32Array.from({ length }, () => {
    const lead = leading[random.below(leading.length)] as number;
    return Math.floor(lead / below) * below + random.below(below);
  });
}

/**
 * Words whose digits are as even as random ones, but each the same as the next: they tell far less
 * apart than it seems.
 */
function echoes(length: number, bits: number): Uint32Array {
  return Uint32Array.from({ length }, () => {
    const digit = random.below(2 ** bits);
    let echo = 0;
    for (let shift = 32 - bits; shift >= 0; shift -= bits) echo += digit * 2 ** shift;
    return echo + random.below(2 ** (32 % bits));
  });
}

async function verify(keys: KeyArray): Promise<void> {
  // In no order, so that ties which change places are seen.
  const payload = Uint32Array.from({ length: keys.length }, word);
  for (const order of ORDERS) await verifyAll(backend, keys, [payload], { order });
}

describe(`runs, seed ${random.seed}`, () => {
  it.each(TYPES)(
    '$name: lengths around the limits of insertion and of vectors',
    async ({ from }) => {
      for (let length = 38; length < 90; length++) {
        await verify(from(Uint32Array.from({ length }, word)));
      }
      for (const length of [
        127, 128, 511, 512, 1023, 1024, 2047, 2048, 4095, 4096, 10_003, 30_003,
      ]) {
        await verify(from(Uint32Array.from({ length }, word)));
      }
    },
  );

  it.each(TYPES)('$name: pairs, threes and more that agree', async ({ from }) => {
    for (const size of sample([2, 3, 5, 17], 2)) {
      for (const length of [50, 1000, 20_000]) await verify(from(groups(length, size, 20)));
    }
  });

  it('floats of both signs, one of them near zero, wherever it is', async () => {
    for (const Floats of [Float32Array, Float64Array]) {
      const keys = Floats.from(
        Array.from({ length: 61 }, (_, i) => (i % 2 === 0 ? word() : -word())),
      );
      for (let i = 0; i < keys.length; i++) await verify(keys.with(i, random.below(2) - 0.5));
    }
  });

  it.each(TYPES)('$name: digits that repeat each other', async ({ from }) => {
    for (const bits of sample([8, 9, 10, 11], 1)) {
      for (const length of isThorough ? [2000, 20_000, 100_000] : [2000, 20_000])
        await verify(from(echoes(length, bits)));
    }
  });

  it.each(TYPES)('$name: in order but for one', async ({ from }) => {
    for (const length of [41, 100, 3000]) {
      const sorted = Uint32Array.from({ length }, word).sort();
      for (const at of [0, 1, random.below(length - 1), length - 2]) {
        const [before, after] = [sorted[at] as number, sorted[at + 1] as number];
        await verify(from(sorted.with(at, after).with(at + 1, before)));
      }
    }
  });

  it.each([23, 32])('of %i bits, whose first records are unlike the rest', async (bits) => {
    for (const length of [12_000, 30_000]) {
      for (const agreeing of [8, 12, 16]) {
        const keys = groups(length, length, 32 - bits + agreeing);
        // What a sample sees is as good as random.
        for (let i = 0; i < length / 8; i++) keys[i] = word();
        await verify(keys.map((key) => key >>> (32 - bits)));
      }
    }
  });

  it('short ones that differ in few bits', async () => {
    for (let bits = 1; bits <= 12; bits++) {
      for (const from of [(w: Uint32Array) => w, (w: Uint32Array) => new Int32Array(w.buffer)]) {
        const keys = from(
          Uint32Array.from({ length: 45 + random.below(2000) }, () => word() >>> 0),
        );
        await verify(keys.map((key) => key >> (32 - bits)));
      }
    }
  });

  it('short ones of several kinds, one after the other', async () => {
    const kinds: readonly ((length: number) => Uint32Array)[] = [
      (length) => Uint32Array.from({ length }, word),
      (length) => groups(length, 20, 24),
      (length) => groups(length, length, 32),
      (length) => echoes(length, 4),
      (length) => Uint32Array.from({ length }, word).sort(),
      (length) => Uint32Array.from({ length }, word).sort().reverse(),
    ];
    const starts: number[] = [];
    const words: number[] = [];
    for (let i = 0; i < 200; i++) {
      starts.push(words.length);
      const kind = kinds[random.below(kinds.length)] as (length: number) => Uint32Array;
      words.push(...kind(random.below(300)));
    }
    const segments = Uint32Array.from(starts);
    for (const { from } of TYPES) {
      const keys = from(Uint32Array.from(words));
      for (const order of ORDERS) await verifyAll(backend, keys, [], { order, segments });
    }
  });

  it('some of the bits, ties in their order', async () => {
    for (const length of [500, 40_000]) {
      for (const keyBits of [
        { begin: 0, end: 24 },
        { begin: 0, end: 31 },
        { begin: 3, end: 32 },
      ]) {
        // Bits that are not asked for differ, and of the others some are the same.
        const keys = groups(length, 3, 32).map((key) => (key >>> 8) + random.below(256) * 2 ** 24);
        for (const order of ORDERS) await verifyAll(backend, keys, [], { order, keyBits });
      }
    }
  });
});
