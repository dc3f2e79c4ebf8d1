/** What the page reads of Arrow files, without the page. */

import { Table, vectorFromArray } from 'apache-arrow';
import { expect, it } from 'vitest';
import { openArrow } from '../src/data/arrow.js';
import { fileOf, longsOf, rowsOf, streamOf } from './arrow-files.js';

const numbers = Array.from({ length: 3000 }, (_, i) => ((i * 7919) % 3001) / 8 - 100);

it.each([
  ['a file', () => fileOf(rowsOf(numbers))],
  ['a stream of three batches', () => streamOf(numbers, [7, 1001, 3000])],
])('Arrow, %s: its columns of numbers, bit for bit', async (_, write) => {
  const table = await openArrow(new File([write() as BlobPart], 'numbers.arrow'));
  expect(table.columns.map(({ name, keyType, rows }) => [name, keyType, rows])).toEqual([
    ['single', 'f32', 3000],
    ['long', 'i64', 3000],
    ['text', undefined, 3000],
  ]);
  expect(await table.read('single')).toEqual(Float32Array.from(numbers));
  expect(await table.read('long')).toEqual(longsOf(numbers));
  await expect(table.read('text')).rejects.toThrow('has no numbers');
});

it('Arrow: numbers that are missing are told of', async () => {
  const table = new Table({ x: vectorFromArray([1.5, null, 2.5]) });
  const file = new File([fileOf(table) as BlobPart], 'x.arrow');
  await expect((await openArrow(file)).read('x')).rejects.toThrow(
    'column x has nulls (the first in row 1)',
  );
});
