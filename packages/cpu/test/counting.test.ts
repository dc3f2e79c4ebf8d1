/** Keys of few values, which are counted: around the lengths at which it pauses, and in a pause. */

import { verifyAll } from '@keysweep/conformance';
import {
  classNamed,
  fillSpecial,
  fillWithBits,
  isThorough,
  sample,
} from '@keysweep/conformance/data';
import { makeRequest } from '@keysweep/conformance/suite';
import { assertSameBits } from '@keysweep/conformance/verify';
import {
  bitsOf,
  copyOf,
  type KeyArray,
  keysToWords,
  keyTransform,
  runAtOnce,
  traitsOf,
} from '@keysweep/core';
import { oraclePermutation } from '@keysweep/core/oracle';
import { cpu } from '@keysweep/cpu';
import { afterAll, describe, expect, it } from 'vitest';
import { drawTests } from '../../../tools/test/draw-tests.js';
import { testRandom } from '../../../tools/test/random.js';
import { isCountable, sortByCounting } from '../src/fallback/counting.js';

drawTests(1 / 2);

/** Keys between two pauses. */
const STEP = 2 ** 18;

const random = testRandom();
const backend = cpu({ threads: 1 });

afterAll(() => backend.close());

function randomKeys(name: string, length: number): KeyArray {
  const keys = classNamed(name).create(length);
  const bits = bitsOf(keys);
  for (let i = 0; i < bits.length; i++) bits[i] = random.below(2 ** 16);
  return keys;
}

describe.each(['Uint8Array', 'Int16Array'])('%s', (name) => {
  const { create } = classNamed(name);

  it.each([STEP - 1, STEP, STEP + 1, 2 * STEP + 3])('%i keys, both orders', async (length) => {
    for (const order of ['ascending', 'descending'] as const) {
      expect(isCountable(makeRequest('sort', [create(length)], { order }).shape)).toBe(true);
      await verifyAll(backend, randomKeys(name, length), [], { order });
    }
  });

  it('one value for all, but for one key', async () => {
    const keys = create(STEP + 10);
    bitsOf(keys)[random.below(keys.length)] = 1;
    await verifyAll(backend, keys, []);
  });
});

it.each([
  ['pairs', makeRequest('sortPairs', [new Uint8Array(1000)], { values: new Uint8Array(1000) })],
  ['rows', makeRequest('argsort', [new Uint16Array(100_000)])],
  ['segments', makeRequest('sort', [new Uint8Array(1000)], { segments: Uint32Array.of(0, 9) })],
  ['key bits', makeRequest('sort', [new Uint8Array(1000)], { keyBits: { begin: 1, end: 8 } })],
  ['wide keys', makeRequest('sort', [new Uint32Array(1_000_000)])],
  ['few keys', makeRequest('sort', [new Uint16Array(1000)])],
])('are sorted otherwise: %s', (_, { shape }) => {
  expect(isCountable(shape)).toBe(false);
});

