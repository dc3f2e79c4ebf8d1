/** The first keys of an order, the key at a place, and elements in an order. */

import {
  ARRAY_CLASSES,
  fillSpecial,
  fillWithBits,
  runSeed,
  sample,
} from '@keysweep/conformance/data';
import {
  BackendFailedError,
  type BitsArray,
  bitsOf,
  emptyLike,
  type KeyArray,
  type Order,
  traitsOf,
} from '@keysweep/core';
import { oraclePermutation } from '@keysweep/core/oracle';
import { builtin, ClosedError, createSorter, gather, select, topK } from 'keysweep';
import { describe, expect, it } from 'vitest';
import { testRandom } from '../../../../tools/test/random.js';
import { fake, notingSorter } from '../fakes.js';

const SEED = runSeed();
const random = testRandom();

/** Lengths that are sorted whole, and from which on keys are sampled. */
const SHORT = [0, 1, 5, 300];
const LONG = [2 ** 14 - 1, 2 ** 14, 40_000];

/** Inputs of a run: every short length, and a long one of a class or two. */
function* inputs(): Generator<{ name: string; keys: KeyArray }> {
  for (const length of [...SHORT, ...sample(LONG, 1)]) {
    for (const { name, create } of sample(ARRAY_CLASSES, length > 300 ? 1 : 3)) {
      yield { name: `${name}, ${length}`, keys: create(length) };
    }
  }
}

const FILLS: readonly (readonly [name: string, fill: (keys: KeyArray) => void])[] = [
  ['any bits', (keys) => fillWithBits(keys, random)],
  ['special values', (keys) => fillSpecial(keys, random)],
  ['all equal', (keys) => bitsOf(keys).fill(1)],
  ['few values', (keys) => bitsOf(keys).set(bitsOf(keys).map(() => random.below(3)))],
  [
    'ascending bits',
    (keys) => {
      fillWithBits(keys, random);
      keys.sort();
    },
  ],
  ['one far away', (keys) => void bitsOf(keys).fill(random.below(keys.length + 1), 0, 1)],
];

/** As `toEqual`, which takes a millisecond for a thousand elements. */
const areEqual = (a: BitsArray, b: BitsArray): boolean =>
  a.length === b.length && a.every((bits, i) => bits === b[i]);

const places = (length: number): number[] => [
  ...new Set([0, 1, 7, length >> 1, length - 1, random.below(length + 1)]),
];

describe.each(FILLS)(`of keys with %s (KEYSWEEP_SEED=${SEED})`, (_, fill) => {
  it('topK are the first of the stable order, and their indices', async () => {
    for (const { name, keys } of inputs()) {
      fill(keys);
      const before = bitsOf(keys).slice();
      const order = random.below(2) === 0 ? 'descending' : 'ascending';
      const sorted = oraclePermutation([keys], { order });
      for (const k of [...places(keys.length), keys.length + 3]) {
        const options = order === 'descending' ? {} : { order: order as Order };
        const found = await topK(keys, Math.max(k, 0), options);
        const indices = sorted.slice(0, Math.max(k, 0));
        const what = `${name}, ${k}, ${order}`;
        expect(areEqual(found.indices, indices), what).toBe(true);
        expect(areEqual(bitsOf(found.keys), bitsOf(pickBits(keys, indices))), what).toBe(true);
      }
      expect(areEqual(bitsOf(keys), before)).toBe(true);
    }
  });

  it('select is the key at a place of the order', async () => {
    for (const { name, keys } of inputs()) {
      fill(keys);
      const order = random.below(2) === 0 ? 'descending' : 'ascending';
      const sorted = oraclePermutation([keys], { order });
      for (const k of places(keys.length)) {
        if (k < 0 || k >= keys.length) continue;
        const options = order === 'ascending' ? {} : { order: order as Order };
        const key = await select(keys, k, options);
        const is = Object.is(key, keys[sorted[k] as number]);
        expect(is, `${name}, ${k}, ${order}: ${key}`).toBe(true);
      }
    }
  });
});

