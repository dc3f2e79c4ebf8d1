/** argsort of chosen rows, into an array of the caller's, and by the leading bits of a range. */

import {
  ARRAY_CLASSES,
  fillSpecial,
  fillWithBits,
  runSeed,
  sample,
} from '@keysweep/conformance/data';
import { assertSameBits } from '@keysweep/conformance/verify';
import {
  emptyLike,
  type KeyArray,
  keysToWords,
  keyTransform,
  type SortRequest,
  traitsOf,
} from '@keysweep/core';
import { oraclePermutation } from '@keysweep/core/oracle';
import { cpu } from '@keysweep/cpu';
import {
  type ArgsortOptions,
  argsort,
  builtin,
  createSorter,
  type SortReport,
  sort,
} from 'keysweep';
import { argsortSync } from 'keysweep/sync';
import { describe, expect, it } from 'vitest';
import { drawTests } from '../../../../tools/test/draw-tests.js';
import { testRandom } from '../../../../tools/test/random.js';
import { fake } from '../fakes.js';

drawTests(1 / 2);

const SEED = runSeed();

type Argsort = (keys: KeyArray | readonly KeyArray[], options: object) => Promise<Uint32Array>;

const CALLS: readonly (readonly [name: string, argsort: Argsort])[] = [
  ['argsortSync', async (keys, options) => argsortSync(keys, options)],
  ['argsort', argsort],
];

const random = testRandom();

const randomIndices = (count: number, length: number): Uint32Array =>
  Uint32Array.from({ length: count }, () => random.below(length));

const pick = (keys: KeyArray, indices: Uint32Array): KeyArray => {
  const picked = emptyLike(keys, indices.length);
  indices.forEach((row, i) => {
    picked[i] = keys[row] as never;
  });
  return picked;
};

/** Rows in the order of their keys, ties as they are in `indices`. */
const expectedRows = (columns: readonly KeyArray[], indices: Uint32Array, order = 'ascending') =>
  oraclePermutation(
    columns.map((keys) => pick(keys, indices)),
    { order: order as 'ascending' },
  ).map((i) => indices[i] as number);

