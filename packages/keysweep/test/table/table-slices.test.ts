/**
 * The calling thread reads columns in slices. What is done between two places where it may pause is
 * counted here, because a clock would tell of the machine.
 */

import { runSeed } from '@keysweep/conformance/data';
import type { SortRequest } from '@keysweep/core';
import { oraclePermutation } from '@keysweep/core/oracle';
import { expect, it } from 'vitest';
import { testRandom } from '../../../../tools/test/random.js';
import { checkDescribedColumns } from '../../src/table/column.js';
import { isSort, orderTable, type Table, type TableSteps } from '../../src/table/order-table.js';
import { plainFields } from '../../src/table/plain-fields.js';
import { columnSteps } from '../../src/table/row-columns.js';
import { readStrings } from '../../src/table/strings.js';
import type { Text } from '../../src/table/text.js';

const SEED = runSeed();
const random = testRandom();
const N = 2 ** 17;
/** Rows of the longest slice there may be. */
const SLICE = 2 ** 15;

const names = (letters: string): string[] =>
  Array.from({ length: N }, () => `name${letters}${random.below(1000)}`);

function tableOf(strings: readonly string[]): Table {
  const rows = { count: N, indices: undefined };
  const other = { precision: undefined, segments: undefined, signal: undefined };
  const columns = checkDescribedColumns({ keys: strings }, 'ascending');
  return { columns, rows, ...other, kernels: plainFields(N), onProgress: undefined };
}

/** Sorts pairs as a backend would. */
function serve({ columns: [keys], values, segments }: SortRequest): void {
  const starts = [...(segments ?? [0]), keys.length];
  const moved = values as Uint32Array;
  for (let i = 1; i < starts.length; i++) {
    const [from, to] = [starts[i - 1] as number, starts[i] as number];
    const [own, before] = [keys.slice(from, to), moved.slice(from, to)];
    for (const [at, row] of oraclePermutation([own]).entries()) {
      keys.set(own.subarray(row, row + 1) as never, from + at);
      moved[from + at] = before[row] as number;
    }
  }
}

/** The result of steps, and how often they may pause. */
function run<T>(steps: TableSteps<T> | Generator<undefined, T>, onPause = () => {}) {
  for (let pauses = 0; ; pauses++) {
    const { done, value } = (steps as TableSteps<T>).next();
    if (done) return { result: value, pauses };
    if (value === undefined) onPause();
    else if (isSort(value)) serve(value);
  }
}

it.each(['a', '\u0416'])('strings are read in slices: %s', (letters) => {
  const { pauses } = run(readStrings(tableOf(names(letters))));
  // Which have a value, their lengths, their places; their units in slices of 2^12 strings.
  expect(pauses).toBeGreaterThanOrEqual(3 * (N / SLICE) + N / 2 ** 12);
});

it.each([
  { what: 'begin alike', strings: names('a') },
  { what: 'are all the same', strings: Array<string>(N).fill('name') },
])(`strings that $what are compared in slices, seed ${SEED}`, ({ strings }) => {
  const { result: table } = run(readStrings(tableOf(strings)));
  const [column] = table.columns;
  let [most, units] = [0, 0];
  const { text } = column as { text: Text };
  const counting: Text = {
    ...text,
    unit(row, at) {
      units++;
      return text.unit(row, at);
    },
  };
  const columns = [{ ...(column as (typeof table.columns)[0]), text: counting }];
  const { result } = run(orderTable({ ...table, columns }), () => {
    most = Math.max(most, units);
    units = 0;
  });
  // Of each row and of the first one: four units that all have, and one more.
  expect({ units: Math.max(most, units) <= 2 * 5 * SLICE, seed: SEED }).toEqual({
    units: true,
    seed: SEED,
  });
  let wrong = 0;
  for (let i = 1; i < N; i++) {
    const [a, b] = [result[i - 1] as number, result[i] as number];
    const [before, after] = [strings[a] as string, strings[b] as string];
    if (before > after || (before === after && a > b)) wrong++;
  }
  expect({ wrong, seed: SEED }).toEqual({ wrong: 0, seed: SEED });
});

it.each([
  { what: 'strings and nulls', valueAt: (i: number) => (i % 2 === 0 ? String(i) : null) },
  { what: 'dates', valueAt: (i: number) => new Date(i) },
  { what: 'bigints', valueAt: BigInt, passes: 3 },
  { what: 'booleans', valueAt: (i: number) => i % 2 === 0 },
  { what: 'numbers and nulls', valueAt: (i: number) => (i % 2 === 0 ? i : null) },
])('$what of objects are read in slices', ({ valueAt, passes = 1 }) => {
  const rows = Array.from({ length: N }, (_, i) => ({ value: valueAt(i) }));
  const { result, pauses } = run(columnSteps(rows, 'value'));
  expect(result).toHaveLength(1);
  // They are read; bigints are looked at for their range, too, and made into keys.
  expect(pauses).toBeGreaterThanOrEqual(passes * (N / 2 ** 13));
});

it('strings of objects are read once, in slices', () => {
  const rows = Array.from({ length: N }, (_, i) => ({ value: String(i) }));
  const { result, pauses } = run(columnSteps(rows, 'value'));
  expect(result).toEqual([{ keys: rows.map(({ value }) => value) }]);
  expect(pauses).toBeGreaterThanOrEqual(N / 2 ** 13);
});