describe.each(sample([1, 2, 3], 2))('rows that are counted by %i threads', (threads) => {
  const backend = cpu({ threads, threadsFrom: 0 });
  afterAll(() => backend.close());

  /** 16 bits of the range of words, which have to decide. */
  function codesOf(keys: KeyArray): Uint32Array {
    const traits = traitsOf(keys);
    const { ceiling } = keyTransform(traits.keyType);
    const words = keysToWords(keys, traits).map((word) => Math.min(word, Number(ceiling)));
    const [least, most] = words.reduce(
      ([a, b], w) => [Math.min(a, w), Math.max(b, w)],
      [2 ** 32, 0],
    );
    const skipped = Math.max(0, 16 - Math.clz32(most - least));
    return words.map((word) => (word - least) >>> skipped);
  }

  it.each(sample(['Uint8Array', 'Int16Array', 'Uint32Array', 'Int32Array', 'Float32Array'], 3))(
    '%s, whatever the keys',
    async (name) => {
      for (const length of sample([2 ** 17 + 2 ** 10, 3 * 2 ** 16 + 5], 1)) {
        for (const fill of [fillWithBits, fillSpecial]) {
          const keys = classNamed(name).create(length);
          fill(keys, random);
          const isFloat = keys instanceof Float32Array;
          // Floats are counted where all are numbers.
          for (let i = 0; isFloat && i < length; i++) {
            if (!Number.isFinite(keys[i])) keys[i] = random.unit();
          }
          for (const order of sample(['ascending', 'descending'] as const, 1)) {
            const { shape, ...rest } = makeRequest('argsort', [keys], { order });
            const out = new Uint32Array(length);
            const request = { ...rest, shape: { ...shape, precision: 16 as const }, out };
            const { permutation, passes } = await backend.sort(request);
            expect(permutation === out).toBe(true);
            // Values of 8 bits are one digit.
            expect(passes.run).toBe(keys.BYTES_PER_ELEMENT === 1 ? 1 : 2);
            const codes = codesOf(keys);
            if (keys.BYTES_PER_ELEMENT < 4) {
              assertSameBits('permutation', out, oraclePermutation([codes], { order }));
              continue;
            }
            assertSameBits('rows', out.slice().sort(), Uint32Array.from(keys.keys()));
            const sign = order === 'ascending' ? 1 : -1;
            const inOrder = Array.from(out, (row) => sign * (codes[row] as number));
            expect(inOrder.every((code, i) => i === 0 || code >= (inOrder[i - 1] as number))).toBe(
              true,
            );
          }
        }
      }
    },
  );

  it('numbers beside infinities and NaNs are sorted by all their bits', async () => {
    const length = 2 ** 18;
    for (const special of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
      const keys = Float32Array.from({ length }, () => random.unit());
      keys[random.below(length)] = special;
      const { shape, ...rest } = makeRequest('argsort', [keys]);
      const out = new Uint32Array(length);
      await backend.sort({ ...rest, shape: { ...shape, precision: 16 as const }, out });
      assertSameBits('permutation', out, oraclePermutation([keys], {}));
    }
  });

  it('all rows but one have the same digit', async () => {
    const keys = Uint16Array.from({ length: 2 ** 18 + 7 }, () => 65_000 + random.below(500));
    keys[random.below(keys.length)] = 3;
    const out = new Uint32Array(keys.length);
    const { passes } = await backend.sort({ ...makeRequest('argsort', [keys]), out });
    expect(passes.run).toBe(2);
    assertSameBits('permutation', out, oraclePermutation([keys], {}));
  });

  it('rows have too many bits to leave room for values', async (ctx) => {
    if (!isThorough) ctx.skip('only npm run test:thorough sorts 16 million rows');
    const keys = Uint16Array.from({ length: 2 ** 24 + 9 }, () => random.below(2 ** 16));
    const out = new Uint32Array(keys.length);
    const { passes } = await backend.sort({ ...makeRequest('argsort', [keys]), out });
    expect(passes.run).toBe(2);
    // Rows that go up by key, then by number, are all there.
    const places = Float64Array.from(out, (row) => (keys[row] as number) * 2 ** 32 + row);
    expect(places.every((place, i) => i === 0 || place > (places[i - 1] as number))).toBe(true);
  });

  it('writes rows that are in order already, and none after an abort', async () => {
    const keys = Float32Array.from({ length: 2 ** 16 }, (_, i) => i);
    const { shape, ...rest } = makeRequest('argsort', [keys]);
    const out = new Uint32Array(keys.length).fill(7);
    const { signal, abort } = signalOf();
    abort('enough');
    await expect(backend.sort({ ...rest, shape, out, signal })).rejects.toThrow('enough');
    expect(out.every((row) => row === 7)).toBe(true);
    await backend.sort({ ...rest, shape, out });
    expect(out.every((row, i) => row === i)).toBe(true);
  });
});

describe('a request that is taken back in a pause', () => {
  const input = randomKeys('Int8Array', 3 * STEP);

  it.each([1, 2, 3])('aborted after %i: it rejects, nothing is written', (steps) => {
    const keys = copyOf(input);
    const { signal, abort } = signalOf();
    const sorting = sortByCounting(makeRequest('sort', [keys], { signal }));
    for (let i = 0; i < steps; i++) sorting.next();
    abort('enough');
    expect(() => sorting.next()).toThrow('enough');
    assertSameBits('keys', keys, input);
  });

  it('aborted when the first key is written: it is finished', () => {
    const keys = copyOf(input);
    const { signal, abort } = signalOf();
    const sorting = sortByCounting(makeRequest('sort', [keys], { signal }));
    while (sorting.next().done !== true && keys[0] === input[0]) {}
    abort('too late');
    runAtOnce(sorting);
    assertSameBits('keys', keys, copyOf(input).sort());
  });

  it('tells before the first key is written, once', () => {
    const keys = copyOf(input);
    let told = 0;
    const onCommit = (): void => {
      told++;
      assertSameBits('keys', keys, input);
    };
    runAtOnce(sortByCounting({ ...makeRequest('sort', [keys]), onCommit }));
    expect(told).toBe(1);
    assertSameBits('keys', keys, copyOf(input).sort());
  });

  it('detached: it rejects', () => {
    const keys = new Uint8Array(3 * STEP);
    const sorting = sortByCounting(makeRequest('sort', [keys]));
    sorting.next();
    structuredClone(keys.buffer, { transfer: [keys.buffer] });
    expect(() => runAtOnce(sorting)).toThrow(/keys was detached/);
  });
});

/** A signal, and what aborts it. */
function signalOf() {
  const controller = new AbortController();
  const abort = (reason: string): void => controller.abort(new Error(reason));
  return { signal: controller.signal, abort };
}
