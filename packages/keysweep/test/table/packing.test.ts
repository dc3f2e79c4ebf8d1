/** What reading a table's columns is expected to take, before any was read. */

import { expect, it } from 'vitest';
import { checkDescribedColumns } from '../../src/table/column.js';
import { expectedPacking, notePacking } from '../../src/table/packing.js';

it('expects strings to take as long as other text', () => {
  const bytes = new Uint8Array(3);
  const text = { offsets: Int32Array.of(0, 1, 2, 3), bytes };
  const of = (keys: typeof text | string[]) =>
    expectedPacking(checkDescribedColumns({ keys }, 'ascending'), 100_000);
  expect(of(text)).toBeGreaterThan(1);
  expect(of(['a', 'b', 'c'])).toBe(of(text));
});

it('learns from 10,000 rows or more, and from nothing that is copied as it is', () => {
  const columns = checkDescribedColumns({ keys: new Float64Array(1), nans: 'first' }, 'ascending');
  const expected = (rows: number): number => expectedPacking(columns, rows);
  const before = expected(10_000);
  notePacking(columns, 9999, 9 * before);
  expect(expected(10_000)).toBe(before);
  notePacking(columns, 10_000, 9 * before);
  expect(expected(10_000)).toBeCloseTo(3 * before, 9);
  expect(expected(20_000)).toBeCloseTo(6 * before, 9);
  const plain = checkDescribedColumns({ keys: new Float64Array(1) }, 'ascending');
  notePacking(plain, 10_000, 100);
  expect(expectedPacking(plain, 10_000)).toBe(0);
});

it('learns nothing from work that took no time by a coarse clock', () => {
  const columns = checkDescribedColumns(
    [{ keys: new Float64Array(1) }, new Uint32Array(1)],
    'ascending',
  );
  const before = expectedPacking(columns, 20_000);
  notePacking(columns, 20_000, 0);
  expect(expectedPacking(columns, 20_000)).toBe(before);
  notePacking(columns, 20_000, 4 * before);
  expect(expectedPacking(columns, 20_000)).toBeCloseTo(2 * before, 9);
});

it('expects the first call with text to take some time whatever its rows, and no other', () => {
  const columns = checkDescribedColumns({ keys: ['a', 'b'] }, 'ascending');
  const first = expectedPacking(columns, 1);
  expect(first).toBeGreaterThan(10);
  notePacking(columns, 1, first);
  expect(expectedPacking(columns, 1)).toBeLessThan(1);
});
