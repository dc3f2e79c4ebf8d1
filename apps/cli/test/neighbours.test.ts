/** The first row out of order, beside the order that a sort finds. */

import { runSeed } from '@keysweep/conformance/data';
import { argsort, type ColumnOptions } from 'keysweep';
import { describe, expect, it } from 'vitest';
import { testRandom } from '../../../tools/test/random.js';
import { misplacedIn } from '../src/job/neighbours.js';

const random = testRandom();
const oneOf = <T>(choices: readonly T[]): T => choices[random.below(choices.length)] as T;

/** More rows than are compared at a time. */
const ROWS = 2 ** 15 + 100;

interface Row {
  readonly float: number;
  readonly half: number;
  readonly long: bigint;
  readonly text: string;
  readonly code: number;
  readonly isValid: boolean;
}

const rowOf = (): Row => ({
  float: oneOf([-1.5, -0, 0, 3, Number.NaN, Number.POSITIVE_INFINITY]),
  half: random.below(2 ** 16),
  long: BigInt(random.below(3) - 1) << BigInt(oneOf([0, 40])),
  text: oneOf(['', 'a', 'ab', 'a\0', 'b', '\u00e9']),
  code: random.below(9),
  isValid: random.below(4) > 0,
});

/** A kind of column, of rows. */
type Kind = (rows: readonly Row[]) => ColumnOptions;

const numbers: readonly Kind[] = [
  (rows) => ({ keys: Float64Array.from(rows, ({ float }) => float) }),
  (rows) => ({ keys: Float32Array.from(rows, ({ float }) => float) }),
  (rows) => ({ keys: Uint16Array.from(rows, ({ half }) => half), as: 'f16' }),
  (rows) => ({ keys: BigInt64Array.from(rows, ({ long }) => long) }),
  (rows) => ({ keys: Int8Array.from(rows, ({ code }) => code - 4) }),
  (rows) => ({ keys: Uint32Array.from(rows, ({ code }) => code) }),
];

const texts: readonly Kind[] = [
  (rows) => {
    const values = rows.map(({ text, isValid }) => Buffer.from(isValid ? text : ''));
    const offsets = new Uint32Array(rows.length + 1);
    for (const [i, { length }] of values.entries()) {
      offsets[i + 1] = (offsets[i] as number) + length;
    }
    return { keys: { offsets, bytes: new Uint8Array(Buffer.concat(values)) } };
  },
  (rows) => {
    const bytes = Uint8Array.from(rows.flatMap(({ code, half }) => [code, half & 1, half >> 15]));
    return { keys: { width: 3, bytes } };
  },
];

const kinds = [...numbers, ...texts];

/** A table's columns: one to three kinds, each with its options. */
function tableOf(): (rows: readonly Row[]) => ColumnOptions[] {
  const columns = Array.from({ length: 1 + random.below(3) }, () => ({
    kind: oneOf(kinds),
    hasNulls: random.below(2) === 0,
    order: oneOf(['ascending', 'descending', undefined] as const),
    nulls: oneOf(['first', 'last'] as const),
  }));
  return (rows) => {
    const valid = new Uint8Array(Math.ceil(rows.length / 8));
    for (const [i, { isValid }] of rows.entries()) {
      if (isValid) (valid[i >> 3] as number) |= 1 << (i & 7);
    }
    return columns.map(({ kind, hasNulls, order, nulls }) => ({
      ...kind(rows),
      order,
      nulls,
      ...(hasNulls && { valid }),
    }));
  };
}

/** By a sort: the first row whose place is before that of the row in front of it. */
async function expected(columns: ColumnOptions[], order: 'ascending' | 'descending') {
  const sorted = await argsort(columns, { order });
  const places = new Uint32Array(sorted.length);
  for (const [place, row] of sorted.entries()) places[row] = place;
  return {
    sorted,
    row: places.findIndex((place, i) => i > 0 && place < (places[i - 1] as number)),
  };
}

describe(`misplacedIn (KEYSWEEP_SEED=${runSeed()})`, () => {
  it('names the first row out of order, of random rows and of almost sorted ones', async () => {
    for (let run = 0; run < 30; run++) {
      const columnsOf = tableOf();
      const order = oneOf(['ascending', 'descending'] as const);
      const rows = Array.from({ length: run < 25 ? random.below(40) : ROWS }, rowOf);
      const found = await expected(columnsOf(rows), order);
      expect(misplacedIn(columnsOf(rows), order)).toBe(found.row);
      const sorted = Array.from(found.sorted, (row) => rows[row] as Row);
      expect(misplacedIn(columnsOf(sorted), order)).toBe(-1);
      if (rows.length < 2) continue;
      // Near the end, so that all rows are looked at.
      const [to, from] = [sorted.length - 1 - random.below(9), random.below(sorted.length)];
      sorted.splice(Math.max(to, 0), 0, ...sorted.splice(from, 1));
      const { row } = await expected(columnsOf(sorted), order);
      expect(misplacedIn(columnsOf(sorted), order)).toBe(row);
    }
  });

  it('looks at every row', () => {
    const step = 2 ** 15;
    const keys = new Uint32Array(3 * step + 3).map((_, row) => row);
    const rows = [1, step - 1, step, step + 1, step + 2, 2 * step, 2 * step + 1, 2 * step + 2];
    for (const row of [...rows, 3 * step + 1, 3 * step + 2]) {
      const wrong = keys.slice();
      wrong[row] = 0;
      wrong.fill(0, 0, row);
      wrong[row - 1] = 1;
      expect(misplacedIn(wrong, 'ascending')).toBe(row);
    }
  });

  it('takes bare keys, and tables of no rows', () => {
    expect(misplacedIn(Float32Array.of(1, 2, Number.NaN, 0), 'ascending')).toBe(3);
    expect(misplacedIn(Float32Array.of(Number.NaN, 2, 2, 0), 'descending')).toBe(-1);
    expect(misplacedIn(new Uint8Array(0), 'ascending')).toBe(-1);
    expect(misplacedIn([{ keys: { width: 2, bytes: new Uint8Array(0) } }], 'ascending')).toBe(-1);
  });
});
