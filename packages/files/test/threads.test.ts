/** Threads give the bytes that one thread gives, and what they cannot do is done without them. */

import { runSeed, sample } from '@keysweep/conformance/data';
import { tableFromIPC } from 'apache-arrow';
import { describe, expect, it } from 'vitest';
import { drawTests } from '../../../tools/test/draw-tests.js';
import { testRandom } from '../../../tools/test/random.js';
import { bytesSource, MemoryError, openTable, type Threads } from '../src/index.js';
import { isValid, type Stored } from '../src/stored/column.js';
import { takeRows, withoutDictionary } from '../src/stored/take.js';
import { tableIn, written } from './columns.js';
import { everyType, rowsOf } from './every-type.js';
import { failing, threadsOver } from './messages.js';

drawTests(1 / 2);

const SEED = runSeed();
/** More rows than one row group has that is written, so that several threads have some. */
const ROWS = 2 ** 17 + 9_000;
const GROUPS = 2;

const random = testRandom();
const fileOf = (hasNulls: boolean): Uint8Array =>
  everyType(random, { rows: ROWS, groupRows: 50_000, hasNulls });
/** Made once, because that takes seconds. */
const PLAIN = fileOf(false);
const KINDS = [
  ['with nulls', () => fileOf(true)],
  ['without nulls', () => PLAIN],
] as const;

/** The bytes of each row, or null. */
const valuesIn = ({ rows, values, valid }: Stored): (string | null)[] =>
  Array.from({ length: rows }, (_, row) => {
    if (!isValid(valid, row)) return null;
    if (values.kind === 'dictionary') throw new Error('it has a dictionary');
    const [from, to] =
      values.kind === 'fixed'
        ? [row * values.width, (row + 1) * values.width]
        : [values.offsets[row], values.offsets[row + 1]];
    return `${values.bytes.subarray(from, to)}`;
  });

describe.each(sample(KINDS, 1, SEED))(`threads, %s (seed ${SEED})`, (_, make) => {
  const file = make();
  const order = Uint32Array.from({ length: ROWS }, () => random.below(ROWS));

  it('read every type, and write it with the bytes of one thread', async () => {
    const threads = threadsOver(file);
    const how = { format: 'parquet', threads } as const;
    const byThreads = await written(await tableIn(file, how), 'parquet', order, threads);
    expect(threads.done.filter((kind) => kind === 'encode')).toHaveLength(GROUPS);
    expect(threads.done.filter((kind) => kind === 'read').length).toBeGreaterThan(5);
    const alone = await written(await tableIn(file, { format: 'parquet' }), 'parquet', order);
    expect(Buffer.compare(byThreads, alone)).toBe(0);
    // Other tests compare every column of one thread with what another library reads.
    const columns = ['price', 'distinct'];
    const [before, after] = [await rowsOf(file, columns), await rowsOf(byThreads, columns)];
    const expected = Array.from(order, (row) => before[row]);
    // One text each, because comparing the rows themselves takes minutes.
    expect(JSON.stringify(after) === JSON.stringify(expected)).toBe(true);
  });

  it('write Arrow, and read what of it they then write as Parquet', async () => {
    const threads = threadsOver(file);
    const arrow = await written(
      await tableIn(file, { format: 'parquet', threads }),
      'arrow',
      order,
      threads,
    );
    const alone = await written(await tableIn(file, { format: 'parquet' }), 'arrow', order);
    expect(Buffer.compare(arrow, alone)).toBe(0);
    expect(tableFromIPC(arrow).numRows).toBe(ROWS);
    const again = threadsOver(arrow);
    const how = { format: 'arrow', threads: again } as const;
    for (const format of ['arrow', 'parquet'] as const) {
      const byThreads = await written(await tableIn(arrow, how), format, order, again);
      const one = await written(await tableIn(arrow, { format: 'arrow' }), format, order);
      expect(Buffer.compare(byThreads, one)).toBe(0);
    }
    const encoded = again.done.filter((kind) => kind === 'encode');
    const packed = again.done.filter((kind) => kind === 'pack');
    expect([encoded.length, packed.length, again.done.length]).toEqual([2 * GROUPS, 4, 8]);
  });

  it('read a few rows as the whole column has them', async () => {
    const rows = Uint32Array.from({ length: 9 }, () => random.below(ROWS));
    const threads = threadsOver(file);
    const by = await tableIn(file, { format: 'parquet', threads });
    const alone = await tableIn(file, { format: 'parquet' });
    for (const [place, { name }] of alone.columns.entries()) {
      const whole = await alone.readColumn(place);
      const expected = withoutDictionary({ ...whole, ...takeRows(whole, rows) });
      for (const table of [by, alone]) {
        const few = withoutDictionary(await table.readRows(place, rows));
        expect({ name, rows: valuesIn(few) }).toEqual({ name, rows: valuesIn(expected) });
      }
    }
    expect(threads.done).toContain('read');
  });

  it.each(sample([1, 2], 1, SEED))('that fail, each %s. time, lose nothing', async (every) => {
    const threads = failing(file, every);
    const table = await tableIn(file, { format: 'parquet', threads });
    const byThreads = await written(table, 'parquet', order, threads);
    expect(threads.asked).toBeGreaterThan(5);
    const alone = await written(await tableIn(file, { format: 'parquet' }), 'parquet', order);
    // What a page is compressed to depends on the pages that were compressed before it.
    expect(byThreads.length / alone.length).toBeCloseTo(1, 2);
    const [one, other] = [await partsOf(byThreads), await partsOf(alone)];
    expect(one.length).toBe(other.length);
    expect(one.findIndex((part, i) => !part.equals(other[i] as Buffer))).toBe(-1);
  });
});

