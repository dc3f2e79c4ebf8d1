/** Lengths from which on threads serve by default, and from which on one thread partitions. */

import { serve, verifyAll, verifyArgsort } from '@keysweep/conformance';
import { classNamed, distributionsFor, isThorough, sample } from '@keysweep/conformance/data';
import { assertSameBits } from '@keysweep/conformance/verify';
import type { TypedArray } from '@keysweep/core';
import { cpu } from '@keysweep/cpu';
import { afterAll, describe, expect, it } from 'vitest';
import { testRandom } from '../../../tools/test/random.js';

const LENGTH = (isThorough ? 2 ** 21 : 2 ** 18) + 77;
const random = testRandom();
const backend = cpu({ threads: 2 });

afterAll(() => backend.close());

function keysOf(className: string, distribution: string, length = LENGTH): TypedArray {
  const arrayClass = classNamed(className);
  const keys = arrayClass.create(length);
  const found = distributionsFor(arrayClass).find(({ name }) => name === distribution);
  found?.fill(keys, random);
  return keys;
}

describe(`${LENGTH} keys, seed ${random.seed}`, () => {
  it.each([
    ['Uint32Array', 'random bits', 'Uint32Array'],
    ['Float32Array', 'zeros, infinities, subnormals and NaNs of both signs', 'Float64Array'],
    ['Float64Array', 'random values', 'Uint8Array'],
    ['Int16Array', 'Zipf', 'BigInt64Array'],
    ['BigInt64Array', 'one outlier', 'Uint16Array'],
  ])('%s, %s, with %s payloads', async (keys, distribution, values) => {
    const payload = keysOf(values, 'random bits');
    await verifyAll(backend, keysOf(keys, distribution), [payload], { order: 'descending' });
  });

  it.each(['Uint32Array', 'Int8Array', 'Float32Array'])('%s alone', async (name) => {
    const keys = keysOf(name, 'random bits', (isThorough ? 2 ** 20 : 2 ** 19) + 1);
    await verifyAll(backend, keys, []);
    await verifyAll(backend, keys, [], { segments: Uint32Array.of(0, 3, 400_000) });
  });

  it('in order but for the steps between eighths, which two threads survey apart', async () => {
    // So many that threads serve them.
    const period = 80_001;
    for (const order of ['ascending', 'descending'] as const) {
      const sign = order === 'ascending' ? 1 : -1;
      const keys = Int32Array.from({ length: 8 * period }, (_, i) => sign * (i % period));
      const expected = keys.slice().sort();
      if (order === 'descending') expected.reverse();
      await serve(backend, 'sort', [keys], { order });
      assertSameBits(`keys, ${order}`, keys, expected);
    }
  });

  // Keys in exactly the reverse order are turned, slice by slice from both ends.
  it.each([2 ** 18 - 1, 2 ** 18 + 1, 2 ** 19 + 3, 3_000_000])(
    '%i keys in reverse order',
    async (length) => {
      const offset = random.below(1000);
      const words = Uint32Array.from({ length }, (_, i) => 3 * (length - i) + offset);
      const halves = new Uint32Array(2 * length);
      for (let i = 0; i < length; i++) halves.set([(length - i) << 20, (length - i) >>> 12], 2 * i);
      const wide = new BigUint64Array(halves.buffer);
      for (const keys of [words, wide]) {
        const expected = keys.slice().reverse();
        await serve(backend, 'sort', [keys], {});
        assertSameBits(`${length} reversed keys`, keys, expected);
        await serve(backend, 'sort', [keys], { order: 'descending' });
        assertSameBits(`${length} keys, turned again`, keys, expected.reverse());
      }
    },
  );

  it('with long, short and empty segments', async () => {
    const half = LENGTH >>> 1;
    const shorts = Array.from({ length: 1000 }, (_, i) => half + 3 * i);
    const segments = Uint32Array.of(0, 0, 40_000, ...shorts, LENGTH - 40_000, LENGTH);
    await verifyAll(backend, keysOf('Float32Array', 'random values'), [], { segments });
  });

  it('by three columns', async () => {
    const columns = ['Uint8Array', 'Float64Array', 'Int32Array'].map((name) =>
      keysOf(name, '16 distinct'),
    );
    await verifyArgsort(backend, columns);
  });
});

describe('one thread alone', () => {
  it('partitions what its caches do not hold', async () => {
    const alone = cpu({ threads: 1 });
    for (const name of sample(['Uint32Array', 'Float64Array'], 1)) {
      const length = isThorough ? LENGTH : 2 ** 20 + 1;
      await verifyAll(alone, keysOf(name, 'random bits', length), []);
    }
    await alone.close();
  });

  // What a block of keys goes to is read before, as if each block had its share of each bucket.
  it('reads nothing past its memory if all keys of the last bucket come first', async () => {
    const alone = cpu({ threads: 1 });
    const length = 2 ** 18;
    const last = 0.4 * length;
    const keys = Uint32Array.from({ length }, (_, i) =>
      i < last ? 2 ** 32 - 1 - random.below(2 ** 20) : random.below(2 ** 31),
    );
    const expected = keys.slice().sort();
    // The first time all memory is new, and not read before.
    for (const time of ['first', 'second']) {
      const sorted = keys.slice();
      await serve(alone, 'sort', [sorted], {});
      assertSameBits(`keys, the ${time} time`, sorted, expected);
    }
    await alone.close();
  });

  // Four keys are counted at a time in each half of them.
  it('partitions shorter floats of both signs, whatever is left over', async () => {
    const alone = cpu({ threads: 1 });
    for (let rest = 0; rest < 8; rest++) {
      const keys = Float32Array.from({ length: 2 ** 16 + rest }, () => random.bits() | 0);
      const [sorted, order] = [keys.slice(), rest % 2 === 0 ? 'ascending' : 'descending'] as const;
      const expected = keys.slice().sort();
      if (order === 'descending') expected.reverse();
      const { passes } = await serve(alone, 'sort', [sorted], { order });
      assertSameBits(`${keys.length} floats, ${order}`, sorted, expected);
      // One by the top digit and one in the buckets.
      expect(passes.run).toBe(2);
      if (rest > 5) await verifyArgsort(alone, [keys], { order });
    }
    await alone.close();
  });
});
