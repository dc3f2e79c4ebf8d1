/**
 * Files of a few kilobytes that claim gigabytes are refused before the memory is taken. A child
 * process reads them: the most memory that it ever had is asked of the system.
 */

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import {
  Table as ArrowTable,
  Dictionary,
  Int32,
  tableToIPC,
  Utf8,
  vectorFromArray,
} from 'apache-arrow';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { drawTests } from '../../../tools/test/draw-tests.js';
import {
  bytesSource,
  type Format,
  MemoryError,
  type OpenOptions,
  openTable,
  writeTable,
} from '../src/index.js';
import {
  arrowBombs,
  type Bomb,
  dataPage,
  mixedTexts,
  numberBombs,
  parquetBombs,
  parquetFile,
  sameNumbers,
  sameTexts,
  sameViews,
  zstdArrow,
  zstdFrame,
} from './bombs.js';
import { tableIn } from './columns.js';

drawTests(1 / 2);

const MiB = 2 ** 20;
/** A process may have that much more than what is counted, in kilobytes: garbage, and code. */
const GARBAGE = 100 * 1024;

interface Outcome {
  readonly rows?: number;
  readonly name?: string;
  readonly message?: string;
  readonly needed?: number;
  readonly limit?: number;
  /** Kilobytes by which the process has grown. */
  readonly grown: number;
}

let child: ReturnType<typeof fork>;
beforeAll(async () => {
  child = fork(fileURLToPath(new URL('./memory-child.mjs', import.meta.url)), {
    serialization: 'advanced',
  });
  await once(child, 'message');
});
afterAll(() => {
  child.kill();
});

async function outcomeOf(bytes: Uint8Array, how: Format & OpenOptions): Promise<Outcome> {
  const answer = once(child, 'message');
  child.send({ bytes, how });
  return (await answer)[0];
}

describe('a small file that claims gigabytes is refused', () => {
  const bombs: Bomb[] = [...parquetBombs(), ...arrowBombs(), ...numberBombs()];
  it.each(bombs.map((bomb) => [bomb.how.format, bomb.name, bomb] as const))(
    '%s: %s',
    async (_, __, { bytes, how, message }) => {
      const outcome = await outcomeOf(bytes, how);
      const limit = 64 * bytes.length + 64 * MiB;
      expect(outcome.rows).toBe(undefined);
      if (message !== undefined) {
        expect(outcome).toMatchObject({ name: 'FileError' });
        expect(outcome.message).toMatch(message);
      } else {
        const { needed = 0 } = outcome;
        expect(outcome).toMatchObject({ name: 'MemoryError', limit });
        expect(needed).toBeGreaterThan(limit);
        expect(outcome.message).toBe(
          `'in' takes ${needed} bytes of memory, and the option memory allows ${limit}: ` +
            `open it with memory: ${needed} if you trust it`,
        );
      }
      expect(outcome.grown).toBeLessThan(limit / 1024 + GARBAGE);
    },
  );

  it('of many columns, each of which would be allowed', async () => {
    const bytes = sameNumbers(4_000_000, 40);
    const outcome = await outcomeOf(bytes, { format: 'parquet' });
    expect(outcome).toMatchObject({ name: 'MemoryError' });
    expect(outcome.grown).toBeLessThan((64 * bytes.length + 64 * MiB) / 1024 + GARBAGE);
  });
});

const source = (bytes: Uint8Array) => bytesSource("'in'", new Uint8Array(bytes));

