/** Texts of Parquet stay in a dictionary from the file to the file, if they have one there. */

import { runSeed } from '@keysweep/conformance/data';
import { parquetReadObjects } from 'hyparquet';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { describe, expect, it } from 'vitest';
import { testRandom } from '../../../tools/test/random.js';
import { sortKeysOf } from '../src/index.js';
import { dictionaryOf, Entries, usedEntries } from '../src/parquet/dictionary.js';
import { cursorOf, readRuns } from '../src/parquet/encodings.js';
import { dataPage, dictionaryPage, parquetFile, run } from './bombs.js';
import { tableIn, written } from './columns.js';

const SEED = runSeed();
const random = testRandom();
const TEXT = { type: 'BYTE_ARRAY', converted_type: 'UTF8' } as const;
const HOW = { format: 'parquet' } as const;

const objectsIn = (bytes: Uint8Array): Promise<Record<string, unknown>[]> =>
  parquetReadObjects({ file: new Uint8Array(bytes).buffer });

/** Text with its length of 4 bytes, as plain pages have it. */
function plainTexts(texts: readonly string[]): Uint8Array {
  const parts = texts.map((text) => {
    const length = Buffer.alloc(4);
    length.writeUInt32LE(Buffer.byteLength(text));
    return Buffer.concat([length, Buffer.from(text)]);
  });
  return Buffer.concat(parts);
}

/** Rows of words, a tenth of them null; each row group has words of its own, and common ones. */
function wordsOf(rows: number, group: number): (string | null)[] {
  return Array.from({ length: rows }, (_, row) => {
    if (random.below(10) === 0) return null;
    const number = random.below(20);
    return number < 10 ? `all ${number}` : `group ${Math.floor(row / group)}: ${number}`;
  });
}

function fileOf(words: readonly (string | null)[], group: number): Uint8Array {
  const buffer = parquetWriteBuffer({
    columnData: [{ name: 'x', data: [...words] }],
    schema: [
      { name: 'root', num_children: 1 },
      { name: 'x', repetition_type: 'OPTIONAL', ...TEXT },
    ],
    rowGroupSize: group,
  });
  return new Uint8Array(buffer);
}

describe(`dictionaries of row groups (seed ${SEED})`, () => {
  const [rows, group] = [5000, 900];
  const words = wordsOf(rows, group);
  const order = Uint32Array.from({ length: rows }, () => random.below(rows));

  it('become one, which rows are carried by', async () => {
    const table = await tableIn(fileOf(words, group), HOW);
    const { values } = await table.readColumn(0);
    if (values.kind !== 'dictionary') throw new Error(`they became ${values.kind}`);
    const distinct = new Set(words.filter((word) => word !== null));
    expect(values.entries.rows).toBe(distinct.size);
    const after = await objectsIn(await written(table, 'parquet', order));
    expect(after.map(({ x }) => x ?? null)).toEqual([...order].map((row) => words[row]));
  });

  it('are sorted by the values of their entries', async () => {
    const table = await tableIn(fileOf(words, group), HOW);
    let sorted = 0;
    const { keys, valid } = await sortKeysOf(await table.readColumn(0), async ({ keys }) => {
      if (!('offsets' in keys)) throw new Error('entries are texts');
      const { offsets, bytes } = keys;
      sorted = offsets.length - 1;
      const texts = Array.from({ length: sorted }, (_, i) =>
        Buffer.from(bytes.subarray(offsets[i], offsets[i + 1])),
      );
      return Uint32Array.from(texts.keys()).sort((a, b) =>
        Buffer.compare(texts[a] as Buffer, texts[b] as Buffer),
      );
    });
    expect(sorted).toBeLessThan(200);
    const ranks = keys as Uint32Array;
    for (let row = 1; row < rows; row++) {
      const [before, own] = [words[row - 1], words[row]];
      expect(((valid?.[row >> 3] as number) >> (row & 7)) & 1).toBe(own === null ? 0 : 1);
      if (typeof before !== 'string' || typeof own !== 'string') continue;
      const [a, b] = [ranks[row - 1] as number, ranks[row] as number];
      expect(Math.sign(a - b)).toBe(before < own ? -1 : Number(before > own));
    }
  });

  it('are written with the entries that a row group has, not with all', async () => {
    const few = Uint32Array.from({ length: 400 }, () => words.indexOf('all 3'));
    const table = await tableIn(fileOf(words, group), HOW);
    const again = await tableIn(await written(table, 'parquet', few), HOW);
    const { values } = await again.readColumn(0);
    expect(values.kind === 'dictionary' && values.entries.rows).toBe(1);
  });

  it('end if a page has none: all rows are texts then', async () => {
    const file = parquetFile({ ...TEXT, repetition_type: 'OPTIONAL' }, 9, [
      dictionaryPage(2, plainTexts(['one', 'two'])),
      // The levels of three rows, of which the second is null; then the places 1 and 0.
      dataPage(3, 'RLE_DICTIONARY', [3, 0b101, 1, 3, 0b01], { levels: 2, nulls: 1 }),
      dataPage(4, 'PLAIN', [3, 0b1011, ...plainTexts(['three', '', 'one'])], {
        levels: 2,
        nulls: 1,
      }),
      dataPage(2, 'RLE_DICTIONARY', [...run(2, 1), 1, ...run(2, 1)], { levels: 2 }),
    ]);
    const table = await tableIn(file, HOW);
    expect((await table.readColumn(0)).values.kind).toBe('variable');
    const all = Uint32Array.from({ length: 9 }, (_, row) => row);
    for (const format of ['parquet', 'arrow'] as const) {
      const bytes = await written(table, format, all);
      const { values, valid } = await (await tableIn(bytes, { format })).readColumn(0);
      if (values.kind !== 'variable') throw new Error(`${format}: ${values.kind}`);
      const texts = Array.from(all, (row) =>
        Buffer.from(values.bytes.subarray(values.offsets[row], values.offsets[row + 1])).toString(),
      );
      expect(texts).toEqual(['two', '', 'one', 'three', '', '', 'one', 'two', 'two']);
      expect(valid).toEqual(Uint8Array.of(0b1101_1101, 1));
    }
  });
});