it.each(ARRAY_CLASSES)(
  'gather moves elements of $name, alone and in strides',
  async ({ create }) => {
    for (const stride of [1, 2, 3, 40]) {
      const source = create(1000 * stride);
      fillWithBits(source, random);
      const order = Uint32Array.from({ length: 2000 }, () => random.below(1000));
      const rows = Uint32Array.from({ length: 2000 * stride }, (_, i) => {
        return (order[Math.floor(i / stride)] as number) * stride + (i % stride);
      });
      const expected = bitsOf(pickBits(source, rows));
      const gathered = await gather(source, order, { stride });
      expect(gathered.constructor).toBe(source.constructor);
      expect(areEqual(bitsOf(gathered), expected)).toBe(true);
      const into = create(rows.length);
      expect(await gather(source, order, { stride, into })).toBe(into);
      expect(areEqual(bitsOf(into), expected)).toBe(true);
      const longer = create(rows.length + 5);
      const part = await gather(source, order, { stride, into: longer });
      expect(part.buffer).toBe(longer.buffer);
      expect(areEqual(bitsOf(part), expected)).toBe(true);
      expect(bitsOf(longer.subarray(rows.length)).every((bits) => bits === 0)).toBe(true);
    }
  },
);

it('gather refuses strides that are none, and takes what is left of a source', async () => {
  const [source, order] = [new Float32Array(12), Uint32Array.of(1, 0)];
  const refused = (stride: unknown): Promise<unknown> => gather(source, order, { stride } as never);
  for (const stride of ['2', null, {}, 2n, true]) {
    await expect(refused(stride)).rejects.toThrow(TypeError);
    await expect(refused(stride)).rejects.toThrow(/^stride must be a number of elements, got/);
  }
  for (const stride of [0, -1, 1.5, Number.NaN, 1 / 0]) {
    await expect(refused(stride)).rejects.toThrow(RangeError);
    await expect(refused(stride)).rejects.toThrow(/whole number of elements from 1 on, got/);
  }
  await expect(refused(5)).rejects.toThrow(RangeError);
  expect(await gather(source, order, { stride: 6 })).toHaveLength(12);
});

it('gather moves several arrays at once', async () => {
  const x = new Float32Array(300);
  const boxes = new Float64Array(1200);
  for (const array of [x, boxes]) fillWithBits(array, random);
  const order = Uint32Array.from({ length: 500 }, () => random.below(300));
  const rows = Uint32Array.from({ length: 2000 }, (_, i) => {
    return 4 * (order[i >> 2] as number) + (i & 3);
  });
  const expected = [bitsOf(pickBits(x, order)), bitsOf(pickBits(boxes, rows))];
  const moved = await gather([x, boxes], order, { stride: [1, 4] });
  expect(moved.map((array) => array.constructor)).toEqual([Float32Array, Float64Array]);
  expect(moved.map(bitsOf)).toEqual(expected);
  const into = [new Float32Array(500), new Float64Array(2007)] as const;
  const given = await gather([x, boxes], order, { stride: [1, 4], into });
  expect(given[0]).toBe(into[0]);
  expect(given.map(bitsOf)).toEqual(expected);
  expect(await gather([], order)).toEqual([]);
});

it.each([2 ** 14, 2 ** 17 + 3])('topK of more than all %i keys are all of them', async (length) => {
  const keys = Float32Array.from({ length }, () => random.unit());
  for (const k of [length, length + 1, 2 * length, 2 ** 40]) {
    const { keys: first, indices } = await topK(keys, k);
    expect(areEqual(bitsOf(first), bitsOf(keys.slice().sort().reverse())), `k = ${k}`).toBe(true);
    expect(indices.length).toBe(length);
  }
});

it('topK of no keys sorts none, and checks what it is given', async () => {
  const { sorter, requests } = await notingSorter();
  for (const length of [5, 2 ** 15]) {
    const { keys, indices } = await sorter.topK(random.fill(new Uint32Array(length)), 0);
    expect([keys, indices]).toEqual([new Uint32Array(0), new Uint32Array(0)]);
  }
  expect(requests.every(({ shape }) => shape.length <= 5)).toBe(true);
  const signal = AbortSignal.abort(new Error('enough'));
  await expect(sorter.topK(new Uint32Array(2 ** 15), 0, { signal })).rejects.toThrow('enough');
  await sorter.close();
});

