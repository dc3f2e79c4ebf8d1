/** What the page reads of Arrow files, without the page. */

import {
  makeVector,
  RecordBatchStreamWriter,
  Table,
  tableToIPC,
  Utf8,
  vectorFromArray,
} from 'apache-arrow';
import { describe, expect, it } from 'vitest';
import { openArrow } from '../src/data/arrow.js';

const numbers = Array.from({ length: 3000 }, (_, i) => ((i * 7919) % 3001) / 8 - 100);
const floats = Float32Array.from(numbers);
const longs = BigInt64Array.from(numbers, (number) => BigInt(Math.trunc(number)) << 40n);

const part = (from: number, to: number) =>
  new Table({
    name: vectorFromArray(
      numbers.slice(from, to).map((number) => `${number}`),
      new Utf8(),
    ),
    single: makeVector(floats.slice(from, to)),
    long: makeVector(longs.slice(from, to)),
  });

describe.each([
  ['a file', () => tableToIPC(part(0, 3000), 'file')],
  [
    'a stream of three batches',
    () => {
      const parts = [part(0, 7), part(7, 1001), part(1001, 3000)];
      return RecordBatchStreamWriter.writeAll(parts.flatMap(({ batches }) => batches)).toUint8Array(
        true,
      );
    },
  ],
])('Arrow: %s', (_, write) => {
  it('has its columns of numbers, bit for bit', async () => {
    const table = await openArrow(new File([write() as BlobPart], 'numbers.arrow'));
    expect(table.columns.map(({ name, keyType, rows }) => [name, keyType, rows])).toEqual([
      ['name', undefined, 3000],
      ['single', 'f32', 3000],
      ['long', 'i64', 3000],
    ]);
    expect(await table.read('single')).toEqual(floats);
    expect(await table.read('long')).toEqual(longs);
    await expect(table.read('name')).rejects.toThrow('has no numbers');
  });
});

it('Arrow: numbers that are missing are told of', async () => {
  const table = new Table({ x: vectorFromArray([1.5, null, 2.5]) });
  const file = new File([tableToIPC(table, 'file') as BlobPart], 'x.arrow');
  await expect((await openArrow(file)).read('x')).rejects.toThrow(
    'column x has nulls (the first in row 1)',
  );
});
