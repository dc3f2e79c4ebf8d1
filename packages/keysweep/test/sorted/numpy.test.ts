/** Small inputs and what NumPy makes of them, as numpy/make.py has recorded it. */

import { readFileSync } from 'node:fs';
import { type CommonKeyType, classOf } from '@keysweep/conformance/data';
import type { KeyArray } from '@keysweep/core';
import { argsort, toSorted } from 'keysweep';
import * as sorted from 'keysweep/sorted';
import { argsortSync, sortSync } from 'keysweep/sync';
import { describe, expect, it } from 'vitest';

/** Results for one array of keys; keys are texts, because JSON has neither NaN nor 64 bits. */
interface Recorded {
  readonly type: CommonKeyType;
  readonly keys: readonly string[];
  readonly sort: readonly string[];
  readonly argsort: readonly number[];
  /** A second column, and the order by it first. */
  readonly other: readonly number[];
  readonly lexsort: readonly number[];
  readonly unique: readonly string[];
  readonly index: readonly number[];
  readonly counts: readonly number[];
  readonly sought: readonly string[];
  readonly left: readonly number[];
  readonly right: readonly number[];
  /** Quantiles of the finite keys, of all types but integers of 64 bits. */
  readonly numbers?: readonly string[];
  readonly fractions?: readonly number[];
  readonly quantiles?: Readonly<Record<sorted.QuantileMethod, readonly string[]>>;
}

const METHODS = ['linear', 'lower', 'higher', 'nearest'] as const;

const file = new URL('numpy/results.json', import.meta.url);
const { source, cases } = JSON.parse(readFileSync(file, 'utf8')) as {
  readonly source: string;
  readonly cases: readonly Recorded[];
};

const numberOf = (text: string): number =>
  ({ nan: Number.NaN, inf: Number.POSITIVE_INFINITY, '-inf': Number.NEGATIVE_INFINITY })[text] ??
  Number(text);

/** Keys of a type from their texts. */
function keysOf(type: CommonKeyType, texts: readonly string[]): KeyArray {
  const keys = classOf(type).create(texts.length) as KeyArray;
  for (const [i, text] of texts.entries()) {
    keys[i] = (typeof keys[0] === 'bigint' ? BigInt(text) : numberOf(text)) as never;
  }
  return keys;
}

describe(`results of ${source}`, () => {
  it.each(cases.map((one, i) => [i, one.type, one] as const))('%i, %s', async (_, type, one) => {
    const keys = keysOf(type, one.keys);
    const inOrder = keysOf(type, one.sort);
    expect(await toSorted(keys)).toEqual(inOrder);
    expect(sortSync(keys.slice())).toEqual(inOrder);

    const rows = Uint32Array.from(one.argsort);
    expect(await argsort(keys)).toEqual(rows);
    expect(argsortSync(keys)).toEqual(rows);
    const columns = [Uint8Array.from(one.other), keys] as const;
    expect(await argsort(columns)).toEqual(Uint32Array.from(one.lexsort));
    expect(argsortSync(columns)).toEqual(Uint32Array.from(one.lexsort));

    const { keys: unique, ...found } = await sorted.unique(keys, { counts: true, indices: true });
    expect(unique).toEqual(keysOf(type, one.unique));
    expect(found).toEqual({
      counts: Uint32Array.from(one.counts),
      indices: Uint32Array.from(one.index),
    });

    const sought = keysOf(type, one.sought);
    for (const side of ['left', 'right'] as const) {
      const places = await sorted.searchSorted(inOrder, sought, { side });
      expect(places).toEqual(Uint32Array.from(one[side]));
    }

    const { numbers, fractions = [], quantiles } = one;
    if (numbers === undefined || quantiles === undefined) return;
    // Integers of 64 bits are left out.
    const finite = keysOf(type, numbers) as Float64Array;
    for (const method of METHODS) {
      const texts = quantiles[method];
      const found = sorted.quantilesSync(finite, fractions, { method });
      // Both interpolate in doubles, though not by the same formula.
      for (const [i, quantile] of found.entries()) {
        const expected = numberOf(texts[i] as string);
        const isNear = Math.abs(quantile - expected) <= 2 ** -50 * Math.abs(expected);
        expect([method, quantile, expected, isNear]).toEqual([method, quantile, expected, true]);
      }
    }
  });
});