it('numbers of any width are decoded over many blocks', () => {
  for (const width of [1, 3, 8, 11, 17, 24, 25, 26, 31, 32]) {
    const runs: number[] = [];
    const wanted: number[] = [];
    while (wanted.length < 20_000) {
      const value = random.below(2 ** width);
      if (random.below(2) === 0) {
        const count = 1 + random.below(5000);
        const header = count << 1;
        for (let rest = header; ; rest >>>= 7) {
          runs.push(rest < 128 ? rest : (rest & 127) | 128);
          if (rest < 128) break;
        }
        for (let i = 0; i < (width + 7) >> 3; i++) runs.push(Math.floor(value / 256 ** i) % 256);
        for (let i = 0; i < count; i++) wanted.push(value);
      } else {
        const groups = 1 + random.below(60);
        runs.push((groups << 1) | 1);
        let bits = 0n;
        for (let i = 0; i < groups * 8; i++) {
          const number = random.below(2 ** width);
          wanted.push(number);
          bits |= BigInt(number) << BigInt(i * width);
        }
        for (let i = 0; i < groups * width; i++) runs.push(Number((bits >> BigInt(8 * i)) & 255n));
      }
    }
    const found: number[] = [];
    readRuns(cursorOf(Uint8Array.from(runs)), width, wanted.length, (first, values) => {
      expect(first).toBe(found.length);
      for (const value of values) found.push(value);
    });
    expect(found).toEqual(wanted);
  }
});

it('the entries that rows have make a dictionary, if they are few enough', () => {
  const texts = Array.from({ length: 100 }, (_, i) => Buffer.from(`entry ${i}`));
  const offsets = Uint32Array.from({ length: 101 }, (_, i) =>
    texts.slice(0, i).reduce((sum, { length }) => sum + length, 0),
  );
  const entries = {
    ...{ rows: 100, valid: undefined },
    values: { kind: 'variable', offsets, bytes: new Uint8Array(Buffer.concat(texts)) },
  } as const;
  /** Rows of `count` entries in turns, the last ones of the dictionary. */
  const used = (rows: number, count: number, valid?: Uint8Array<ArrayBuffer>) => {
    const places = Uint8Array.from({ length: rows }, (_, row) => 99 - (row % count));
    return usedEntries({
      ...{ rows, valid },
      values: {
        ...{ kind: 'dictionary', arePlacesSigned: false, entries },
        places: { kind: 'fixed', width: 1, bytes: places },
      },
    });
  };
  // A quarter of the rows may be distinct.
  for (const [rows, count] of [
    [40, 10],
    [400, 100],
    [4, 1],
  ] as const) {
    const found = used(rows, count);
    expect(found?.count).toBe(count);
    expect([...(found?.places ?? [])]).toEqual(Array.from({ length: rows }, (_, i) => i % count));
    const { values } = { values: found?.entries as typeof entries.values };
    const text = (i: number) =>
      Buffer.from(values.bytes.subarray(values.offsets[i], values.offsets[i + 1])).toString();
    expect(Array.from({ length: count }, (_, i) => text(i))).toEqual(
      Array.from({ length: count }, (_, i) => `entry ${99 - i}`),
    );
  }
  expect(used(40, 11)).toBeUndefined();
  expect(used(3, 1)).toBeUndefined();
  // Rows without a value have no place.
  const some = used(40, 2, new Uint8Array([0b101, 0, 0, 0, 0b1000_0000]));
  expect([...(some?.places ?? [])]).toEqual([0, 0, 1]);
  expect(some?.count).toBe(2);
  expect(used(40, 2, new Uint8Array(5))).toBeUndefined();
});

