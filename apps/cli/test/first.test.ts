/** The first rows of an order are those of a sort of all rows. */

import { isThorough } from '@keysweep/conformance/data';
import { type Column, createSorter } from 'keysweep';
import { afterAll, describe, expect, it } from 'vitest';
import { testRandom } from '../../../tools/test/random.js';
import { firstRows } from '../dist/job/first.js';
import { SEED } from './keys.js';

const random = testRandom();
const sorter = await createSorter();
afterAll(() => sorter.close());

const pick = <T>(items: readonly T[]): T => items[random.below(items.length)] as T;

/** A column of numbers with many ties, NaNs and both zeros, or of texts; some rows are null. */
function columnOf(rows: number, hasText: boolean): Column {
  const distinct = pick([1, 3, 100, 2 ** 30]);
  const order = pick(['ascending', 'descending'] as const);
  const nulls = pick(['first', 'last'] as const);
  const valid = pick([undefined, random.fill(new Uint8Array((rows + 7) >> 3))]);
  const described = { order, nulls, ...(valid && { valid }) };
  if (hasText) {
    const offsets = Uint32Array.from({ length: rows + 1 }, (_, row) => row);
    return { ...described, keys: { offsets, bytes: random.fill(new Uint8Array(rows)) } };
  }
  const draw = (): number => random.below(distinct);
  const special = [Number.NaN, 0, -0, 1 / 0, -1 / 0];
  const keys = pick([
    () => Int32Array.from({ length: rows }, () => draw() - 50),
    () => Uint8Array.from({ length: rows }, draw),
    () => BigInt64Array.from({ length: rows }, () => BigInt(draw() - 50) * 2n ** 33n),
    () =>
      Float64Array.from({ length: rows }, () =>
        random.below(4) === 0 ? pick(special) : draw() - 1.5,
      ),
  ])();
  return { ...described, keys };
}

describe(`the first rows (seed ${SEED})`, () => {
  it('are the first of a sort of all, by several columns, with nulls and ties', async () => {
    let found = 0;
    for (let round = 0; round < (isThorough ? 1_000 : 60); round++) {
      const rows = pick([20, 5_000, 40_000]);
      const columns = Array.from({ length: 1 + random.below(3) }, () =>
        columnOf(rows, random.below(4) === 0),
      );
      const count = pick([0, 1, 7, 100, rows + 5]);
      const first = await firstRows(sorter, columns, count, { order: 'ascending' });
      if (first === undefined) continue;
      found++;
      const all = await sorter.argsort(columns, { order: 'ascending' });
      expect({ round, first: [...first] }).toEqual({ round, first: [...all.slice(0, count)] });
    }
    expect(found).toBeGreaterThan(10);
  });

  it('are not looked for if texts or nulls decide first', async () => {
    const own = { order: 'ascending' } as const;
    const texts = { keys: { offsets: Uint32Array.of(0, 1, 2), bytes: Uint8Array.of(2, 1) } };
    expect(await firstRows(sorter, [texts], 1, own)).toBeUndefined();
    const nulls = { keys: Int32Array.of(1, 2), valid: Uint8Array.of(1), nulls: 'first' } as const;
    expect(await firstRows(sorter, [nulls], 1, own)).toBeUndefined();
    // Nor where nulls are among the first rows, because values are too few.
    for (const valid of [0b000, 0b110]) {
      const few = { keys: Int32Array.of(3, 1, 2), valid: Uint8Array.of(valid) };
      expect(await firstRows(sorter, [few], 3, own)).toBeUndefined();
    }
  });
});
