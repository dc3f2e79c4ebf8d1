/** The encodings of Parquet's pages, by hand: what a writer may write, and what none does. */

import { parquetWriteBuffer } from 'hyparquet-writer';
import { describe, expect, it } from 'vitest';
import { cursorOf, readDictionaryPlaces, readRuns } from '../src/parquet/encodings.js';
import { tableIn } from './columns.js';

function runsIn(bytes: readonly number[], width: number, count: number): number[] {
  const values = new Array<number>(count).fill(-1);
  readRuns(cursorOf(Uint8Array.from(bytes)), width, count, (first, some) => {
    for (const [i, value] of some.entries()) values[first + i] = value;
  });
  return values;
}

describe('runs', () => {
  it('repeat a value, or are packed, bits from the lowest on', () => {
    expect(runsIn([5 << 1, 3], 2, 5)).toEqual([3, 3, 3, 3, 3]);
    expect(runsIn([(1 << 1) | 1, 0b1011_0010], 1, 8)).toEqual([0, 1, 0, 0, 1, 1, 0, 1]);
    expect(runsIn([2 << 1, 0x39, 0x05, (1 << 1) | 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], 10, 4)).toEqual(
      [0x539, 0x539, 0, 0],
    );
  });

  it('have the length that their page says, and end in it', () => {
    expect(() => runsIn([6 << 1, 3], 2, 5)).toThrow('runs of other lengths than its 5 values');
    expect(() => runsIn([5 << 1], 2, 5)).toThrow('ends in the middle');
    expect(() => runsIn([(1 << 1) | 1], 1, 8)).toThrow('ends in the middle');
  });
});

describe('places in a dictionary', () => {
  const places = (place: number, width: number): Uint8Array => {
    const dictionary = Uint8Array.from({ length: 2 * width }, (_, i) => i);
    const out = new Uint8Array(width);
    readDictionaryPlaces(cursorOf(Uint8Array.of(2, 1 << 1, place)), dictionary, width, 1, out);
    return out;
  };

  it.each([2, 4, 8, 12, 16])('give entries of %i bytes, and none after the last', (width) => {
    expect(places(1, width)).toEqual(Uint8Array.from({ length: width }, (_, i) => width + i));
    expect(() => places(2, width)).toThrow('names entry 2 of a dictionary of 2');
  });
});

it('differences carry from one half of an integer of 64 bits to the other', async () => {
  const steps = [2n ** 32n - 1n, 2n ** 32n, 2n ** 32n - 1n, -1n, 0n, -(2n ** 32n), 1n];
  const values = BigInt64Array.from([...steps, 2n ** 63n - 1n, -(2n ** 63n), -1n, 2n ** 40n]);
  const bytes = parquetWriteBuffer({
    columnData: [
      { name: 'x', data: Array.from(values), type: 'INT64', encoding: 'DELTA_BINARY_PACKED' },
    ],
  });
  const table = await tableIn(new Uint8Array(bytes), { format: 'parquet' });
  expect(await table.read('x')).toEqual(values);
});