it(`entries have a number each, however long and however many they are (seed ${SEED})`, () => {
  let [held, most] = [0, 0];
  const take = (bytes: number): void => {
    held += bytes;
    most = Math.max(most, held);
  };
  const entries = new Entries({ take, give: (bytes) => take(-bytes) });
  // None, a little, more than there is room for at first, more than twice that.
  const lengths = [0, 1, 7, 8, 9, 20_000, 31, 32, 33, 4096, 50_000];
  const numbers = new Map<string, number>();
  for (let i = 0; i < 3000; i++) {
    const length = lengths[i] ?? random.below(12);
    const text = Buffer.alloc(length, i < lengths.length ? 97 + i : 97 + random.below(6));
    text.set(Buffer.from(`${random.below(400)}`).subarray(0, length));
    const bytes = Buffer.concat([Buffer.from('before'), text, Buffer.from('after')]);
    const key = text.toString('latin1');
    const number = entries.numberOf(bytes, 6, 6 + length);
    expect(number).toBe(numbers.get(key) ?? numbers.size);
    numbers.set(key, number as number);
  }
  expect(entries.count).toBe(numbers.size);
  const { offsets, bytes } = entries.variable();
  expect(held).toBeGreaterThanOrEqual(2 * (offsets.byteLength + bytes.length));
  const texts = Array.from(numbers.keys(), (_, i) =>
    Buffer.from(bytes.subarray(offsets[i], offsets[i + 1])).toString('latin1'),
  );
  expect(texts).toEqual([...numbers.keys()]);
  entries.end();
  expect(held).toBe(offsets.byteLength + bytes.length);
});

/** Distinct texts that have the same low 12 bits of the hash by which entries are looked for. */
function alikeTexts(count: number): string[] {
  const texts: string[] = [];
  for (let i = 0; texts.length < count; i++) {
    const text = `text ${i}`;
    let hash = 0x811c9dc5;
    for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193);
    if (((hash ^ (hash >>> 15)) & 0xfff) === 7) texts.push(text);
  }
  return texts;
}

it('texts made to look for one place of the table stay texts, read and written', async () => {
  const texts = alikeTexts(600);
  const entries = new Entries();
  const numbers = texts.map((text) => entries.numberOf(Buffer.from(text), 0, text.length));
  expect(numbers.slice(0, 100)).toEqual(Array.from({ length: 100 }, (_, i) => i));
  expect(numbers.at(-1)).toBeUndefined();

  // Places of 16 bits, packed in groups of eight.
  const header = ((texts.length / 8) << 1) | 1;
  const places = Array.from(texts.keys(), (i) => [i & 255, i >> 8]).flat();
  const packed = [16, (header & 127) | 128, header >> 7, ...places];
  const file = parquetFile({ ...TEXT, repetition_type: 'REQUIRED' }, texts.length, [
    dictionaryPage(texts.length, plainTexts(texts)),
    dataPage(texts.length, 'RLE_DICTIONARY', packed),
  ]);
  const table = await tableIn(file, HOW);
  const { values } = await table.readColumn(0);
  expect(values.kind).toBe('variable');
  const all = Uint32Array.from(texts.keys());
  const after = await objectsIn(await written(table, 'parquet', all));
  expect(after.map(({ x }) => x)).toEqual(texts);
});

it(`a dictionary of numbers has each once, in the order in which they come (seed ${SEED})`, () => {
  for (const width of [4, 8, 12]) {
    for (const [rows, distinct] of [
      [1, 1],
      [7, 2],
      [3000, 100],
      [60_000, 9_000],
      [70_000, 20_000],
    ] as const) {
      const some = Array.from({ length: distinct }, () =>
        random.fill(new Uint8Array(width)).fill(0, 0, random.below(width)),
      );
      const drawn = Array.from({ length: rows }, () => some[random.below(distinct)] as Uint8Array);
      const bytes = new Uint8Array(Buffer.concat(drawn));
      const numbers = new Map<string, number>();
      const places = drawn.map((value) => {
        const number = numbers.get(`${value}`) ?? numbers.size;
        numbers.set(`${value}`, number);
        return number;
      });
      const found = dictionaryOf({ kind: 'fixed', width, bytes });
      if (numbers.size > Math.min(2 ** 14, rows >> 2)) {
        expect(found).toBeUndefined();
        continue;
      }
      expect(found?.count).toBe(numbers.size);
      expect(`${found?.places}` === `${places}`).toBe(true);
      const entries = [...numbers.keys()].join();
      expect(found?.entries.bytes.join() === entries).toBe(true);
    }
  }
});

it('pages that hardly shrink are written as they are, and others compressed', async () => {
  const rows = 30_000;
  const columnData = [
    { name: 'random', data: Float64Array.from({ length: rows }, () => random.below(2 ** 32) / 7) },
    { name: 'near', data: Float64Array.from({ length: rows }, (_, row) => row) },
  ];
  const bytes = new Uint8Array(parquetWriteBuffer({ columnData }));
  const order = Uint32Array.from({ length: rows }, (_, row) => rows - 1 - row);
  const after = await written(await tableIn(bytes, HOW), 'parquet', order);
  expect(await objectsIn(after)).toEqual((await objectsIn(bytes)).reverse());
  expect(after.length).toBeGreaterThan(8 * rows);
  expect(after.length).toBeLessThan(15 * rows);
});
