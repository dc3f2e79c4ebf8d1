/** Rows that are enough: few of them, and never a sort of all where few values tie. */

import { Random, runSeed } from '@keysweep/conformance/data';
import { type KeyArray, type Order, runAtOnce } from '@keysweep/core';
import { oraclePermutation } from '@keysweep/core/oracle';
import { describe, expect, it } from 'vitest';
import { firstRows, rowsAround } from '../src/selection/candidates.js';

const LENGTH = 40_000;
const random = new Random(runSeed());
const numbers = { length: LENGTH };

const INPUTS: ReadonlyArray<readonly [string, KeyArray]> = [
  ['numbers, all different', Uint32Array.from(numbers, (_, i) => (i * 7919) % 40_009)],
  ['few numbers', Float32Array.from(numbers, () => random.below(5) - 2.5)],
  ['few numbers and NaNs', Float64Array.from(numbers, () => [NaN, 1, 2, -1][random.below(4)] ?? 0)],
  ['zeros of both signs', Float32Array.from(numbers, () => (random.below(2) === 0 ? -0 : 0))],
  ['few numbers of 64 bits', BigInt64Array.from(numbers, () => BigInt(random.below(3) - 1))],
  ['equal keys', Int32Array.from(numbers, () => 7)],
];

describe.each(INPUTS)(`candidates among %s (KEYSWEEP_SEED=${runSeed()})`, (_, keys) => {
  const cases = (['ascending', 'descending'] as const).flatMap((order) =>
    [1, 100, 2000].map((k): [Order, number] => [order, k]),
  );

  it.each(cases)('hold the first of an order (%s, %d)', (order, k) => {
    const rows = runAtOnce(firstRows(keys, order, k));
    expect(rows?.length).toBeLessThan(LENGTH / 3);
    const found = new Set(rows);
    const first = oraclePermutation([keys], { order }).slice(0, k);
    expect(first.every((row) => found.has(row))).toBe(true);
  });

  it.each(cases)('hold the key at a place (%s, %d)', (order, k) => {
    const around = runAtOnce(rowsAround(keys, order, k));
    expect(around?.rows.length).toBeLessThan(LENGTH / 3);
    const rows = Array.from(around?.rows ?? [], (row) => keys[row]);
    const of = Float64Array.from(rows, Number).sort();
    if (order === 'descending') of.reverse();
    const whole = oraclePermutation([keys], { order });
    expect(of[around?.place ?? -1]).toBe(Number(keys[whole[k] as number]));
  });
});
