/** Arrays that are longer than what the GPU sorts at a time: parts of them, merged. */

import {
  ARRAY_CLASSES,
  type ArrayClass,
  classNamed,
  distributionsFor,
  fillSpecial,
  runSeed,
  sample,
} from '@keysweep/conformance/data';
import {
  assertSorted,
  assertUntouched,
  makeRequest,
  randomPairs,
  rejection,
} from '@keysweep/conformance/suite';
import './software-gpu.js';
import { verifyAll, verifyArgsort } from '@keysweep/conformance';
import { type KeyBits, keyTraits, type Order, type TypedArray } from '@keysweep/core';
import { webgpu } from '@keysweep/webgpu';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { testRandom } from '../../../tools/test/random.js';
import { watchedAdapters } from './watched-adapters.js';

/** So few that one workgroup sorts them: two pipelines are enough. */
const MOST = 1000;

const seed = runSeed();
const random = testRandom();
const adapters = watchedAdapters();
const backend = webgpu({ requestAdapter: adapters.requestAdapter, maxChunkLength: MOST });

afterAll(async () => {
  await backend.close();
  await adapters.assertClean();
});

const either = <T>(...choices: readonly T[]): T => choices[random.below(choices.length)] as T;

const order = (): Order => either<Order>('ascending', 'descending');

/** Several parts, the last one of any length. */
const severalParts = (): number => MOST + 1 + random.below(3 * MOST);

const filled = ({ create }: ArrayClass, length: number): TypedArray => {
  const array = create(length);
  fillSpecial(array, random);
  return array;
};

/** As many keys of a few values, so that ties are within parts and between them. */
const tied = (arrayClass: ArrayClass, length: number): TypedArray => {
  const keys = arrayClass.create(length);
  const few = distributionsFor(arrayClass).find(({ name }) => name === '16 distinct');
  few?.fill(keys, random);
  return keys;
};

/** Starts of segments, of which some are empty and some end where parts do. */
function segmentsOf(length: number): Uint32Array {
  const starts = Array.from({ length: 20 }, () => random.below(length));
  return Uint32Array.of(0, MOST, MOST, length, ...starts).sort();
}

describe(`parts of ${MOST} keys, merged (KEYSWEEP_SEED=${seed})`, () => {
  it.each(sample(ARRAY_CLASSES, 4, seed))(
    '$name, with a narrow and a wide payload',
    async (arrayClass) => {
      for (const make of [filled, tied]) {
        const length = severalParts();
        const payloads = [
          either('Uint8Array', 'Int16Array'),
          either('Float32Array', 'BigUint64Array'),
        ];
        const values = payloads.map((name) => filled(classNamed(name), length));
        await verifyAll(backend, make(arrayClass, length), values, { order: order() });
      }
    },
  );

  it('lengths around multiples of a part', async () => {
    const keys = classNamed('Uint32Array');
    for (const parts of [1, 2, 4]) {
      for (const more of sample([-1, 0, 1, 2], 3, seed + parts)) {
        const length = parts * MOST + more;
        await verifyAll(backend, tied(keys, length), [filled(keys, length)], { order: order() });
      }
    }
  });

  it('columns, most significant first, and segments of them', async () => {
    for (let count = 2; count <= 4; count++) {
      const length = severalParts();
      const columns = Array.from({ length: count }, () => tied(either(...ARRAY_CLASSES), length));
      await verifyArgsort(backend, columns, { order: order() });
      await verifyArgsort(backend, columns, { order: order(), segments: segmentsOf(length) });
    }
  });

  it.each(sample(['Uint8Array', 'Uint16Array', 'Uint32Array', 'BigUint64Array'], 1, seed))(
    '%s: segments and key bits',
    async (name) => {
      const arrayClass = classNamed(name);
      const { bits } = keyTraits(arrayClass.keyType);
      const ranges: KeyBits[] = [
        { begin: 0, end: bits },
        { begin: bits >> 2, end: bits - 1 },
        { begin: bits, end: bits },
      ];
      for (const keyBits of ranges) {
        const length = severalParts();
        const [keys, values] = [filled(arrayClass, length), filled(arrayClass, length)];
        const segments = segmentsOf(length);
        await verifyAll(backend, keys, [values], { order: order(), keyBits });
        await verifyAll(backend, keys, [values], { order: order(), keyBits, segments });
      }
    },
  );

  it('an approximate sort is exact, and says so', async () => {
    const keys = filled(classNamed('Float32Array'), severalParts());
    const request = makeRequest('sort', [keys.slice()], { approximate: true });
    expect((await backend.sort(request)).bound).toBe(0);
    await verifyAll(backend, keys, [], { approximate: true });
  });

  it('views at odd offsets on shared memory', async () => {
    for (const { create, bytes } of sample(ARRAY_CLASSES, 4, seed)) {
      const length = MOST + 500;
      const keys = create(new SharedArrayBuffer(bytes * (length + 10)), bytes * 3, length);
      fillSpecial(keys, random);
      await verifyAll(backend, keys, [keys.slice()]);
    }
  });

  it('parts of one key', async () => {
    const single = webgpu({ requestAdapter: adapters.requestAdapter, maxChunkLength: 1 });
    for (const length of [0, 1, 2, 5]) {
      const keys = filled(classNamed('Float32Array'), length);
      await verifyAll(single, keys, [keys], { order: order() });
    }
    await single.close();
  });
});

