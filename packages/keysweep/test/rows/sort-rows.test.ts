/** Rows that are objects, beside `Array.prototype.toSorted` with a comparator of the contract. */

import { runInNewContext } from 'node:vm';
import { isThorough, runSeed } from '@keysweep/conformance/data';
import {
  argsort,
  argsortRows,
  columnsOf,
  createSorter,
  type RowColumn,
  type RowValue,
  sort,
  sortRows,
  topK,
} from 'keysweep';
import { describe, expect, it } from 'vitest';
import { testRandom } from '../../../../tools/test/random.js';

const SEED = runSeed();
const random = testRandom();
const chance = (of: number): boolean => random.below(of) === 0;
const oneOf = <T>(choices: readonly T[]): T => choices[random.below(choices.length)] as T;

interface Row {
  readonly id: number;
  readonly a: RowValue;
  readonly b: RowValue;
}

/** What values of a kind are like. */
const KINDS: ReadonlyArray<() => RowValue> = [
  () => oneOf([-0, 0, 1.5, -3, Number.NaN, Number.POSITIVE_INFINITY, random.below(9)]),
  () => random.below(1000) - 500,
  () => oneOf([0n, -1n, 2n ** 62n, -(2n ** 63n), 2n ** 63n - 1n]),
  () => oneOf([0n, 2n ** 64n - 1n, 2n ** 63n, 5n]),
  () => oneOf(['', 'a', 'ab', 'Z', 'é', '\ud800', 'a\0']),
  () => chance(2),
  () => new Date(oneOf([0, -1, 864e13, Number.NaN, random.below(1000)])),
];

const isNull = (value: RowValue): value is null | undefined =>
  value === null || value === undefined;

/** Below 0 if `a` comes first, by the words of the contract. */
function compare(
  a: RowValue,
  b: RowValue,
  { order, nulls, nans }: Partial<RowColumn<Row>>,
): number {
  if (isNull(a) || isNull(b)) {
    return (Number(isNull(a)) - Number(isNull(b))) * (nulls === 'first' ? -1 : 1);
  }
  const [x, y] = [a, b].map((value) => (value instanceof Date ? value.getTime() : value)) as [
    number,
    number,
  ];
  const sign = order === 'descending' ? -1 : 1;
  if (Number.isNaN(x) || Number.isNaN(y)) {
    const areFirst = (nans ?? (sign > 0 ? 'last' : 'first')) === 'first';
    return (Number(Number.isNaN(x)) - Number(Number.isNaN(y))) * (areFirst ? -1 : 1);
  }
  if (x === y) return sign * (Number(Object.is(y, -0)) - Number(Object.is(x, -0)));
  return x < y ? -sign : sign;
}

function rowsOf(length: number): Row[] {
  const [a, b] = [oneOf(KINDS), oneOf(KINDS)];
  const nulls = oneOf([0, 3, 10]);
  const valueLike = (make: () => RowValue): RowValue =>
    nulls > 0 && chance(nulls) ? oneOf([null, undefined]) : make();
  return Array.from({ length }, (_, id) => ({ id, a: valueLike(a), b: valueLike(b) }));
}

const optionsOf = (): Partial<RowColumn<Row>> => ({
  ...(chance(2) && { order: oneOf(['ascending', 'descending'] as const) }),
  ...(chance(2) && { nulls: oneOf(['first', 'last'] as const) }),
  ...(chance(2) && { nans: oneOf(['first', 'last'] as const) }),
});

