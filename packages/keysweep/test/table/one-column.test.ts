/** One described column is sorted as its keys are, without a word of their own for each. */

import { runSeed, sample } from '@keysweep/conformance/data';
import {
  FIELD_ROWS,
  type KeyArray,
  type SortReport,
  type SortRequest,
  traitsOf,
} from '@keysweep/core';
import { compareKeys } from '@keysweep/core/oracle';
import { cpu } from '@keysweep/cpu';
import { type ColumnOptions, createSorter } from 'keysweep';
import { argsortSync } from 'keysweep/sync';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { testRandom } from '../../../../tools/test/random.js';
import { fake, notingSorter } from '../fakes.js';

const source = testRandom();
const { sorter, requests } = await notingSorter();
afterAll(() => sorter.close());
beforeEach(() => {
  requests.length = 0;
});

/** More than a slice. */
const N = FIELD_ROWS + 1000;
const SPECIAL = [Number.NaN, -0, 0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 1, -1];
const float = (): number =>
  source.below(3) === 0 ? (SPECIAL[source.below(SPECIAL.length)] as number) : source.below(99) - 50;
const floats = Float64Array.from({ length: N }, float);
const narrow = Float32Array.from(floats);
const integers = Int32Array.from({ length: N }, () => source.below(1000) - 500);
const longs = BigUint64Array.from({ length: N }, () => BigInt(source.below(1000)) << 40n);
const valid = Uint8Array.from(
  { length: Math.ceil(N / 8) + 2 },
  () => source.below(256) | source.below(256),
);

/** Few rows without a value. */
const few = Uint8Array.from(valid, () => ~(source.below(2) << source.below(8)));

const isNull = ({ valid, validOffset = 0 }: ColumnOptions, row: number): boolean =>
  valid !== undefined &&
  ((valid[(row + validOffset) >> 3] as number) & (1 << ((row + validOffset) & 7))) === 0;

/** The order of places in `rows` by comparisons of what the description says. */
function orderOf(column: ColumnOptions, rows: readonly number[]): number[] {
  const keys = column.keys as KeyArray;
  const sign = column.order === 'descending' ? -1 : 1;
  const place = (row: number): number => {
    if (isNull(column, row)) return column.nulls === 'first' ? -2 : 2;
    if (column.nans === undefined || !Number.isNaN(keys[row])) return 0;
    return column.nans === 'first' ? -1 : 1;
  };
  const key = (row: number): number | bigint => {
    const key = keys[row] as number;
    return column.zeros === 'equal' && key === 0 && traitsOf(keys).kind === 'float' ? 0 : key;
  };
  return rows.slice().sort((a, b) => {
    const difference = place(a) - place(b);
    if (difference !== 0 || place(a) !== 0) return difference;
    return sign * compareKeys(key(a), key(b));
  });
}

const all = Array.from({ length: N }, (_, row) => row);