it('tells how many keys are merged, and hears of an abort while results are gathered', async () => {
  const many = 3 * 2 ** 14;
  const own = webgpu({ requestAdapter: adapters.requestAdapter, maxChunkLength: many / 2 });
  for (const isAborted of [false, true]) {
    const pairs = randomPairs(many, random);
    const abort = new AbortController();
    const merged: number[] = [];
    const request = makeRequest('sortPairs', [pairs.keys], {
      values: pairs.values,
      signal: abort.signal,
      onProgress: ({ phase, completed }) => {
        if (phase !== 'readback') return;
        merged.push(completed);
        if (completed < many) return;
        // From now on each look at the clock finds that it is time for a pause.
        let now = performance.now();
        vi.spyOn(performance, 'now').mockImplementation(() => (now += 10));
        if (isAborted) setImmediate(() => abort.abort(new Error('enough')));
      },
    });
    const error = await rejection(own.sort(request));
    vi.restoreAllMocks();
    expect(merged.at(-1)).toBe(many);
    if (isAborted) {
      expect(error).toEqual(new Error('enough'));
      assertUntouched('a sort that was aborted while results were gathered', pairs);
    } else {
      expect(error).toBeUndefined();
      assertSorted('pairs', pairs);
    }
  }
  await own.close();
});

describe('while parts are merged', () => {
  const length = 3 * MOST;

  /** Sorts float pairs, and calls `act` when phase 'readback' is entered for the `nth` time. */
  async function during(nth: number, act: (abort: AbortController) => void): Promise<unknown> {
    const pairs = randomPairs(length, random);
    const abort = new AbortController();
    let entered = 0;
    const request = makeRequest('sortPairs', [new Float32Array(pairs.keys.buffer)], {
      values: pairs.values,
      signal: abort.signal,
      onProgress: ({ phase }) => {
        if (phase === 'readback' && ++entered === nth) act(abort);
      },
    });
    const error = await rejection(backend.sort(request));
    expect(entered).toBe(nth);
    if (error !== undefined) assertUntouched('a sort that ended while parts were merged', pairs);
    return error;
  }

  /** After the three parts, keys are prepared, and then merged. */
  const TIMES = [4, 5];

  it.each(TIMES)('an abort ends it, arrays as they were (%i)', async (nth) => {
    const reason = new Error('enough');
    expect(await during(nth, (abort) => abort.abort(reason))).toBe(reason);
  });

  it.each(TIMES)('what a callback throws ends it, arrays as they were (%i)', async (nth) => {
    const thrown = new Error('from the callback');
    const act = (): void => {
      throw thrown;
    };
    expect(await during(nth, act)).toBe(thrown);
  });

  it('the last time is the last', async () => {
    const last = TIMES.at(-1) as number;
    expect(await during(last, () => {})).toBeUndefined();
  });

  it('and afterwards the next sort is well', async () => {
    const pairs = randomPairs(length, random);
    await backend.sort(makeRequest('sortPairs', [pairs.keys], { values: pairs.values }));
    assertSorted('pairs', pairs);
  });
});