describe(`sortRows (KEYSWEEP_SEED=${SEED})`, () => {
  it('sorts by one key or more, as a comparator does', async () => {
    for (let round = 0; round < (isThorough ? 150 : 25); round++) {
      const rows = rowsOf(oneOf([0, 1, 2, 8, 63, 64, 65, 500, 8191, 8192, 8193]));
      const before = rows.slice();
      const keys: RowColumn<Row>[] = [
        { ...optionsOf(), key: chance(2) ? 'a' : (row) => row.a },
        ...(chance(2) ? [{ ...optionsOf(), key: 'b' } as const] : []),
      ];
      const order = oneOf(['ascending', 'descending', undefined] as const);
      const nameOf = ({ key }: RowColumn<Row>): 'a' | 'b' => (key === 'b' ? 'b' : 'a');
      const expected = rows.toSorted((x, y) => {
        for (const key of keys) {
          const name = nameOf(key);
          const difference = compare(x[name], y[name], { ...(order && { order }), ...key });
          if (difference !== 0) return difference;
        }
        return 0;
      });
      const by = keys.length === 1 && chance(2) ? (keys[0] as RowColumn<Row>) : keys;
      const options = order === undefined ? {} : { order };
      const sorted = await sortRows(rows, by, options);
      expect(sorted.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
      expect(sorted.every((row) => rows.length > 100 || rows.includes(row))).toBe(true);
      expect(rows).toEqual(before);
      const ids = Uint32Array.from(expected, ({ id }) => id);
      expect(await argsortRows(rows, by, options)).toEqual(ids);
      expect(await argsort(columnsOf(rows, by), options)).toEqual(ids);
      const k = random.below(rows.length + 5);
      const first = await topK(columnsOf(rows, by), k, { order: order ?? 'ascending' });
      expect(first).toEqual({ indices: ids.slice(0, k) });
    }
  });

  it('takes the name of a property, a function, or a list of these', async () => {
    const rows = [
      { name: 'b', size: 1, at: new Date(5) },
      { name: 'a', size: 2, at: new Date(3) },
      { name: 'b', size: 0, at: new Date(4) },
    ];
    const [b1, a2, b0] = rows;
    expect(await sortRows(rows, 'size')).toEqual([b0, b1, a2]);
    expect(await sortRows(rows, (row) => -row.size)).toEqual([a2, b1, b0]);
    expect(await sortRows(rows, ['name', 'size'])).toEqual([a2, b0, b1]);
    const by = [{ key: 'name', order: 'descending' }, 'at'] as const;
    expect(await sortRows(rows, by)).toEqual([b0, b1, a2]);
    expect((await sortRows(rows, by))[0]).toBe(b0);
    const sorter = await createSorter();
    expect(await sorter.sortRows(rows, 'at', { order: 'descending' })).toEqual([b1, b0, a2]);
    expect(await sorter.argsortRows(rows, 'at')).toEqual(Uint32Array.of(1, 2, 0));
    expect(await sorter.topK(columnsOf(rows, 'name'), 2)).toEqual({
      indices: Uint32Array.of(0, 2),
    });
    await sorter.close();
    expect(await sortRows([], 'a' as never)).toEqual([]);
    const dates = [3, 1].map((time) => ({ at: runInNewContext(`new Date(${time})`) as Date }));
    expect(await argsortRows(dates, 'at')).toEqual(Uint32Array.of(1, 0));
  });

  it('calls each key function once a row, in order', async () => {
    const rows = Array.from({ length: 20_000 }, (_, i) => ({ i, x: i % 7 === 0 ? null : i % 5 }));
    const [first, second]: [number[], number[]] = [[], []];
    const note = (into: number[], i: number): number => into.push(i);
    const by = [
      (row: (typeof rows)[0]) => (note(first, row.i) > 0 ? row.x : null),
      { key: (row: (typeof rows)[0]) => note(second, row.i) },
    ];
    await sortRows(rows, by);
    const all = rows.map(({ i }) => i);
    expect(first).toEqual(all);
    expect(second).toEqual(all);
  });

  it('does not see what becomes of the list while it is at work', async () => {
    const make = () => Array.from({ length: 5000 }, (_, n) => ({ n: (n * 7) % 5000, id: n }));
    const expected = make().toSorted((a, b) => b.n - a.n);
    const changes: ReadonlyArray<(rows: object[]) => void> = [
      (rows) => void rows.reverse(),
      (rows) => void rows.fill({ n: 0 }),
      (rows) => {
        rows.length = 0;
      },
    ];
    for (const change of changes) {
      const [rows, same] = [make(), make()];
      const sorting = sortRows(rows, 'n', { order: 'descending' });
      const ordering = argsortRows(same, 'n', { order: 'descending' });
      for (const list of [rows, same]) change(list);
      expect(await sorting).toEqual(expected);
      expect(Array.from(await ordering)).toEqual(expected.map(({ id }) => id));
    }
  });

  it('rejects with what a key function throws, and with the reason of an abort', async () => {
    const thrown = { reason: 'no such row' };
    const key = (): number => {
      throw thrown;
    };
    await expect(sortRows([1], key)).rejects.toBe(thrown);
    const reason = new Error('not wanted');
    const controller = new AbortController();
    const rows = Array.from({ length: 100_000 }, (_, i) => ({ i }));
    let calls = 0;
    const sorting = sortRows(
      rows,
      ({ i }) => {
        if (++calls === 10) controller.abort(reason);
        return i;
      },
      { signal: controller.signal },
    );
    await expect(sorting).rejects.toBe(reason);
    expect(calls).toBeLessThan(rows.length);
  });

  it('names the row and what is wrong with it', async () => {
    const cases: ReadonlyArray<readonly [unknown, unknown, RegExp, unknown?]> = [
      [
        [{ x: 1 }, { x: null }, { x: 'a' }],
        'x',
        /rows\[2\]\.x is a string, and rows\[0\]\.x is a number/,
      ],
      [
        [{ x: undefined }, { x: 1n }, { x: 2 }],
        'x',
        /rows\[2\]\.x is a number, and rows\[1\]\.x is a bigint/,
      ],
      [
        [{ x: new Date(0) }, { x: true }],
        'x',
        /rows\[1\]\.x is a boolean, and rows\[0\]\.x is a Date/,
      ],
      [
        [{ x: new Date(0) }, { x: Object.create(Date.prototype) }],
        'x',
        /^rows\[1\]\.x must be a number, bigint, string, boolean, Date/,
      ],
      [[{ x: 1 }, { x: {} }], 'x', /^rows\[1\]\.x must be a number, bigint, .* got an object/],
      [[{ x: Symbol('s') }], 'x', /^rows\[0\]\.x must be/],
      [[1, 'a'], (row: unknown) => row, /rows\[1\] by by is a string/],
      [[1, 'a'], { key: (row: unknown) => row }, /rows\[1\] by by\.key is a string/],
      [[1, 'a'], [{ key: (row: unknown) => row }], /rows\[1\] by by\[0\]\.key is a string/],
      [[{ x: 2n ** 64n }], 'x', /^rows\[0\]\.x must be a bigint of 64 bits/, RangeError],
      [[{ x: -(2n ** 63n) - 1n }], 'x', /^rows\[0\]\.x must be/, RangeError],
      [[{ x: -1n }, { x: 2n ** 63n }], 'x', /rows\[0\]\.x is -1n, and rows\[1\]\.x is/, RangeError],
      [[{ x: 1 }, null], 'x', /^rows\[1\] is null/],
      [new Set([1]), 'x', /^rows must be an array, got an object \(Set\)/],
      [[], [], /^by must be a key or a list of keys, got an empty list/],
      [[], 5, /^by must be the name of a property, a function of a row, or \{ key, … \}, got the/],
      [[], ['a', null], /^by\[1\] must be/],
      [[], { key: 1 }, /^by\.key must be the name/],
      [
        [],
        { key: 'a', desc: true },
        /^by has 'desc', but a key has only key, order, nulls, nans, collator/,
      ],
      [[], { key: 'a', order: 'down' }, /order must be 'ascending' or 'descending'/],
    ];
    for (const [rows, by, message, Class = TypeError] of cases) {
      await expect(sortRows(rows as never, by as never)).rejects.toThrow(message);
      await expect(argsortRows(rows as never, by as never)).rejects.toThrow(Class as never);
    }
    await expect(sortRows([], 'x' as never, { segments: 1 } as never)).rejects.toThrow(
      /^options has no 'segments'/,
    );
  });
});

describe('topK of columns', () => {
  it('gives indices, descending unless a column says otherwise', async () => {
    const keys = Float32Array.of(1, 3, Number.NaN, 2);
    expect(await topK({ keys }, 2)).toEqual({ indices: Uint32Array.of(2, 1) });
    expect(await topK({ keys, nans: 'last' }, 2)).toEqual({ indices: Uint32Array.of(1, 3) });
    expect(await topK({ keys, order: 'ascending' }, 9)).toEqual({
      indices: Uint32Array.of(0, 3, 1, 2),
    });
    expect(await topK([Uint8Array.of(1, 1, 0, 1), keys], 3)).toEqual({
      indices: Uint32Array.of(1, 3, 0),
    });
    expect(await topK(keys, 1)).toEqual({
      keys: Float32Array.of(Number.NaN),
      indices: Uint32Array.of(2),
    });
    await expect(topK([3, 1, 2] as never, 1)).rejects.toThrow(/^keys must be a typed array/);
    await expect(topK({ keys, size: 1 } as never, 1)).rejects.toThrow(/^keys has 'size'/);
  });

  it('lets a call that writes wait in between', async () => {
    const keys = random.fill(new Uint32Array(100_000));
    const expected = keys.slice().sort().reverse().slice(0, 3);
    let sorting: Promise<unknown> | undefined;
    // Read while the keys are locked.
    const signal = {
      get aborted() {
        sorting ??= sort(keys);
        return false;
      },
      addEventListener() {},
      removeEventListener() {},
    };
    const top = await topK(keys, 3, { signal: signal as never });
    expect(top.keys).toEqual(expected);
    await sorting;
    expect(keys).toEqual(keys.slice().sort());
  }, 60_000);
});