describe('keys of one described column', () => {
  it.each([
    ['nothing new', { keys: floats }, undefined],
    ['its order', { keys: integers, order: 'descending' }, undefined],
    ['where NaNs are anyway', { keys: floats, nans: 'last' }, undefined],
    ['nulls, but there are none', { keys: floats, valid: new Uint8Array(N).fill(255) }, undefined],
    ['zeros of integers', { keys: integers, zeros: 'equal' }, undefined],
    ['segments', { keys: floats }, { segments: Uint32Array.of(0, 9, 300) }],
    ['a precision', { keys: floats, order: 'descending' }, { precision: 16 }],
  ] as const)('are sorted as they are: %s', async (_, column, options) => {
    const { keys } = column;
    const order = 'order' in column ? column.order : 'ascending';
    const expected = await sorter.argsort(keys, { order, ...options });
    const [plain] = requests.splice(0) as [SortRequest];
    expect(await sorter.argsort([column], options)).toEqual(expected);
    expect(requests).toHaveLength(1);
    const [request] = requests as [SortRequest];
    expect(request.shape).toEqual({ ...plain.shape, order });
    expect(request.columns[0].buffer).toBe(keys.buffer);
  });

  it('are written to out by the backend', async () => {
    const out = new Uint32Array(N + 1);
    const order = await sorter.argsort({ keys: floats }, { out });
    expect(requests[0]?.out?.buffer).toBe(out.buffer);
    expect(Array.from(order)).toEqual(orderOf({ keys: floats }, all));
  });

  const placed: readonly ColumnOptions[] = [floats, narrow, integers, longs].flatMap((keys) =>
    (['ascending', 'descending'] as const).flatMap((order) => [
      { keys, order, valid, validOffset: 3 },
      { keys, order, valid, nulls: 'first', nans: 'last' },
      { keys, order, valid: few, validOffset: 3 },
      { keys, order, valid: few, nulls: 'first', nans: order === 'ascending' ? 'first' : 'last' },
      { keys, order, nans: 'first', zeros: 'equal' },
      { keys, order, valid, validOffset: 8, nans: 'first', zeros: 'equal' },
    ]),
  );

  it('are sorted without nulls and NaNs that have another place', async () => {
    // More than a slice of them, too.
    const indices = Uint32Array.from({ length: N }, () => source.below(N));
    for (const column of sample(placed, 9)) {
      const expected = orderOf(column, all);
      const found = await sorter.argsort(column);
      expect({ seed: runSeed(), order: Array.from(found) }).toEqual({
        seed: runSeed(),
        order: expected,
      });
      expect(Array.from(argsortSync(column))).toEqual(expected);
      const chosen = await sorter.argsort(column, { indices });
      expect(Array.from(chosen)).toEqual(orderOf(column, Array.from(indices)));
    }
    for (const { shape } of requests) expect(shape.length).toBeLessThanOrEqual(N);
    const keyTypes = requests.map(({ shape }) => shape.keyTypes[0]);
    expect(['f64', 'f32', 'i32', 'u64']).toEqual(expect.arrayContaining([...new Set(keyTypes)]));
  });

  it.each([few, valid])('are not copied for a backend that chooses rows: %#', async (valid) => {
    const own = cpu();
    let given: SortRequest | undefined;
    const sort = (request: SortRequest) => {
      given = request;
      return own.sort(request);
    };
    const taking = await createSorter({ backends: [fake('cpu', { sortsChosen: true, sort })] });
    for (const nulls of ['first', 'last'] as const) {
      const column = { keys: floats, valid, nulls };
      const found = await taking.argsort(column);
      expect({ seed: runSeed(), order: Array.from(found) }).toEqual({
        seed: runSeed(),
        order: orderOf(column, all),
      });
      expect(given?.columns[0].buffer).toBe(floats.buffer);
    }
    await taking.close();
    await own.close();
  });

  it('are sorted by the next backend if the one that chooses rows fails', async () => {
    // The planner has the runtime's own sort first for so few keys.
    const failing = fake('builtin', {
      sortsChosen: true,
      sort: () => Promise.reject(new Error('out of luck')),
    });
    const warnings: string[] = [];
    const falling = await createSorter({
      backends: [failing, fake('cpu', {})],
      onWarning: ({ code }) => void warnings.push(code),
    });
    const column = { keys: floats, valid };
    const reports: SortReport[] = [];
    const found = await falling.argsort(column, { onReport: (report) => reports.push(report) });
    expect(Array.from(found)).toEqual(orderOf(column, all));
    const [{ backend, fallbacks }] = reports as [SortReport];
    expect([backend, fallbacks.map(({ backend }) => backend)]).toEqual(['cpu', ['builtin']]);
    expect(warnings).toEqual(['builtin-failed']);
    await falling.close();
  });

  it('are sorted so whatever is said of nulls, NaNs and zeros together', () => {
    const some = all.slice(0, 150);
    const indices = Uint32Array.from({ length: 90 }, () => source.below(some.length));
    const ends = [undefined, 'first', 'last'] as const;
    for (const keys of [floats.subarray(0, 150), narrow.subarray(0, 150)]) {
      for (const order of ['ascending', 'descending'] as const) {
        for (const nulls of ends) {
          for (const nans of ends) {
            for (const zeros of [undefined, 'equal'] as const) {
              for (const own of [{}, { valid, validOffset: 5, ...(nulls && { nulls }) }]) {
                const column = {
                  keys,
                  order,
                  ...own,
                  ...(nans && { nans }),
                  ...(zeros && { zeros }),
                };
                const what = JSON.stringify({ ...column, keys: keys.constructor.name, valid: '' });
                expect(Array.from(argsortSync(column)), what).toEqual(orderOf(column, some));
                const chosen = argsortSync(column, { indices });
                expect(Array.from(chosen), what).toEqual(orderOf(column, Array.from(indices)));
              }
            }
          }
        }
      }
    }
  });

  it.each([0, 1, 9])(
    'are sorted within the range of those with a value, after %i nulls',
    async (count) => {
      const own = valid.slice();
      for (let row = 0; row < 10; row++) {
        const bit = 1 << (row & 7);
        own[row >> 3] =
          row < count ? (own[row >> 3] as number) & ~bit : (own[row >> 3] as number) | bit;
      }
      // A row without a value may hold anything.
      const keys = Float32Array.from(all, (row) =>
        isNull({ keys: narrow, valid: own }, row) ? 1e30 : source.below(1000),
      );
      const expected = orderOf({ keys, valid: own }, all);
      expect(Array.from(await sorter.argsort({ keys, valid: own }))).toEqual(expected);
      const found = await sorter.argsort({ keys, valid: own }, { precision: 16 });
      // Whole numbers below 1000 differ by more than a rounded key may.
      expect(Array.from(found)).toEqual(expected);
      expect(requests).not.toHaveLength(0);
      for (const { columns } of requests) {
        expect(columns[0].includes(Math.fround(1e30) as never)).toBe(false);
      }
    },
  );

  it.each([floats, narrow, integers, longs])('are the same whatever nulls hold: %#', (keys) => {
    const other = keys.slice();
    // Keys that come before, between and after all others.
    const extremes = Array.from(keys.subarray(0, 90) as Float64Array).sort() as never[];
    for (const row of all) {
      if (isNull({ keys, valid }, row)) other[row] = extremes[row % extremes.length] as never;
    }
    const before = other.slice();
    for (const nulls of ['first', 'last'] as const) {
      const expected = argsortSync({ keys, valid, nulls });
      expect(Array.from(expected)).toEqual(orderOf({ keys, valid, nulls }, all));
      expect(argsortSync({ keys: other, valid, nulls })).toEqual(expected);
    }
    expect(other).toEqual(before);
  });

  it('may have one null alone, wherever its bit is', async () => {
    const keys = Uint32Array.from({ length: 40 }, (_, row) => (7 * row) % 40);
    const others = Array.from(keys.keys()).sort(
      (a, b) => (keys[a] as number) - (keys[b] as number),
    );
    for (const validOffset of [0, 1, 7, 8, 13]) {
      for (let row = 0; row < keys.length; row++) {
        const valid = new Uint8Array(8).fill(0xff);
        const bit = row + validOffset;
        valid[bit >> 3] = 0xff ^ (1 << (bit & 7));
        const column = { keys, valid, validOffset };
        const rest = others.filter((other) => other !== row);
        const what = `row ${row} behind ${validOffset} bits`;
        expect([...argsortSync(column)], what).toEqual([...rest, row]);
        expect([...argsortSync({ ...column, nulls: 'first' })], what).toEqual([row, ...rest]);
      }
    }
  });

  it('may all be nulls, or none', async () => {
    const none = new Uint8Array(Math.ceil(N / 8));
    expect(Array.from(await sorter.argsort({ keys: floats, valid: none }))).toEqual(all);
    const nans = new Float32Array(300).fill(Number.NaN);
    const first = await sorter.argsort({ keys: nans, nans: 'first' });
    expect(Array.from(first)).toEqual(all.slice(0, 300));
    expect(Array.from(argsortSync({ keys: nans, nans: 'first' }))).toEqual(all.slice(0, 300));
  });
});