describe.each(CALLS)(`%s of rows (KEYSWEEP_SEED=${SEED})`, (_, argsort) => {
  it.each(ARRAY_CLASSES)('orders chosen rows of $name, repeats too', async (arrayClass) => {
    for (const [length, count] of [
      [1, 5],
      [100, 20],
      [2000, 1000],
    ] as const) {
      const keys = arrayClass.create(length);
      fillSpecial(keys, random);
      const indices = randomIndices(count, length);
      const before = indices.slice();
      for (const order of ['ascending', 'descending'] as const) {
        const rows = await argsort(keys, { indices, order });
        expect(rows).toEqual(expectedRows([keys], indices, order));
        expect(rows).not.toBe(indices);
        expect(indices).toEqual(before);
      }
    }
  });

  it('orders chosen rows of columns, and no rows', async () => {
    const columns = [new Uint8Array(1000), new Float64Array(1000)];
    for (const column of columns) fillSpecial(column, random);
    const indices = randomIndices(700, 1000);
    expect(await argsort(columns, { indices })).toEqual(expectedRows(columns, indices));
    expect(await argsort(columns, { indices: new Uint32Array(0) })).toEqual(new Uint32Array(0));
  });

  it('writes into out, into indices, and returns what it wrote', async () => {
    for (const length of [10, 2000]) {
      const keys = random.fill(new Uint32Array(length));
      const expected = oraclePermutation([keys]);
      const out = new Uint32Array(length);
      expect(await argsort(keys, { out })).toBe(out);
      expect(out).toEqual(expected);

      const longer = new Uint32Array(length + 7).fill(9);
      const result = await argsort(keys, { out: longer });
      expect(result.buffer).toBe(longer.buffer);
      expect(result).toEqual(expected);
      expect(longer.subarray(length)).toEqual(new Uint32Array(7).fill(9));

      const indices = randomIndices(length, length);
      const rows = expectedRows([keys], indices);
      expect(await argsort(keys, { indices, out: indices })).toBe(indices);
      expect(indices).toEqual(rows);

      const segments = Uint32Array.of(0, 4);
      const shared = new Uint32Array(new SharedArrayBuffer(4 * length));
      expect(await argsort(keys, { segments, out: shared })).toBe(shared);
      expect(shared).toEqual(oraclePermutation([keys], { segments }));
    }
  });

  it.each([16, 24])('orders by %i bits of the range at least', async (precision) => {
    for (const { name, create } of ARRAY_CLASSES) {
      for (const [fill, length] of [
        [fillWithBits, 1500],
        [fillSpecial, 500],
      ] as const) {
        const keys = create(length);
        fill(keys, random);
        const indices = randomIndices(length, length);
        for (const order of ['ascending', 'descending'] as const) {
          const column = random.below(2) === 0 ? keys : { keys };
          const rows = await argsort(column as KeyArray, { precision, order, indices });
          expect(rows.slice().sort(), name).toEqual(indices.slice().sort());
          const codes = codesOf(keys, indices, precision);
          const sign = order === 'ascending' ? 1 : -1;
          const falls = Array.from(rows, (row) => sign * (codes.get(row) as number)).some(
            (code, i, all) => i > 0 && code < (all[i - 1] as number),
          );
          expect(falls, `${name}, ${order}`).toBe(false);
          // The same in every run, and by the other function.
          expect(rows).toEqual(argsortSync(column, { precision: precision as 16, order, indices }));
        }
      }
    }
  });

  it('counts the rows of a frame by 16 bits, into out', async () => {
    const length = 2 ** 16 + 100;
    for (const { name, create } of sample(ARRAY_CLASSES, 3)) {
      const keys = create(length);
      fillSpecial(keys, random);
      const all = Uint32Array.from(keys.keys());
      const shuffled = oraclePermutation([random.fill(new Uint32Array(length))]);
      const chosen = randomIndices(length, length);
      for (const indices of [undefined, shuffled, chosen]) {
        const order = random.below(2) === 0 ? 'ascending' : 'descending';
        const out = new Uint32Array(length + 1);
        const options = { precision: 16, order, out, ...(indices ? { indices } : {}) };
        const result = await argsort(keys, options);
        expect(result.buffer).toBe(out.buffer);
        assertSameBits('rows', result.slice().sort(), (indices ?? all).slice().sort());
        const codes = codesOf(keys, indices ?? all, 16);
        const sign = order === 'ascending' ? 1 : -1;
        const inOrder = Array.from(result, (row) => sign * (codes.get(row) as number));
        const falls = inOrder.some((code, i) => i > 0 && code < (inOrder[i - 1] as number));
        expect(falls, `${name}, ${order}`).toBe(false);
        // Rows that tie come as they are numbered, or as those of them that were chosen.
        if (keys.BYTES_PER_ELEMENT > 2) continue;
        const rows = indices === chosen ? chosen : all;
        assertSameBits('rows', result, expectedRows([keys], rows, order));
      }
    }
  });

  it.each([32, 33, 65, 79])('takes %i indices for all rows only where they are', async (length) => {
    const keys = random.fill(new Uint32Array(length));
    const all = Uint32Array.from(keys.keys());
    for (const [at, row] of [
      [0, length - 1],
      [length - 1, 0],
      [length - 1, 1],
    ] as const) {
      const indices = all.with(at, row);
      const rows = await argsort(keys, { precision: 16, indices });
      expect(rows.slice().sort()).toEqual(indices.slice().sort());
      const beyond = argsort(keys, { precision: 16, indices: all.with(at, length) });
      await expect(beyond).rejects.toThrow(/^indices must be below/);
    }
    const rows = await argsort(keys, { precision: 16, indices: all.toReversed() });
    expect(rows.slice().sort()).toEqual(all);
    // Ties come as they are numbered: the order of the indices was not followed.
    const ties = keys.map((_, i) => i & 1);
    const order = await argsort(ties, { precision: 16, indices: all.toReversed() });
    expect(order).toEqual(await argsort(ties, {}));
  });

  it('takes all bits of a narrow range, whatever the precision', async () => {
    const wide = Uint32Array.of(0x8000_0001, 0x8000_0000, 0, 2 ** 32 - 1);
    const narrow = wide.map((key) => 4_000_000_000 + (key & 1));
    expect(await argsort(narrow, { precision: 16 })).toEqual(Uint32Array.of(1, 2, 0, 3));
    const keyBits = { begin: 0, end: 1 };
    expect(await argsort(wide, { precision: 16, keyBits })).toEqual(Uint32Array.of(1, 2, 0, 3));
  });

  it('rejects what it does not take, and writes nothing', async () => {
    const keys = random.fill(new Uint32Array(100));
    const out = new Uint32Array(100).fill(7);
    const wrong: readonly [object, new () => Error, RegExp][] = [
      [{ indices: [1, 2] }, TypeError, /^indices must be a Uint32Array, got an Array of 2/],
      [{ indices: Uint32Array.of(5, 100), out }, RangeError, /^indices must be below the 100 rows/],
      [{ indices: out, segments: Uint32Array.of(0) }, TypeError, /indices and segments/],
      [{ out: new Int32Array(100) }, TypeError, /^out must be a Uint32Array/],
      [{ out: out.subarray(1) }, RangeError, /^out must have room for 100 indices, it has 99/],
      [{ out: keys }, TypeError, /^out must not overlap the keys/],
      [{ indices: out.subarray(0, 50), out }, TypeError, /^out must be indices, or not overlap/],
      [{ precision: 8 }, TypeError, /^precision must be 16 or 24, got the number 8/],
    ];
    for (const [options, type, message] of wrong) {
      const error = await argsort(keys, options).catch((error: unknown) => error);
      expect(error).toBeInstanceOf(type);
      expect((error as Error).message).toMatch(message);
    }
    await expect(argsort([keys, keys], { precision: 16 })).rejects.toThrow(/one column of keys/);
    expect(out).toEqual(new Uint32Array(100).fill(7));
  });
});

