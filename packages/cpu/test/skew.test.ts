/**
 * Keys of which one or two values of the top digit hold nearly all: buckets that all threads
 * partition again, whose leading digits tell nothing apart, or that hold negative numbers alone.
 * And ranges that do not begin where digits do.
 */

import { verifyAll } from '@keysweep/conformance';
import { isThorough, sample } from '@keysweep/conformance/data';
import { makeRequest } from '@keysweep/conformance/suite';
import type { KeyArray, Order } from '@keysweep/core';
import { cpu } from '@keysweep/cpu';
import { afterAll, describe, expect, it } from 'vitest';
import { drawTests } from '../../../tools/test/draw-tests.js';
import { testRandom } from '../../../tools/test/random.js';

drawTests(1 / 2);

/**
 * For three threads a bucket of 2^16 keys, and of a twelfth of all, is oversized; for one thread
 * one of 2^20 narrow keys, which it partitions from that length on.
 */
const LENGTHS: Readonly<Record<number, number>> = {
  1: 1_200_000,
  3: isThorough ? 1_200_000 : 300_000,
};

/** How many inputs are tried, by threads: one thread's partition runs the same code. */
const INPUTS_TRIED: Readonly<Record<number, number>> = { 1: 2, 3: 19 };

const random = testRandom();
const backends = [1, 3].map((threads) => {
  return { threads, backend: cpu({ threads, threadsFrom: 2 ** 18 }) };
});

afterAll(() => Promise.all(backends.map(({ backend }) => backend.close())));

const word = (): number => random.below(2 ** 32);
/** One in a hundred is `rare`. */
const mostly = <T>(common: () => T, rare: () => T): T =>
  random.below(100) === 0 ? rare() : common();

/** As many of each length in bits, from 1 to `bits`. */
const magnitude = (bits: number): number => Math.floor(2 ** ((word() / 2 ** 32) * bits));

const float = (exponent: number): number => (word() / 2 ** 32) * 2 ** exponent;

const INPUTS: readonly {
  readonly name: string;
  readonly make: (length: number) => KeyArray;
}[] = [
  {
    name: 'one bucket with 99 % of all 32-bit keys',
    make: (length) => Uint32Array.from({ length }, () => mostly(() => word() >>> 9, word)),
  },
  {
    name: 'the same again in the bucket',
    make: (length) =>
      Int32Array.from({ length }, () =>
        mostly(
          () =>
            mostly(
              () => word() >>> 20,
              () => word() >>> 9,
            ),
          word,
        ),
      ),
  },
  {
    name: 'one in seven far above all others',
    make: (length) =>
      Uint32Array.from({ length }, () => (random.below(7) === 0 ? word() : word() >>> 8)),
  },
  {
    name: 'keys far above all that are looked at',
    make: (length) => {
      const keys = Uint32Array.from({ length }, () => 2 ** 31 + random.below(2 ** 20));
      for (let look = 0; look < 256; look++) {
        keys[Math.floor((length * look) / 256)] = random.below(2 ** 24);
      }
      return keys;
    },
  },
  {
    name: 'keys close together, and few others on both sides',
    make: (length) =>
      BigInt64Array.from({ length }, () =>
        mostly(
          () => 10n ** 12n + BigInt(word()),
          () => BigInt.asIntN(64, BigInt(word()) << 32n),
        ),
      ),
  },
  {
    name: 'all magnitudes',
    make: (length) => Uint32Array.from({ length }, () => magnitude(32)),
  },
  {
    name: 'all magnitudes, from the least number on',
    make: (length) => Int32Array.from({ length }, () => magnitude(31) - 2 ** 31),
  },
  {
    name: 'all magnitudes of 64 bits',
    make: (length) => BigUint64Array.from({ length }, () => BigInt(magnitude(64))),
  },
  {
    name: 'one value nearly everywhere',
    make: (length) =>
      Uint32Array.from({ length }, () =>
        mostly(
          () => 77,
          () => word() >>> 1,
        ),
      ),
  },
  {
    name: 'a range that begins between two values of its top digit',
    make: (length) => Uint32Array.from({ length }, () => 6_565_945 + (word() >>> 8)),
  },
  {
    name: 'the same around zero',
    make: (length) => Int32Array.from({ length }, () => (word() >>> 8) - 5_000_001),
  },
  {
    name: '64-bit keys that differ in their lowest bits, and few others',
    make: (length) =>
      BigUint64Array.from({ length }, () =>
        random.below(100) === 0
          ? (BigInt(word()) << 32n) | BigInt(word())
          : (0xabcdef12n << 32n) | BigInt(word() & 0xffff),
      ),
  },
  {
    name: 'leading digits that tell little apart',
    make: (length) =>
      BigInt64Array.from(
        { length },
        () => (BigInt(random.below(2000)) << 44n) - (1n << 54n) + BigInt(word() & 0xfff),
      ),
  },
  {
    name: 'floats of one sign, and few of the other',
    make: (length) =>
      Float32Array.from({ length }, () =>
        mostly(
          () => -float(0),
          () => float(90),
        ),
      ),
  },
  {
    name: 'negative floats alone',
    make: (length) => Float64Array.from({ length }, () => -float(random.below(3))),
  },
  {
    name: 'floats of both signs, zeros and infinities',
    make: (length) =>
      Float64Array.from({ length }, () =>
        mostly(
          () => float(1) - 1,
          () => [0, -0, Infinity, -Infinity, 5e-324, -5e-324][random.below(6)] as number,
        ),
      ),
  },
  {
    name: 'floats of both signs, none near zero',
    make: (length) => Float32Array.from({ length }, () => (random.below(2) - 0.5) * (1 + float(2))),
  },
  {
    name: 'the same with few far away',
    make: (length) =>
      Float64Array.from(
        { length },
        () =>
          (random.below(2) - 0.5) *
          mostly(
            () => 3 + float(0),
            () => 2 ** random.below(1000),
          ),
      ),
  },
  {
    name: 'floats of both signs and NaNs of one',
    make: (length) =>
      Float32Array.from({ length }, () =>
        mostly(
          () => float(4) - 8,
          () => Number.NaN,
        ),
      ),
  },
];