describe('gather of enough rows for threads to move them', () => {
  const count = 2 ** 19 + 5;
  const source = new Float64Array(1000);
  fillWithBits(source, random);
  const order = Uint32Array.from({ length: count }, () => random.below(1000));
  const expected = bitsOf(pickBits(source, order));

  it('gives the same, also beside bytes', async () => {
    const bytes = random.fill(new Uint8Array(3000));
    const [doubles, triples] = await gather([source, bytes], order, { stride: [1, 3] });
    expect(areEqual(bitsOf(doubles), expected)).toBe(true);
    const rows = Uint32Array.from({ length: 3 * count }, (_, i) => {
      return 3 * (order[Math.floor(i / 3)] as number) + (i % 3);
    });
    expect(areEqual(triples, bitsOf(pickBits(bytes, rows)))).toBe(true);
  });

  it('names an index that is beyond, and leaves into as it was', async () => {
    const wrong = order.slice();
    wrong[count - 2] = 1000;
    const into = new Float64Array(count);
    const call = gather(source, wrong, { into });
    await expect(call).rejects.toThrow(`element ${count - 2} is 1000`);
    expect(into.every((value) => value === 0)).toBe(true);
  });

  it('leaves rows to a backend that moves them', async () => {
    const moving = fake('cpu', {
      async gather({ moves }) {
        moves[0]?.target.fill(7 as never);
        return true;
      },
    });
    const sorter = await createSorter({ backends: [builtin(), moving] });
    expect((await sorter.gather(source, order)).every((value) => value === 7)).toBe(true);
    // Few rows are moved here.
    const few = order.slice(0, 9);
    const picked = bitsOf(pickBits(source, few));
    expect(areEqual(bitsOf(await sorter.gather(source, few)), picked)).toBe(true);
    await sorter.close();
  });

  it('goes on without a backend whose threads fail, and says so', async () => {
    const warnings: string[] = [];
    let calls = 0;
    const broken = fake('cpu', {
      async gather({ moves }) {
        calls++;
        moves[0]?.target.fill(1 as never);
        throw new BackendFailedError('cpu', 'a thread stopped');
      },
    });
    const onWarning = ({ code }: { code: string }): unknown => warnings.push(code);
    const sorter = await createSorter({ backends: [broken, builtin()], onWarning });
    expect(areEqual(bitsOf(await sorter.gather(source, order)), expected)).toBe(true);
    // It rests now.
    expect(areEqual(bitsOf(await sorter.gather(source, order)), expected)).toBe(true);
    expect([calls, warnings]).toEqual([1, ['cpu-failed']]);
    await sorter.close();
  });
});

/** Bit for bit: assignments may change the bits of a NaN. */
function pickBits(source: KeyArray, rows: Uint32Array): KeyArray {
  const words = traitsOf(source).bits === 64 ? 2 : 1;
  const picked = emptyLike(source, rows.length);
  const [from, to] = [bitsOf(source), bitsOf(picked)];
  rows.forEach((row, i) => {
    for (let word = 0; word < words; word++) {
      to[words * i + word] = from[words * row + word] as number;
    }
  });
  return picked;
}

