/** Ranges of words, wherever the least and the largest one are. */

import { Random, runSeed } from '@keysweep/conformance/data';
import { argsort } from 'keysweep';
import { describe, expect, it } from 'vitest';
import { boundsOf, emptyRange, TOP, widenByLows } from '../src/table/range.js';

const SEED = runSeed();
const random = new Random(SEED);

describe(`ranges of words (KEYSWEEP_SEED=${SEED})`, () => {
  it.each([
    ['words', 0],
    ['signed integers', TOP],
  ])('of %s are those of each part together, whether even or odd', (_, flip) => {
    for (let i = 0; i < 200; i++) {
      const numbers = random.fill(new Uint32Array(1 + random.below(40)));
      const from = random.below(numbers.length);
      const middle = from + random.below(numbers.length - from);
      const range = emptyRange();
      widenByLows(range, numbers, from, middle, flip);
      widenByLows(range, numbers, middle, numbers.length, flip);
      const words = Array.from(numbers.subarray(from), (number) => (number ^ flip) >>> 0);
      const [least, most] = [Math.min(...words), Math.max(...words)];
      expect(range).toMatchObject({ leastLow: least, mostLow: most });
      const bits = (most - least).toString(2).length;
      expect(boundsOf(range)).toEqual({ least: BigInt(least), bits: most === least ? 0 : bits });
    }
  });

  it('hold for columns of several slices whose extremes are in the last row', async () => {
    const rows = 2 ** 16 + 1;
    const [a, b, c] = [new Int8Array(rows), new Uint16Array(rows), new Int32Array(rows)];
    for (let i = 0; i < rows; i++) [a[i], b[i], c[i]] = [i & 1, (7 * i) & 63, (5 * i) & 255];
    [a[rows - 1], b[rows - 1], c[rows - 1]] = [-128, 65535, -(2 ** 31)];
    const order = await argsort([{ keys: a }, { keys: b, order: 'descending' }, c]);
    const all = Uint32Array.from({ length: rows }, (_, row) => row);
    const at = (keys: ArrayLike<number>, row: number): number => keys[row] as number;
    const compare = (i: number, j: number): number =>
      at(a, i) - at(a, j) || at(b, j) - at(b, i) || at(c, i) - at(c, j);
    expect(order).toEqual(all.sort(compare));
  });
});