describe(`skewed keys, seed ${random.seed}`, () => {
  for (const { threads, backend } of backends) {
    const length = LENGTHS[threads] as number;
    const inputs = sample(INPUTS, INPUTS_TRIED[threads] as number);
    it.each(inputs)(`$name, by ${threads} threads`, async ({ make }) => {
      const keys = make(length);
      const order: Order = random.below(2) === 0 ? 'ascending' : 'descending';
      const payload = Uint32Array.from({ length }, (_, i) => i);
      await verifyAll(backend, keys, [payload], { order });
      // Long segments are partitioned as whole arrays are: once is enough of what takes as long
      // again.
      if (threads === 1) return;
      const segments = Uint32Array.of(0, 1000, 1000, Math.floor(length / 3));
      await verifyAll(backend, keys, [], { order, segments });
    });
  }

  it('sorts keys whose range holds one value more than a digit has, at nine bits', async () => {
    // Their difference has 20 bits, but they lie in 513 stretches of 2^11 keys.
    const [least, most] = [5 * 2 ** 11 + 2047, 517 * 2 ** 11];
    const keys = Uint32Array.from(
      { length: 300_000 },
      () => least + random.below(most - least + 1),
    );
    keys.set([most, least], 1000);
    const sorted = keys.slice().sort();
    const one = cpu({ threads: 1 });
    await one.sort(makeRequest('sort', [keys]));
    await one.close();
    expect(keys).toEqual(sorted);
  });

  it('sorts many long segments, each of keys that differ in the last bit alone', async () => {
    const [segment, count] = [2 ** 16, isThorough ? 64 : 12];
    const keys = BigUint64Array.from(
      { length: segment * count },
      (_, i) => (BigInt(Math.floor(i / segment)) << 58n) + BigInt(word() % 2),
    );
    const sorted = keys.slice();
    for (let i = 0; i < count; i++) sorted.subarray(i * segment, (i + 1) * segment).sort();
    const segments = Uint32Array.from({ length: count }, (_, i) => i * segment);
    const two = cpu({ threads: 2 });
    await two.sort(makeRequest('sort', [keys], { segments }));
    await two.close();
    expect(Buffer.from(keys.buffer).equals(Buffer.from(sorted.buffer))).toBe(true);
  });
});
