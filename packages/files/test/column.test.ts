/** One column of a file: its dictionary, its keys, and what damage does to it. */

import { isThorough, runSeed, sample } from '@keysweep/conformance/data';
import {
  Table as ArrowTable,
  Decimal,
  Dictionary,
  Int8,
  LargeUtf8,
  tableFromIPC,
  tableToIPC,
  Utf8,
  vectorFromArray,
} from 'apache-arrow';
import type { Encoding, SchemaElement } from 'hyparquet';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { describe, expect, it } from 'vitest';
import { testRandom } from '../../../tools/test/random.js';
import { FileError, sortKeysOf, type TableFormat } from '../src/index.js';
import { dictionaryOf } from '../src/parquet/dictionary.js';
import { bitmapBytes, countNulls, firstNull } from '../src/stored/column.js';
import { tableIn, written } from './columns.js';

const SEED = runSeed();
const random = testRandom();

const DECIMAL: Partial<SchemaElement> = {
  type: 'FIXED_LEN_BYTE_ARRAY',
  type_length: 11,
  converted_type: 'DECIMAL',
  precision: 25,
};

describe(`a dictionary (seed ${SEED})`, () => {
  it('has every value at its place, and none if most values are distinct', () => {
    const drawn = Float64Array.from({ length: 3000 }, () => random.below(2 ** 32) / 3);
    const numbers = Float64Array.from(
      { length: 20_000 },
      () => drawn[random.below(3000)] as number,
    );
    const bytes = new Uint8Array(numbers.buffer);
    const found = dictionaryOf({ kind: 'fixed', width: 8, bytes });
    const entries = new Float64Array(found?.entries.bytes.buffer ?? new ArrayBuffer());
    expect(Float64Array.from(found?.places ?? [], (place) => entries[place] as number)).toEqual(
      numbers,
    );
    expect(entries.length).toBe(new Set(numbers).size);
    const distinct = new Uint8Array(Float64Array.from(numbers.keys()).buffer);
    expect(dictionaryOf({ kind: 'fixed', width: 8, bytes: distinct })).toBe(undefined);
    // As many distinct values as there may be, in any order, are not taken for distinct ones.
    const many = Uint32Array.from({ length: 131_072 }, () => random.below(16_384));
    const wide = { kind: 'fixed', width: 4, bytes: new Uint8Array(many.buffer) } as const;
    expect(dictionaryOf(wide)?.count).toBe(new Set(many).size);
    // Of values at any byte, and of every width.
    for (const width of [1, 2, 3, 4, 8, 12]) {
      const rows = 400;
      const values = random.fill(new Uint8Array(20 * width));
      const own = Array.from({ length: rows }, () => random.below(20));
      for (const at of [0, 1, 2, 4]) {
        const bytes = new Uint8Array(rows * width + at).subarray(at);
        own.forEach((value, row) => {
          bytes.set(values.subarray(value * width, (value + 1) * width), row * width);
        });
        const taken = dictionaryOf({ kind: 'fixed', width, bytes });
        const read = Buffer.concat(
          Array.from(
            taken?.places ?? [],
            (place) =>
              taken?.entries.bytes.subarray(place * width, (place + 1) * width) as Uint8Array,
          ),
        );
        expect([width, at, read.equals(bytes)]).toEqual([width, at, true]);
        expect(taken?.entries.bytes.length).toBe((taken?.count ?? 0) * width);
      }
    }
  });
});

describe('a bitmap of values that are not null', () => {
  it('tells the first null and how many there are, at each place', () => {
    for (let rows = 0; rows <= 40; rows++) {
      const all = new Uint8Array(bitmapBytes(rows)).fill(255);
      expect([firstNull(all, rows), countNulls(all, rows)]).toEqual([-1, 0]);
      for (let first = 0; first < rows; first++) {
        for (const last of new Set([first, rows - 1])) {
          const valid = all.slice();
          for (const row of [first, last]) (valid[row >> 3] as number) &= ~(1 << (row & 7));
          expect([firstNull(valid, rows), countNulls(valid, rows)]).toEqual([
            first,
            first === last ? 1 : 2,
          ]);
        }
      }
    }
    expect([firstNull(undefined, 9), countNulls(undefined, 9)]).toEqual([-1, 0]);
  });
});

describe(`keys of a column (seed ${SEED})`, () => {
  const FORMATS: readonly TableFormat['format'][] = ['parquet', 'arrow'];

  it.each(sample(FORMATS, 2, SEED))('of wide decimals have their order (%s)', async (format) => {
    const values = [5n, -5n, 10n ** 24n, -(10n ** 24n), 0n];
    const parquet = parquetWriteBuffer({
      columnData: [{ name: 'price', data: values }],
      schema: [
        { name: 'root', num_children: 1 },
        { name: 'price', repetition_type: 'REQUIRED', ...DECIMAL },
      ] as SchemaElement[],
    });
    let table = await tableIn(new Uint8Array(parquet), { format: 'parquet' });
    if (format === 'arrow') {
      const bytes = await written(table, 'arrow', Uint32Array.of(0, 1, 2, 3, 4));
      expect(tableFromIPC(bytes).schema.fields[0]?.type).toBeInstanceOf(Decimal);
      table = await tableIn(bytes, { format: 'arrow' });
    }
    const { keys } = await sortKeysOf(await table.readColumn(0), () => Promise.reject(new Error()));
    const { width, bytes } = keys as { width: number; bytes: Uint8Array };
    const rows = values.map((_, i) => Buffer.from(bytes.slice(i * width, (i + 1) * width)));
    const order = [...rows.keys()].sort((a, b) =>
      Buffer.compare(rows[a] as Buffer, rows[b] as Buffer),
    );
    expect(order).toEqual([3, 1, 4, 0, 2]);
  });
});

describe(`damaged text and nulls (seed ${SEED})`, () => {
  const count = isThorough ? 2000 : 100;
  const words = (['', 'abc', 'x'.repeat(70), 'é', null] as const).flatMap((word) =>
    Array.from({ length: 100 }, () => (random.below(6) === 0 ? null : word)),
  );
  const parquet = (encoding?: Encoding): Uint8Array => {
    const column = { name: 'text', data: words as never, ...(encoding ? { encoding } : {}) };
    return new Uint8Array(parquetWriteBuffer({ columnData: [column], codec: 'UNCOMPRESSED' }));
  };
  const arrow = new ArrowTable({
    text: vectorFromArray(words, new Utf8()),
    large: vectorFromArray(words, new LargeUtf8()),
    named: vectorFromArray(words, new Dictionary(new Utf8(), new Int8())),
  });

  it.each([
    ['Parquet, by a dictionary', 'parquet', parquet()],
    ['Parquet, plain', 'parquet', parquet('PLAIN')],
    ['Parquet, by lengths', 'parquet', parquet('DELTA_LENGTH_BYTE_ARRAY')],
    ['Parquet, by prefixes', 'parquet', parquet('DELTA_BYTE_ARRAY')],
    ['Arrow', 'arrow', tableToIPC(arrow, 'file')],
  ] as const)('are read, or refused with a FileError: %s', async (_, format, bytes) => {
    let refused = 0;
    for (let i = 0; i < count; i++) {
      const damaged = new Uint8Array(bytes);
      damaged[random.below(damaged.length)] = random.below(256);
      try {
        const table = await tableIn(damaged, { format });
        for (const place of table.columns.keys()) await table.readColumn(place);
      } catch (error) {
        expect(error).toBeInstanceOf(FileError);
        refused++;
      }
    }
    expect(refused).toBeGreaterThan(0);
    expect(refused).toBeLessThan(count);
  });
});
