/** Columns that lie side by side give the rows that each column by itself gives. */

import { isThorough, runSeed } from '@keysweep/conformance/data';
import { describe, expect, it } from 'vitest';
import { testRandom } from '../../../tools/test/random.js';
import type { Stored, Values } from '../src/stored/column.js';
import { packRows, roomForRows, takeColumns } from '../src/stored/packed-rows.js';

const SEED = runSeed();
const random = testRandom();
const WIDTHS = [1, 2, 3, 4, 5, 8, 12, 16, 32, 36];

const bytesOf = (length: number): Uint8Array<ArrayBuffer> => random.fill(new Uint8Array(length));

function columnOf(rows: number): Stored {
  const kind = random.below(4);
  const width = WIDTHS[random.below(WIDTHS.length)] as number;
  const valid = random.below(2) === 0 ? undefined : bytesOf((rows + 7) >> 3);
  const fixed: Values = { kind: 'fixed', width, bytes: bytesOf(rows * width) };
  if (kind < 2) return { rows, valid, values: fixed };
  const offsets = new Uint32Array(rows + 1);
  for (let i = 0; i < rows; i++) offsets[i + 1] = (offsets[i] as number) + random.below(5);
  const text: Values = { kind: 'variable', offsets, bytes: bytesOf(offsets[rows] as number) };
  if (kind === 2) return { rows, valid, values: text };
  const places = { kind: 'fixed', width: 1, bytes: bytesOf(rows) } as const;
  const entries = { rows, values: text, valid: undefined };
  return { rows, valid, values: { kind: 'dictionary', places, arePlacesSigned: false, entries } };
}

/** The bytes that a row has, found by a look at each column. */
function rowIn({ values, valid }: Stored, row: number): string {
  const isNull = valid !== undefined && (((valid[row >> 3] as number) >> (row & 7)) & 1) === 0;
  const own =
    values.kind === 'variable'
      ? values.bytes.subarray(values.offsets[row], values.offsets[row + 1])
      : fixedRow(values.kind === 'fixed' ? values : values.places, row);
  return `${isNull} ${own}`;
}

const fixedRow = ({ bytes, width }: { bytes: Uint8Array; width: number }, row: number) =>
  bytes.subarray(row * width, (row + 1) * width);

describe(`packed rows (seed ${SEED})`, () => {
  it('are the rows of the columns, whatever their widths, in parts of any length', () => {
    for (let round = 0; round < (isThorough ? 2_000 : 30); round++) {
      const rows = 200 + random.below(2_000);
      const columns = Array.from({ length: 1 + random.below(7) }, () => columnOf(rows));
      const order = Uint32Array.from({ length: random.below(3_000) }, () => random.below(rows));
      const packed = roomForRows(columns, order);
      const middle = random.below(rows + 1);
      if (packed !== undefined) {
        packRows(columns, packed, middle, rows);
        packRows(columns, packed, 0, middle);
      }
      const taken = takeColumns(columns, packed, order);
      taken.forEach((column, i) => {
        const before = columns[i] as Stored;
        const expected = Array.from(order, (row) => rowIn(before, row));
        expect(column.rows).toBe(order.length);
        expect(Array.from(order, (_, at) => rowIn(column, at))).toEqual(expected);
      });
    }
  });

  it('hold texts that are short, and about as long as each other', () => {
    const rows = 1_000;
    const scattered = Uint32Array.from({ length: rows }, () => random.below(rows));
    const textsOf = (lengthOf: (row: number) => number): Stored => {
      const offsets = new Uint32Array(rows + 1);
      for (let i = 0; i < rows; i++) offsets[i + 1] = (offsets[i] as number) + lengthOf(i);
      const bytes = bytesOf(offsets[rows] as number);
      return { rows, valid: undefined, values: { kind: 'variable', offsets, bytes } };
    };
    const startsOf = (text: Stored) => roomForRows([text, text], scattered)?.starts;
    expect(startsOf(textsOf(() => 31))).toEqual([0, 32]);
    expect(startsOf(textsOf(() => 32))).toBeUndefined();
    expect(startsOf(textsOf((row) => 4 + (row % 9)))).toEqual([0, 13]);
    expect(startsOf(textsOf((row) => (row === 0 ? 25 : 1)))).toBeUndefined();
    expect(startsOf(textsOf(() => 0))).toEqual([0, 1]);
  });

  it('are made if two columns or more have values of one width, and rows are scattered', () => {
    const rows = 5_000;
    const four: Stored = {
      rows,
      valid: undefined,
      values: { kind: 'fixed', width: 4, bytes: bytesOf(4 * rows) },
    };
    const scattered = Uint32Array.from({ length: rows }, () => random.below(rows));
    expect(roomForRows([four, four], scattered)).toMatchObject({ size: 8, starts: [0, 4] });
    expect(roomForRows([four], scattered)).toBeUndefined();
    expect(roomForRows([four, four], Uint32Array.from(scattered.keys()))).toBeUndefined();
    expect(roomForRows([four, four], new Uint32Array())).toBeUndefined();
    // Two bytes into memory no value can be read as a word.
    const bytes = bytesOf(4 * rows + 2).subarray(2);
    const astray: Stored = { ...four, values: { kind: 'fixed', width: 4, bytes } };
    const starts = [undefined, 0, 4];
    expect(roomForRows([astray, four, four], scattered)).toMatchObject({ size: 8, starts });
  });
});
