/**
 * Small tables and the orders that other libraries document for them, by the options that say the
 * same here. The tables were made up for this test.
 */

import { argsort, type Column, type ColumnOptions } from 'keysweep';
import { argsortSync } from 'keysweep/sync';
import { describe, expect, it } from 'vitest';

type Value = number | bigint | string | null;

/** A column of values, of which some are null. */
function columnOf(values: readonly Value[], options: Partial<ColumnOptions> = {}): Column {
  const valid = new Uint8Array(Math.ceil(values.length / 8));
  for (const [row, value] of values.entries()) {
    if (value !== null) valid[row >> 3]! |= 1 << (row & 7);
  }
  const keys = values.some((value) => typeof value === 'string')
    ? values.map((value) => `${value ?? ''}`)
    : Float64Array.from(values, (value) => Number(value ?? 0));
  return { keys, ...(values.includes(null) && { valid }), ...options };
}

/** What is documented, columns of values with their options, and the rows in their order. */
type Case = readonly [
  what: string,
  columns: readonly (readonly [readonly Value[], Partial<ColumnOptions>?])[],
  order: readonly number[],
];

async function check(_: string, columns: Case[1], order: Case[2]): Promise<void> {
  const given = columns.map(([values, options]) => columnOf(values, options));
  expect([...(await argsort(given))]).toEqual(order);
  expect([...argsortSync(given)]).toEqual(order);
}

const [inf, nan] = [Number.POSITIVE_INFINITY, Number.NaN];
const descending = { order: 'descending' } as const;
const nullsFirst = { nulls: 'first' } as const;

/**
 * https://docs.pola.rs/api/python/stable/reference/dataframe/api/polars.DataFrame.sort.html and
 * https://docs.pola.rs/user-guide/concepts/data-types-and-structures/#floating-point-numbers
 */
describe('as DataFrame.sort of polars has it', () => {
  it.each<Case>([
    ['nulls are first by default', [[[2, null, 1, null], nullsFirst]], [1, 3, 2, 0]],
    [
      'and first in descending order, too',
      [[[2, null, 1], { ...descending, ...nullsFirst }]],
      [1, 0, 2],
    ],
    ['nulls_last=True', [[[2, null, 1, null]]], [2, 0, 1, 3]],
    ['nulls_last=True in descending order', [[[2, null, 1, null], descending]], [0, 2, 1, 3]],
    ['NaN is greater than any other number', [[[nan, inf, -inf, 0]]], [2, 3, 1, 0]],
    ['so it is first in descending order', [[[0, inf, nan, -inf], descending]], [2, 1, 0, 3]],
    ['NaN is no null', [[[nan, null, 1], nullsFirst]], [1, 2, 0]],
    ['NaNs are equal', [[[nan, 1, nan]], [[2, 0, 1]]], [1, 2, 0]],
    ['−0 and +0 are equal', [[[0, -0, 0], { zeros: 'equal' }], [[3, 2, 1]]], [2, 1, 0]],
    ['maintain_order=True keeps ties', [[['b', 'a', 'b', 'a']]], [1, 3, 0, 2]],
    ['and keeps them in descending order', [[['b', 'a', 'b', 'a'], descending]], [0, 2, 1, 3]],
    ['by=[a, b]', [[[1, 2, 1, 2]], [['y', 'x', 'x', 'w']]], [2, 0, 3, 1]],
    [
      'descending=[False, True], nulls_last=[True, False]',
      [[['a', null, 'a', 'b', 'a']], [[1, 5, null, 2, 3], { ...descending, ...nullsFirst }]],
      [2, 4, 0, 3, 1],
    ],
    ['strings have the order of their code points', [[['é', 'z', 'a', 'Z', '']]], [4, 3, 2, 1, 0]],
  ])('%s', check);
});

/** https://duckdb.org/docs/stable/sql/query_syntax/orderby */
describe('as ORDER BY of DuckDB has it', () => {
  it.each<Case>([
    ['ASC NULLS LAST is the default', [[[3, null, 1]]], [2, 0, 1]],
    ['DESC has nulls last, too', [[[3, null, 1], descending]], [0, 2, 1]],
    ['DESC NULLS FIRST', [[[3, null, 1], { ...descending, ...nullsFirst }]], [1, 0, 2]],
    ['NaN is the greatest', [[[nan, inf, 1]]], [2, 1, 0]],
    ['the second column decides where the first ties', [[[1, 1, 0]], [['b', 'a', 'c']]], [2, 1, 0]],
    [
      'each column has a direction of its own',
      [[[1, 1, 0], descending], [['b', 'a', 'c']]],
      [1, 0, 2],
    ],
    ['an empty text is no null, and comes first', [[['', null, 'a']]], [0, 2, 1]],
    ['capitals come before small letters', [[['b', 'B', 'a', 'A']]], [3, 1, 2, 0]],
  ])('%s', check);
});

/** https://pandas.pydata.org/docs/reference/api/pandas.DataFrame.sort_values.html */
describe('as sort_values of pandas has it', () => {
  it.each<Case>([
    ["na_position='last'", [[[nan, 2, 1], { nans: 'last' }]], [2, 1, 0]],
    ["na_position='first'", [[[2, nan, 1], { nans: 'first' }]], [1, 2, 0]],
    [
      'which does not turn with the order',
      [[[2, nan, 1], { ...descending, nans: 'last' }]],
      [0, 2, 1],
    ],
  ])('%s', check);
});
