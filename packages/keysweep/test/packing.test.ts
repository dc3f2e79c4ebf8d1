/** What reading a table's columns is expected to take, before any was read. */

import { expect, it } from 'vitest';
import { checkColumns } from '../src/table/column.js';
import { expectedPacking } from '../src/table/packing.js';

it('expects strings to take as long as other text', () => {
  const bytes = new Uint8Array(3);
  const text = { offsets: Int32Array.of(0, 1, 2, 3), bytes };
  const of = (keys: typeof text | string[]) =>
    expectedPacking(checkColumns({ keys }, 'ascending'), 100_000);
  expect(of(text)).toBeGreaterThan(1);
  expect(of(['a', 'b', 'c'])).toBe(of(text));
});