/** All that the columns of a Parquet file have in memory. */
async function partsOf(bytes: Uint8Array): Promise<Buffer[]> {
  const table = await tableIn(bytes, { format: 'parquet' });
  const parts: (ArrayBufferView | undefined)[] = [];
  for (const place of table.columns.keys()) {
    const { values, valid } = withoutDictionary(await table.readColumn(place));
    if (values.kind === 'dictionary') throw new Error('it has a dictionary');
    parts.push(values.bytes, values.kind === 'variable' ? values.offsets : undefined, valid);
  }
  return parts.map((part) =>
    part === undefined ? Buffer.of() : Buffer.from(part.buffer, part.byteOffset, part.byteLength),
  );
}

describe('with threads', () => {
  it.each([0, 1])('a file of %s rows is read and written as ever', async (rows) => {
    const file = everyType(random, { rows, groupRows: 10, hasNulls: true });
    const threads = threadsOver(file);
    const table = await tableIn(file, { format: 'parquet', threads });
    const order = Uint32Array.from({ length: rows }, (_, i) => i);
    expect(await rowsOf(await written(table, 'parquet', order, threads))).toEqual(
      await rowsOf(file),
    );
    expect(threads.done).toEqual([]);
  });

  it('a damaged column is refused with the words of one thread', async () => {
    const file = PLAIN;
    const whole = await tableIn(file, { format: 'parquet' });
    const place = whole.columns.findIndex(({ name }) => name === 'distinct');
    // Zeros are no header of a page.
    const damaged = new Uint8Array(file).fill(0, Math.floor(file.length * 0.6), file.length * 0.9);
    const errorOf = (threads?: Threads): Promise<unknown> =>
      tableIn(damaged, { format: 'parquet', threads })
        .then((table) => table.readColumn(place))
        .catch((error: Error) => error.message);
    const alone = await errorOf();
    expect(alone).toEqual(expect.any(String));
    expect(await errorOf(threadsOver(damaged))).toBe(alone);
  });

  it('no more memory is taken than is allowed, and columns then wait for each other', async () => {
    const file = PLAIN;
    const source = bytesSource("'in'", new Uint8Array(file));
    const { columns, memoryOf } = await openTable(source, { format: 'parquet' });
    const all = columns.map((_, place) => place);
    const { columns: own, reading } = memoryOf(all);
    let running = 0;
    let most = 0;
    const { run } = threadsOver(file);
    const threads: Threads = {
      count: columns.length,
      async run(task) {
        running++;
        most = Math.max(most, running);
        try {
          return await run(task);
        } finally {
          running--;
        }
      },
    };
    const readAll = async (memory: number): Promise<unknown> => {
      most = 0;
      const table = await openTable(source, { format: 'parquet', threads, memory });
      return Promise.all(all.map((place) => table.readColumn(place)));
    };
    await readAll(own + columns.length * 2 * reading);
    expect(most).toBeGreaterThan(1);
    await readAll(own + reading);
    expect(most).toBeLessThan(columns.length);
    await expect(readAll(Math.floor(own / 2))).rejects.toThrow(MemoryError);
  });
});
