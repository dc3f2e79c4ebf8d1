/** The parts of a measurement: checks of results, the estimate of progress, files and browsers. */

import { blobSource } from '@keysweep/files';
import { describe, expect, it } from 'vitest';
import { bestColumn } from '../src/data/choice.js';
import { openText } from '../src/data/csv.js';
import { kindOf } from '../src/data/kind.js';
import { browserName } from '../src/device/browser-name.js';
import { builtinSort } from '../src/run/implementations.js';
import { ProgressEstimate } from '../src/run/progress-estimate.js';
import { faultOf } from '../src/run/verify.js';
import { PAYLOADS } from '../src/settings/settings.js';

describe('faultOf', () => {
  const input = Float64Array.of(3, -0, 0, NaN, 3, -1);
  const sorted = Float64Array.of(-1, -0, 0, 3, 3, NaN);
  const origins = [5, 1, 2, 0, 4, 3];

  it('finds no fault in the built-in sort of any payload and order', async () => {
    expect(
      faultOf(input, sorted, { keys: sorted, origins: undefined }, 'ascending'),
    ).toBeUndefined();
    expect(faultOf(input, sorted, { keys: sorted, origins }, 'ascending')).toBeUndefined();
    for (const payload of PAYLOADS) {
      for (const order of ['ascending', 'descending'] as const) {
        const { results } = await builtinSort({ payload, order }).sort(
          [input],
          new AbortController().signal,
        );
        const expected = order === 'ascending' ? sorted : sorted.slice().reverse();
        const [result] = results;
        const keys = payload === 'indices' ? input : result!.keys;
        expect(
          faultOf(input, expected, { ...result!, keys }, order),
          `${payload} ${order}`,
        ).toBeUndefined();
      }
    }
  });

  it.each([
    ['a key that is another', [-1, -0, 0, 3, 4, NaN], undefined, /element 4 is 4 .* instead of 3 /],
    [
      'zeros in the wrong order',
      [-1, 0, -0, 3, 3, NaN],
      undefined,
      /element 1 is 0 .* instead of 0 /,
    ],
    ['too few keys', [-1], undefined, /8 bytes instead of 48/],
    [
      'an origin twice',
      [-1, -0, 0, 3, 3, NaN],
      [5, 1, 2, 0, 0, 3],
      /row 0 at 3 comes before row 0/,
    ],
    [
      'equals that changed places',
      [-1, -0, 0, 3, 3, NaN],
      [5, 1, 2, 4, 0, 3],
      /row 4 at 3 comes before row 0/,
    ],
    [
      'a payload of another key',
      [-1, -0, 0, 3, 4, NaN],
      [5, 1, 2, 0, 4, 3],
      /key 4 is 4, but its payload came with 3/,
    ],
    [
      'an origin that is none',
      [-1, -0, 0, 3, 3, NaN],
      [5, 1, 2, 0, 4, 9],
      /row 9 at 5 is not of its segment/,
    ],
  ])('finds a fault in %s', (_, keys, origins, fault) => {
    const result = { keys: Float64Array.from(keys), origins };
    expect(faultOf(input, sorted, result, 'ascending')).toMatch(fault);
  });
});

it('estimates the time left by what lengths should take, and by the pace so far', () => {
  const estimate = new ProgressEstimate([1000, 3000], 2, 0);
  expect(estimate.total).toBe(4000);
  expect(estimate.update(0, 0, 0)).toEqual({ done: 0, left: 4 });
  // As expected so far: the rest takes what it should.
  expect(estimate.update(1, 0, 1000)).toEqual({ done: 0.25, left: 3 });
  // Half as quick as expected: hardly less than twice as long.
  const { done, left } = estimate.update(1, 1, 5000);
  expect(done).toBe(0.625);
  expect(left).toBeGreaterThan(2.6);
  expect(left).toBeLessThan(3);
});

it('reads columns of text as integers of 32 or 64 bits, as other numbers or as text', async () => {
  const text = 'id\tlong\tdelay\tname\tgap\n1\t2147483648\t-2.5\tx\t1\n-2\t3\tNaN\ty\t\n';
  const { columns, read } = await openText(blobSource("'a.tsv'", new Blob([text])), 'tsv');
  expect(columns.map(({ keyType }) => keyType)).toEqual([
    'i32',
    'i64',
    'f64',
    undefined,
    undefined,
  ]);
  expect(await read('id')).toEqual(Int32Array.of(1, -2));
  expect(await read('long')).toEqual(BigInt64Array.of(2147483648n, 3n));
  expect(await read('delay')).toEqual(Float64Array.of(-2.5, Number.NaN));
  await expect(read('gap')).rejects.toThrow('has nulls');
});

it('begins with the column that has the most different values and is not in order', async () => {
  const values: Readonly<Record<string, Float64Array>> = {
    day: Float64Array.from({ length: 3000 }, (_, i) => i),
    few: Float64Array.from({ length: 3000 }, (_, i) => (i * 7919) % 9),
    many: Float64Array.from({ length: 3000 }, (_, i) => (i * 7919) % 3001),
  };
  const columns = Object.keys(values).map((name) => {
    return { name, type: 'f64', keyType: 'f64' as const, rows: 3000 };
  });
  const read = async (name: string) => values[name] as Float64Array;
  expect(await bestColumn({ columns, read })).toBe('many');
  const broken = (name: string) =>
    name === 'many' ? Promise.reject(new Error('it has nulls')) : read(name);
  expect(await bestColumn({ columns, read: broken })).toBe('few');
  expect(await bestColumn({ columns: [], read })).toBeUndefined();
});

it('knows the kind of a file by its name', () => {
  expect(['a.PARQUET', 'b.arrow', 'c.tsv', 'd.bin', 'e'].map(kindOf)).toEqual([
    'parquet',
    'arrow',
    'tsv',
    'raw',
    'raw',
  ]);
});

it('names browsers by their user agent', () => {
  const edge =
    'Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/141.0 Safari/537.36 Edg/141.0';
  expect(browserName(edge)).toBe('Edge 141 on Windows');
  expect(browserName('curl')).toBe('curl');
});
