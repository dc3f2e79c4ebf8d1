/** Prepared columns, beside the columns that they were made of. */

import { ARRAY_CLASSES, fillSpecial, isThorough, runSeed } from '@keysweep/conformance/data';
import { FIELD_ROWS } from '@keysweep/core';
import {
  argsort,
  type Column,
  type ColumnOptions,
  createSorter,
  type PreparedColumn,
  prepare,
  type SortReport,
  sort,
} from 'keysweep';
import { argsortSync } from 'keysweep/sync';
import { describe, expect, it } from 'vitest';
import { testRandom } from '../../../../tools/test/random.js';
import { isSame } from '../fakes.js';

const SEED = runSeed();
const random = testRandom();
const chance = (of: number): boolean => random.below(of) === 0;
const oneOf = <T>(choices: readonly T[]): T => choices[random.below(choices.length)] as T;

const ORDERS = ['ascending', 'descending'] as const;
const ENDS = ['first', 'last'] as const;

const words = (rows: number): string[] =>
  Array.from({ length: rows }, () => oneOf(['Émile', 'emile', 'Zoë', 'zoe', '', 'ﬁ', 'é']));

/** Keys of every kind, with all that a description may say of them. */
function columnOf(rows: number): ColumnOptions {
  const kind = random.below(5);
  const valid = random.fill(new Uint8Array(Math.ceil(rows / 8)));
  const bytes = random.fill(new Uint8Array(3 * rows));
  const halves = random.fill(new Uint16Array(rows));
  const numbers = oneOf(ARRAY_CLASSES).create(rows);
  fillSpecial(numbers, random);
  const columns: readonly ColumnOptions[] = [
    { keys: numbers, zeros: oneOf(['equal', 'ordered']) },
    { keys: numbers, nans: oneOf(ENDS) },
    { keys: words(rows), ...(chance(2) && { collator: new Intl.Collator('fr') }) },
    { keys: { width: 3, bytes } },
    { keys: halves, as: 'f16', ...(chance(2) && { nans: oneOf(ENDS) }) },
  ];
  return {
    ...(columns[kind] as ColumnOptions),
    ...(chance(2) && { valid }),
    ...(chance(2) && { order: oneOf(ORDERS) }),
    ...(chance(2) && { nulls: oneOf(ENDS) }),
  };
}