/** `(word − min) >> max(0, bits of (max − min) − precision)` of each row. */
function codesOf(keys: KeyArray, indices: Uint32Array, precision: number): Map<number, number> {
  const traits = traitsOf(keys);
  const words = keysToWords(keys, traits);
  const isWide = traits.bits === 64;
  const { ceiling } = keyTransform(traits.keyType);
  // Numbers are compared with a number, which takes less time than with a bigint.
  const highest = isWide ? ceiling : Number(ceiling);
  const wordOf = (row: number): number | bigint => {
    const low = words[isWide ? 2 * row : row] as number;
    const word = isWide ? BigInt(low) | (BigInt(words[2 * row + 1] as number) << 32n) : low;
    // All NaNs are ties.
    return word < highest ? word : highest;
  };
  const all = new Map<number, number | bigint>();
  for (const row of indices) all.set(row, wordOf(row));
  let [least, most] = [wordOf(indices[0] as number), wordOf(indices[0] as number)];
  for (const word of all.values()) {
    if (word < least) least = word;
    if (word > most) most = word;
  }
  const range = BigInt(most) - BigInt(least);
  const shift = Math.max(0, range.toString(2).length - precision);
  const codeOf = (word: number | bigint): number =>
    typeof word === 'number'
      ? Math.floor((word - (least as number)) / 2 ** shift)
      : Number((word - (least as bigint)) >> BigInt(shift));
  const codes = new Map<number, number>();
  for (const [row, word] of all) codes.set(row, codeOf(word));
  return codes;
}

it('locks indices and out, reports once out is written, and rejects before it', async () => {
  const keys = random.fill(new Uint32Array(5000));
  const out = new Uint32Array(5000);
  let reported: SortReport | undefined;
  const onReport = (report: SortReport): void => {
    expect(out).toEqual(oraclePermutation([keys]));
    reported = report;
  };
  const sorting = argsort(keys, { out, onReport } satisfies ArgsortOptions);
  expect(() => argsortSync(new Uint8Array(3), { out })).toThrow(/still at work on this memory/);
  expect(() => argsortSync(new Uint8Array(5001), { indices: out })).toThrow(/still at work/);
  await sorting;
  expect(reported).toMatchObject({ operation: 'argsort', length: 5000, keyType: 'u32' });

  // One that waits sees what the one before wrote.
  const indices = randomIndices(500, 5000);
  const rows = expectedRows([keys], indices);
  const first = argsort(keys, { indices, out: indices });
  const second = argsort(keys, { indices, order: 'descending' });
  expect(await first).toEqual(rows);
  expect(await second).toEqual(expectedRows([keys], rows, 'descending'));

  const sorter = await createSorter();
  const controller = new AbortController();
  const before = out.slice();
  const aborted = sorter.argsort(keys, { out, order: 'descending', signal: controller.signal });
  controller.abort(new Error('enough'));
  await expect(aborted).rejects.toThrow('enough');
  expect(out).toEqual(before);
  const detached = sorter.argsort(keys, { out });
  structuredClone(out.buffer, { transfer: [out.buffer] });
  await expect(detached).rejects.toThrow(/^out has lost its memory/);
  await sorter.close();
  await sort(keys);
});