describe('the option memory', () => {
  it.each([
    ['numbers of Parquet', sameNumbers(10_000_000), { format: 'parquet' }, 10_000_000],
    ['texts of Parquet', mixedTexts(999_999, 'x'.repeat(100)), { format: 'parquet' }, 1_000_000],
    ['views of Arrow', sameViews(1000, 'x'.repeat(150_000)), { format: 'arrow' }, 1000],
    [
      'ZSTD of Arrow',
      zstdArrow(131_072 * 80, zstdFrame({ content: 131_072 * 640 }, 640)),
      { format: 'arrow' },
      131_072 * 80,
    ],
  ] as const)(
    'opens what is right: %s, with as much as the error says',
    async (_, bytes, how, rows) => {
      const read = async (memory?: number): Promise<number> =>
        (await (await openTable(source(bytes), { ...how, memory })).readColumn(0)).rows;
      const error = (await read().catch((reason: unknown) => reason)) as MemoryError;
      expect(error).toBeInstanceOf(MemoryError);
      expect(await read(error.needed)).toBe(rows);
    },
  );

  it('is not needed for a text that all rows have: it is held once', async () => {
    const outcome = await outcomeOf(sameTexts(75_000, 'x'.repeat(40_000)), { format: 'parquet' });
    expect(outcome).toMatchObject({ rows: 75_000 });
    expect(outcome.grown).toBeLessThan((64 * MiB) / 1024 + GARBAGE);
  });

  it('counts a column once, however often it is read', async () => {
    const table = await openTable(source(sameNumbers(1_000_000)), {
      format: 'parquet',
      memory: 10 * MiB,
    });
    for (let i = 0; i < 5; i++) expect((await table.read('x')).length).toBe(1_000_000);
  });

  it('counts the dictionary of a part only while that is read', async () => {
    const values = Array.from({ length: 100_000 }, (_, i) => i / 8);
    const columnData = [{ name: 'x', data: values, type: 'DOUBLE' as const }];
    const encoded = columnData.map((column) => ({
      ...column,
      encoding: 'RLE_DICTIONARY' as const,
    }));
    const bytes = new Uint8Array(parquetWriteBuffer({ columnData: encoded, rowGroupSize: 5000 }));
    // The column has 800,000 bytes, and each of its 20 dictionaries 40,000.
    const table = await tableIn(bytes, { format: 'parquet', memory: 1_300_000 });
    for (let i = 0; i < 3; i++) expect((await table.readColumn(0)).rows).toBe(100_000);
    const rows = Uint32Array.from(values.keys());
    for (let i = 0; i < 3; i++) expect((await table.readRows(0, rows)).rows).toBe(100_000);
  });

  it('counts raw numbers, too, and nothing twice', async () => {
    const bytes = new Uint8Array(1000);
    const raw = (memory: number) =>
      openTable(source(bytes), { format: 'raw', keyType: 'u8', memory });
    expect((await (await raw(1000)).read('values')).length).toBe(1000);
    await expect((await raw(999)).read('values')).rejects.toThrow(
      "'in' takes 1000 bytes of memory, and the option memory allows 999",
    );
  });

  it('counts some rows of a column until the rows of all its parts are read', async () => {
    const data = Array.from({ length: 200_000 }, (_, i) => 1 / (i + 1));
    const columnData = [{ name: 'x', data, type: 'DOUBLE' as const }];
    const bytes = new Uint8Array(parquetWriteBuffer({ columnData, rowGroupSize: 10_000 }));
    const rows = Uint32Array.from(data.keys());
    // Enough for every part with the rows of a few others, but not for half of all.
    const memory = 4 * data.length;
    const table = await tableIn(bytes, { format: 'parquet', memory });
    for (const end of [10_000, 200_000]) {
      expect((await table.readRows(0, rows.subarray(end - 10_000, end))).rows).toBe(10_000);
    }
    await expect(table.readRows(0, rows)).rejects.toThrow(MemoryError);
    const enough = await tableIn(bytes, { format: 'parquet', memory: 4 * memory });
    expect((await enough.readRows(0, rows)).rows).toBe(data.length);
  });

  it('lets go of the memory that a refused column took', async () => {
    const bytes = sameNumbers(1_000_000, 3);
    const table = await openTable(source(bytes), { format: 'parquet', memory: 20 * MiB });
    await table.readColumn(0);
    await table.readColumn(1);
    for (let i = 0; i < 3; i++) await expect(table.readColumn(2)).rejects.toThrow(MemoryError);
    expect((await table.readColumn(1)).rows).toBe(1_000_000);
  });

  it('lets go of the memory that a damaged column took', async () => {
    const whole = dataPage(250_000, 'PLAIN', new Uint8Array(1_000_000));
    const damaged = dataPage(250_000, 'PLAIN', new Uint8Array(999_999));
    const file = parquetFile({ type: 'INT32' }, 500_000, [whole, damaged]);
    const table = await openTable(source(file), { format: 'parquet', memory: 10 * MiB });
    for (let i = 0; i < 9; i++) {
      await expect(table.readColumn(0)).rejects.toThrow('999999 bytes of values where 1000000');
    }
  });

  it.each([
    [
      '1 GB',
      TypeError,
      "how.memory must be a whole number of bytes, 1 or more, got the string '1 GB'",
    ],
    [0.5, RangeError, 'how.memory must be a whole number of bytes, 1 or more, got 0.5'],
    [Number.NaN, RangeError, 'got NaN'],
    [-1, RangeError, 'got -1'],
  ])('is refused as %s', async (memory, type, message) => {
    const opening = openTable(source(new Uint8Array(8)), {
      format: 'raw',
      keyType: 'u8',
      memory: memory as number,
    });
    await expect(opening).rejects.toThrow(type);
    await expect(opening).rejects.toThrow(message);
  });
});

describe('writing', () => {
  it('takes memory for a part of the text that entries of a dictionary become', async () => {
    const rows = 3000;
    const text = 'y'.repeat(60_000);
    const type = new Dictionary(new Utf8(), new Int32());
    const data = Array.from({ length: rows }, () => text);
    const table = new ArrowTable({ x: vectorFromArray(data, type) });
    const given = await tableIn(tableToIPC(table, 'file'), { format: 'arrow' });
    const groups: number[] = [];
    const sink = { write: () => Promise.resolve() };
    const columns = [await given.readColumn(0)];
    const order = Uint32Array.from({ length: rows }, (_, row) => row);
    await writeTable(sink, 'parquet', { columns, order, layout: undefined }, (completed) =>
      groups.push(completed),
    );
    const most = Math.floor((64 * MiB) / text.length);
    expect(groups).toEqual([most, 2 * most, rows]);
  });
});