describe(`a prepared column (KEYSWEEP_SEED=${SEED})`, () => {
  it('orders rows as the column does that it was made of', async () => {
    for (let i = 0; i < (isThorough ? 150 : 50); i++) {
      const rows = oneOf([0, 1, 2, 30, 400, 3000]);
      const column = columnOf(rows);
      const prepared = await prepare(column);
      expect(prepared.length).toBe(rows);
      expect(prepared.byteLength).toBe(prepared.ranks.byteLength);
      const copy = structuredClone(prepared);
      for (const order of [undefined, ...ORDERS]) {
        const expected = await argsort(column, { order: order ?? 'ascending' });
        expect(await argsort(prepared, order && { order })).toEqual(expected);
        expect(argsortSync(copy, order && { order })).toEqual(expected);
        const nulls = oneOf(ENDS);
        const own = { ...(order && { order }), nulls };
        const again = { keys: copy, ...own };
        const minor = random.fill(new Uint8Array(rows));
        const both = await argsort([{ ...column, ...own }, minor]);
        expect(await argsort([again, minor])).toEqual(both);
        expect(argsortSync([minor, await prepare(again)])).toEqual(
          argsortSync([minor, { ...column, ...own }]),
        );
      }
    }
  });

  it.each(
    ORDERS.flatMap((order) =>
      ENDS.flatMap((nulls) => ENDS.map((nans) => ({ order, nulls, nans }))),
    ),
  )('keeps NaNs and nulls apart: $order, nulls $nulls, NaNs $nans', async (own) => {
    const keys = Float64Array.of(1, Number.NaN, 5, Number.NaN, 5, 2, Number.NaN, 3);
    // Rows 0 and 4 have no value, nor has row 3, a NaN.
    const column = { keys, valid: Uint8Array.of(0b1110_0110), ...own };
    const ends = { nulls: [0, 3, 4], nans: [1, 6] };
    const values = own.order === 'ascending' ? [5, 7, 2] : [2, 7, 5];
    const before = own.nans === 'first' ? [...ends.nans, ...values] : [...values, ...ends.nans];
    const rows = own.nulls === 'first' ? [...ends.nulls, ...before] : [...before, ...ends.nulls];
    const prepared = await prepare(column);
    expect(await argsort(prepared)).toEqual(Uint32Array.from(rows));
    expect(argsortSync(prepared)).toEqual(Uint32Array.from(rows));
  });

  it('orders as many rows as threads sort', async () => {
    const collator = new Intl.Collator('de', { sensitivity: 'accent' });
    const keys = Array.from({ length: 150_000 }, () => `${oneOf(words(9))} ${random.below(9999)}`);
    const prepared = await prepare({ keys, collator });
    const rows = Array.from(keys.keys()).sort((a, b) =>
      collator.compare(keys[a] as string, keys[b] as string),
    );
    expect(await argsort(prepared)).toEqual(Uint32Array.from(rows));
  });

  it.each([
    [2 ** 16, Uint16Array],
    [2 ** 16 + 1, Uint32Array],
  ])('has a rank for each of %i values and nulls', async (count, Ranks) => {
    const rows = 3 * 2 ** 15;
    for (const hasNull of [false, true]) {
      const values = count - Number(hasNull);
      const keys = Uint32Array.from({ length: rows }, (_, row) => (7 * row) % values);
      const valid = new Uint8Array(rows / 8).fill(0xff);
      // The last row is one of those whose value is there twice.
      if (hasNull) valid[valid.length - 1] = 0x7f;
      const prepared = await prepare({ keys, ...(hasNull && { valid }) });
      expect(prepared.ranks).toBeInstanceOf(Ranks);
      expect(prepared.values).toBe(values);
      expect(prepared.hasNulls).toBe(hasNull);
      const expected = Array.from(keys.keys()).sort((a, b) => {
        const isNull = (row: number): number => Number(hasNull && row === rows - 1);
        return isNull(a) - isNull(b) || (keys[a] as number) - (keys[b] as number);
      });
      expect(isSame(await argsort(prepared), Uint32Array.from(expected))).toBe(true);
    }
  });

  it('gives rows that tie one rank, and every row its own, in however many slices', async () => {
    const length = 2 * FIELD_ROWS + 7;
    // A value's number is its rank. Most rows of the order have the same value as the one before.
    const ranks = Uint16Array.from({ length }, () => random.below(5));
    const columns: readonly ColumnOptions[] = [
      { keys: ranks },
      { keys: Float64Array.from(ranks, (rank) => rank + 0.5) },
      { keys: Array.from(ranks, (rank) => `${rank}`) },
      { keys: Array.from(ranks, (rank) => 'abcde'[rank] as string), collator: new Intl.Collator() },
    ];
    for (const column of columns) {
      const prepared = await prepare(column);
      expect(prepared.values).toBe(5);
      expect(prepared.ranks.every((rank, row) => rank === ranks[row])).toBe(true);
    }
    const all = BigInt64Array.from(ranks.keys(), (row) => -BigInt(row) << 32n);
    const own = (await prepare(all)).ranks;
    expect(own.every((rank, row) => rank === length - 1 - row)).toBe(true);
    const texts = Array.from(own, (rank) => `${rank}`.padStart(7, '0'));
    const ofTexts = (await prepare({ keys: texts })).ranks;
    expect(ofTexts.every((rank, row) => rank === own[row])).toBe(true);
  });

  it('without ties places each row by its rank, and sorts where a backend is named', async () => {
    const rows = 3000;
    // One row without a value, one NaN, and all others different.
    const keys = Float64Array.from({ length: rows }, (_, row) => (7 * row) % 3001);
    keys[random.below(rows - 1)] = Number.NaN;
    const valid = new Uint8Array(rows / 8).fill(0xff);
    valid[valid.length - 1] = 0x7f;
    const reasons: string[] = [];
    const onReport = ({ reason }: SortReport): void => void reasons.push(reason);
    for (const nulls of ENDS) {
      for (const nans of ENDS) {
        for (const order of ORDERS) {
          const column = { keys, valid, nulls, nans, order };
          const prepared = await prepare(column);
          const expected = argsortSync(column);
          expect(isSame(await argsort(prepared, { onReport }), expected)).toBe(true);
          expect(isSame(argsortSync(prepared), expected)).toBe(true);
        }
      }
    }
    expect(new Set(reasons)).toEqual(new Set(['each rank is a place']));
    const prepared = await prepare({ keys });
    const out = new Uint32Array(rows + 2).fill(9);
    const placed = await argsort(prepared, { out, onReport });
    expect(reasons.at(-1)).toBe('each rank is a place');
    const named = await argsort(prepared, { backend: 'builtin', onReport });
    expect(reasons.at(-1)).not.toBe('each rank is a place');
    expect(placed).toEqual(named);
    expect([...out.subarray(rows)]).toEqual([9, 9]);
  });

  it('whose ranks were changed is sorted by what they are now', async () => {
    for (const change of [0, 17, 2 ** 32 - 1]) {
      const prepared = await prepare({ keys: Uint32Array.from({ length: 100 }, (_, i) => 99 - i) });
      (prepared.ranks as Uint16Array | Uint32Array)[random.below(100)] = change;
      for (const order of ORDERS) {
        const expected = await argsort(prepared.ranks, { order });
        expect(await argsort(prepared, { order })).toEqual(expected);
        expect(argsortSync(prepared, { order })).toEqual(expected);
      }
    }
  });

  it('is a snapshot, and plain keys may be prepared, too', async () => {
    const keys = Float64Array.of(2, Number.NaN, -0, 0);
    const list = ['b', 'a'];
    const [numbers, strings] = [await prepare(keys), await prepare({ keys: list })];
    keys.fill(0);
    list.reverse();
    expect(await argsort(numbers)).toEqual(Uint32Array.of(2, 3, 0, 1));
    expect(await argsort([strings])).toEqual(Uint32Array.of(1, 0));
  });

  it('is made by a sorter, until it is closed or its signal aborts', async () => {
    const sorter = await createSorter();
    const prepared = await sorter.prepare(Uint8Array.of(3, 1, 2));
    expect(await sorter.argsort(prepared)).toEqual(Uint32Array.of(1, 2, 0));
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(sorter.prepare(Uint8Array.of(1), { signal })).rejects.toThrow('enough');
    await sorter.close();
    await expect(sorter.prepare(new Uint8Array(5000))).rejects.toThrow(/closed/);
  });

  it.each([
    [[new Uint8Array(1)], /^prepare takes one column, got a list/],
    [['a'], /the column \{ keys: list \}/],
    ['a', /^keys must be a typed array or a column/],
    [undefined, /^keys must be a typed array or a column/],
    [{ keys: [1] }, /^keys\.keys must hold strings only/],
  ])('is not made of %j', async (column, message) => {
    await expect(prepare(column as unknown as Column)).rejects.toThrow(TypeError);
    await expect(prepare(column as unknown as Column)).rejects.toThrow(message);
  });

  it('is refused if it was changed, or described as it cannot be', async () => {
    const prepared = await prepare({ keys: ['b', 'a'] });
    const broken = [
      [{ ...prepared, ranks: [1, 0] }, /^keys\.ranks must be a typed array/],
      [{ ...prepared, length: 3 }, /^keys must be as prepare\(\) has made it/],
      [{ keys: prepared, nans: 'first' }, /^keys has 'nans', but a description of a prepared/],
      [{ keys: prepared, order: 'up' }, /^keys\.order must be 'ascending' or 'descending'/],
    ] as const;
    for (const [column, message] of broken) {
      await expect(argsort(column as unknown as PreparedColumn)).rejects.toThrow(message);
      expect(() => argsortSync(column as unknown as PreparedColumn)).toThrow(TypeError);
    }
    await expect(sort(prepared as never)).rejects.toThrow(/only argsort takes columns/);
    await expect(argsort(prepared, { precision: 16 })).rejects.toThrow(TypeError);
  });
});
