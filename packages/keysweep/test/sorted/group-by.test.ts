/** Groups of rows by columns of every kind, beside texts that name what a row has. */

import { prepare } from 'keysweep';
import * as sorted from 'keysweep/sorted';
import { describe, expect, it } from 'vitest';
import { chance, oneOf, random, SEED } from '../draws.js';
import { both, ORDERS } from './sorted-oracle.js';

describe(`groupBy (KEYSWEEP_SEED=${SEED})`, () => {
  it('does not see what becomes of its columns while it is at work', async () => {
    const make = () => {
      const numbers = Float64Array.from({ length: 9000 }, (_, i) => (7 * i) % 13);
      const texts = Array.from({ length: 9000 }, (_, i) => `${(5 * i) % 3}`);
      const valid = new Uint8Array(1125).fill(0b1101_1111);
      const bytes = new Uint8Array(9000).map((_, i) => i % 2);
      return { numbers, texts, valid, columns: [{ keys: numbers, valid }, { keys: texts }, bytes] };
    };
    const expected = sorted.groupBySync(make().columns);
    const { numbers, texts, valid, columns } = make();
    const grouping = sorted.groupBy(columns);
    numbers.fill(0);
    texts.fill('x');
    valid.fill(0);
    (columns[2] as Uint8Array).fill(1);
    Object.assign(columns[1] as object, { order: 'descending' });
    columns.reverse();
    expect(await grouping).toEqual(expected);
  });

  it('sees each first row of a group, wherever a slice of rows begins', async () => {
    const slice = 2 ** 15;
    for (const begin of [slice - 1, slice, slice + 1]) {
      const keys = Uint8Array.from({ length: slice + 9 }, (_, i) => Number(i >= begin));
      const starts = Uint32Array.of(0, begin, keys.length);
      const texts = Array.from(keys, (key) => (key === 0 ? 'a' : 'b'));
      for (const column of [keys, BigInt64Array.from(keys, BigInt), { keys: texts }]) {
        const groups = await sorted.groupBy(column);
        expect(Buffer.from(groups.starts.buffer).equals(Buffer.from(starts.buffer))).toBe(true);
      }
    }
  });

  it('groups by several described columns', async () => {
    for (let round = 0; round < 60; round++) {
      const length = oneOf([0, 1, 5, 99, 100, 1000]);
      const values = [-1.5, -0, 0, 2, Number.NaN, 7];
      const floats = oneOf([Float64Array, Float32Array] as const).from(
        Array.from({ length }, () => oneOf(values)),
      );
      const texts = Array.from({ length }, () => oneOf(['', 'a', 'b', 'ab', 'a\0']));
      const bits = random.fill(new Uint8Array(Math.ceil(length / 8)));
      const bigs = BigInt64Array.from({ length }, () =>
        oneOf([-1n, 0n, 2n ** 40n, 2n ** 40n + 1n]),
      );
      const halves = Uint16Array.from({ length }, () => oneOf([0, 0x8000, 0x7e00, 0xfe01, 0x3c00]));
      const described = () => ({
        ...(chance(2) && { order: oneOf(ORDERS) }),
        ...(chance(2) && { nulls: oneOf(['first', 'last'] as const) }),
        ...(chance(2) && { valid: bits }),
      });
      const float = () => ({
        ...described(),
        ...(chance(2) && { nans: oneOf(['first', 'last'] as const) }),
        ...(chance(2) && { zeros: oneOf(['equal', 'ordered'] as const) }),
      });
      const columns = [
        { keys: floats, ...float() },
        { keys: texts, ...described() },
        { keys: halves, as: 'f16' as const, ...float() },
        bigs,
      ].filter(() => chance(2));
      if (columns.length === 0) columns.push(bigs);
      const order = oneOf(ORDERS);
      const groups = await both(sorted.groupBy(columns, { order }), () =>
        sorted.groupBySync(columns, { order }),
      );
      const { argsort } = await import('keysweep');
      expect(groups.order).toEqual(await argsort(columns, { order }));
      // What a row has, as text: rows with the same tie.
      const nameOf = (row: number): string =>
        columns
          .map((column) => {
            const plain = { keys: column, valid: undefined, zeros: undefined, as: undefined };
            const own = column === bigs ? plain : { ...plain, ...column };
            const { keys, valid, zeros, as } = own as typeof plain & { keys: typeof bigs };
            if (valid !== undefined && ((bits[row >> 3] as number) >> (row & 7)) % 2 === 0)
              return 'null';
            let key: unknown = keys[row];
            if (as === 'f16') key = { 0: 0, 32768: -0, 15360: 1 }[key as number] ?? Number.NaN;
            if (Object.is(key, -0)) return zeros === 'equal' ? '0' : '-0';
            return `${typeof key} ${String(key)}`.replace('number ', '');
          })
          .join('|');
      const starts = Array.from(groups.order, (row, i) =>
        i === 0 || nameOf(groups.order[i - 1] as number) !== nameOf(row) ? i : -1,
      ).filter((i) => i >= 0);
      expect(Array.from(groups.starts)).toEqual([...starts, length]);
    }
  });

  it('groups collated strings, prepared columns and nulls among strings', async () => {
    // Words that tie by their base letters alone.
    const bases = { resume: ['resume', 'Résumé', 'RESUME'], zoe: ['Zoë', 'zoe'], '': [''] };
    const baseOf = new Map(
      Object.entries(bases).flatMap(([base, words]) => words.map((word) => [word, base])),
    );
    const collators = {
      base: new Intl.Collator('en', { sensitivity: 'base' }),
      variant: new Intl.Collator('en'),
    };
    for (let round = 0; round < 60; round++) {
      const length = oneOf([0, 1, 5, 99, 100, 1000]);
      const keys = Array.from({ length }, () => oneOf([...baseOf.keys()]));
      const bits = random.fill(new Uint8Array(Math.ceil(length / 8)));
      const by = oneOf(['base', 'variant', undefined] as const);
      const hasNulls = chance(2);
      const nulls = oneOf(['first', 'last'] as const);
      const order = oneOf(ORDERS);
      const column = {
        keys,
        ...(by && { collator: collators[by] }),
        ...(hasNulls && { valid: bits }),
        nulls,
        ...(chance(2) && { order: oneOf(ORDERS) }),
      };
      const isNull = (row: number): boolean =>
        hasNulls && ((bits[row >> 3] as number) >> (row & 7)) % 2 === 0;
      const seen = (row: number): string =>
        by === 'base' ? (baseOf.get(keys[row] as string) as string) : (keys[row] as string);
      const sign = (column.order ?? order) === 'descending' ? -1 : 1;
      const before = (a: number, b: number): number => {
        if (isNull(a) || isNull(b)) {
          return (Number(isNull(a)) - Number(isNull(b))) * (nulls === 'first' ? -1 : 1);
        }
        const compareText =
          by === undefined
            ? (x: string, y: string) => Number(x > y) - Number(x < y)
            : collators[by].compare;
        return sign * compareText(keys[a] as string, keys[b] as string);
      };
      const minor = random.fill(new Uint8Array(length)).map((byte) => byte % 2);
      const minorSign = order === 'descending' ? -1 : 1;
      const rows = keys
        .map((_, row) => row)
        .sort((a, b) => before(a, b) || minorSign * ((minor[a] as number) - (minor[b] as number)));
      const nameOf = (row: number): string =>
        `${isNull(row) ? null : `'${seen(row)}'`} ${minor[row]}`;
      const starts = rows.flatMap((row, i) =>
        i === 0 || nameOf(rows[i - 1] as number) !== nameOf(row) ? [i] : [],
      );
      const expected = {
        order: Uint32Array.from(rows),
        starts: Uint32Array.from([...starts, length]),
      };
      const prepared = await prepare(column);
      const described = { keys: prepared, nulls };
      for (const major of [column, prepared, described, structuredClone(prepared)]) {
        const groups = await both(sorted.groupBy([major, minor], { order }), () =>
          sorted.groupBySync([major, minor], { order }),
        );
        expect(groups).toEqual(expected);
      }
    }
  });
});