describe('errors', () => {
  const keys = Float32Array.of(3, 1, 2);
  const order = Uint32Array.of(2, 0);
  const other = keys.slice();
  const room = new Float32Array(4);

  it.each<[string, () => Promise<unknown>, new () => Error, RegExp]>([
    ['keys that are none', () => topK([1] as never, 1), TypeError, /^keys must be a typed array/],
    ['k that is no number', () => topK(keys, '1' as never), TypeError, /^k must be a number/],
    ['k below 0', () => topK(keys, -1), RangeError, /^k must be a whole number, 0 or more, got -1/],
    ['half a k', () => select(keys, 0.5), RangeError, /whole number/],
    ['k behind the keys', () => select(keys, 3), RangeError, /^k must be below the 3 keys, got 3/],
    ['an option', () => topK(keys, 1, { stable: 1 } as never), TypeError, /no 'stable'/],
    ['an order', () => topK(keys, 1, { order: 'up' as never }), TypeError, /^order must be/],
    ['a stride', () => gather(keys, order, { stride: 2 }), RangeError, /multiple of stride 2 long/],
    ['no stride', () => gather(keys, order, { stride: 0 }), RangeError, /^stride must be a whole/],
    ['no order', () => gather(keys, undefined as never), TypeError, /^order must be a Uint32Array/],
    [
      'an index',
      () => gather(keys, Uint32Array.of(3)),
      RangeError,
      /below the 3 rows: element 0 is 3/,
    ],
    ['a class', () => gather(keys, order, { into: order as never }), TypeError, /class of source/],
    ['room', () => gather(keys, order, { into: new Float32Array(1) }), RangeError, /room for 2/],
    ['overlap', () => gather(keys, order, { into: keys }), TypeError, /overlap neither/],
    [
      'an overlap with the order',
      () => gather(Uint32Array.of(7, 8, 9), order, { into: order }),
      TypeError,
      /overlap neither source nor order/,
    ],
    [
      'a source of a list',
      () => gather([keys, [1]] as never, order),
      TypeError,
      /^source\[1\] must be a typed array/,
    ],
    [
      'a list of strides',
      () => gather([keys, keys], order, { stride: [1] }),
      TypeError,
      /^stride must have one element for each of 2 sources/,
    ],
    [
      'a list of results',
      () => gather([keys, keys], order, { into: keys as never }),
      TypeError,
      /^into must have one element/,
    ],
    [
      'an array to write that is another source',
      () => gather([keys, other], order, { into: [other, keys.slice()] }),
      TypeError,
      /overlap neither one another/,
    ],
    [
      'an array to write that is written twice',
      () => gather([keys, other], order, { into: [room, room] }),
      TypeError,
      /overlap neither one another/,
    ],
    [
      'arrays to write that share memory',
      () => gather([keys, other], order, { into: [room, room.subarray(1)] }),
      TypeError,
      /overlap neither one another/,
    ],
  ])('name %s', async (_, call, type, message) => {
    const error = await call().catch((error: unknown) => error);
    expect(error).toBeInstanceOf(type);
    expect((error as Error).message).toMatch(message);
  });

  it('leave into as it was', async () => {
    const into = Float32Array.of(7, 7);
    await expect(gather(keys, Uint32Array.of(0, 9), { into })).rejects.toThrow(RangeError);
    expect(into).toEqual(Float32Array.of(7, 7));
  });

  it('come from signals and closed sorters, too', async () => {
    const sorter = await createSorter();
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(sorter.topK(keys, 1, { signal })).rejects.toThrow('enough');
    await expect(sorter.select(keys, 1, { signal })).rejects.toThrow('enough');
    await sorter.close();
    await expect(sorter.topK(keys, 1)).rejects.toThrow(ClosedError);
    await expect(sorter.gather(keys, order)).rejects.toThrow(ClosedError);
  });
});

describe.each([5, 2 ** 15])('of %i keys that another call sorts', (length) => {
  it.each(['topK', 'select'] as const)('%s waits for it', async (call) => {
    let finish = (): void => {};
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const slow = fake('cpu', {
      async sort(request) {
        await finished;
        return builtin().sort(request);
      },
    });
    const sorter = await createSorter({ backends: [slow, builtin()] });
    const keys = random.fill(new Uint32Array(length));
    const sorting = sorter.sort(keys, { backend: 'cpu' });
    let isDone = false;
    const selecting = sorter[call](keys, 1, { backend: 'builtin' }).then(() => {
      isDone = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(isDone).toBe(false);
    finish();
    await Promise.all([sorting, selecting]);
    await sorter.close();
  });
});