describe('memory that is taken away while a backend sorts', () => {
  const take = ({ buffer }: Uint32Array): void => {
    structuredClone(buffer, { transfer: [buffer as ArrayBuffer] });
  };
  /** A sorter whose backend has the caller take `taken` away before it answers. */
  const sorterThatLoses = (taken: Uint32Array) => {
    const serve = builtin();
    const sort = async (request: SortRequest) => {
      const outcome = await serve.sort(request);
      take(taken);
      return outcome;
    };
    return createSorter({ backends: [fake('cpu', { sort })] });
  };
  const keys = Uint32Array.of(3, 1, 2);

  it.each(['indices', 'out'] as const)('is told of: %s', async (name) => {
    const arrays = { indices: Uint32Array.of(2, 0), out: new Uint32Array(3) };
    const sorter = await sorterThatLoses(arrays[name]);
    const sorting = sorter.argsort(keys, arrays);
    await expect(sorting).rejects.toThrow(TypeError);
    await expect(sorting).rejects.toThrow(new RegExp(`^${name} was detached`));
    await sorter.close();
  });

  it('is told if indices may be all rows, whose keys are then sorted as they are', async () => {
    const indices = Uint32Array.of(2, 0, 1);
    const sorter = await sorterThatLoses(indices);
    const sorting = sorter.argsort(keys, { indices, precision: 16 });
    await expect(sorting).rejects.toThrow(/^indices was detached/);
    await sorter.close();
  });

  it('is told of where columns are described, too', async () => {
    const texts = Array.from({ length: 300 }, (_, row) => `${row}`);
    const indices = Uint32Array.from(texts.keys());
    const sorter = await sorterThatLoses(indices);
    const sorting = sorter.argsort({ keys: texts }, { indices });
    await expect(sorting).rejects.toThrow(/^indices was detached/);
    await sorter.close();
  });
});

describe.each([
  ['threads', () => cpu({ threads: 2, threadsFrom: 0 })],
  ["the runtime's own sort", builtin],
])('indices of a frame, by %s', (_, backend) => {
  it('are all rows or others, and out is written once that is known', async () => {
    const sorter = await createSorter({ backends: [backend()] });
    const length = 2 ** 18 + 1;
    const keys = Float32Array.from({ length }, () => random.unit());
    const codes = codesOf(keys, Uint32Array.from(keys.keys()), 16);
    const codeOf = (row: number): number => codes.get(row) as number;
    const shuffled = oraclePermutation([random.fill(new Uint32Array(length))]);
    const reports: SortReport[] = [];
    const onReport = (report: SortReport): void => {
      reports.push(report);
    };
    const options = { precision: 16, onReport } as const;
    const [first, last] = [shuffled[0] as number, shuffled.at(-1) as number];
    const repeated = shuffled.with(-1, first);
    for (const indices of [shuffled, repeated]) {
      const out = indices.slice();
      expect(await sorter.argsort(keys, { ...options, indices: out, out })).toBe(out);
      const falls = out.some((row, i) => i > 0 && codeOf(row) < codeOf(out[i - 1] as number));
      expect(falls).toBe(false);
      assertSameBits('rows', out.slice().sort(), indices.slice().sort());
      expect(out.includes(last)).toBe(indices === shuffled);
    }
    expect(reports.map(({ length }) => length)).toEqual([length, length]);
    const beyond = shuffled.with(length >> 1, length);
    const before = beyond.slice();
    const sorting = sorter.argsort(keys, { ...options, indices: beyond, out: beyond });
    await expect(sorting).rejects.toThrow(/^indices must be below the 262145 rows/);
    assertSameBits('out', beyond, before);
    expect(reports).toHaveLength(2);
    await sorter.close();
  });
});
