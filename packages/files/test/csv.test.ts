/** CSV and TSV: fields, types of columns, and rows with the bytes that they came with. */

import { isThorough, Random, runSeed } from '@keysweep/conformance/data';
import { describe, expect, it } from 'vitest';
import { drawTests } from '../../../tools/test/draw-tests.js';
import {
  bytesSource,
  FileError,
  MemoryError,
  openTable,
  type TextTable,
  type Threads,
} from '../src/index.js';
import { parse, type Values, valuesOf } from './csv-oracle.js';
import { damaged, randomText, type Text } from './csv-texts.js';
import { failing, threadsOver } from './messages.js';
import { mutate } from './mutate.js';

drawTests(1 / 2);

const SEED = runSeed();
const TEXTS = isThorough ? 2000 : 150;
const { KEYSWEEP_FUZZ } = process.env;
const DAMAGED = KEYSWEEP_FUZZ === undefined ? (isThorough ? 5000 : 300) : Number(KEYSWEEP_FUZZ);

const bytesOf = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(Buffer.from(text, 'latin1'));

function open(
  { text, delimiter, hasQuotes, hasHeader }: Text,
  threads?: Threads,
): Promise<TextTable> {
  const format = hasQuotes ? 'csv' : 'tsv';
  const how = { format, delimiter, header: hasHeader, threads } as const;
  return openTable(bytesSource("'in'", bytesOf(text)), how);
}

/** What threads did for all tables. */
const done = new Set<string>();

/** None, or threads of which some may fail. */
function someThreads(random: Random, { text }: Text): Threads | undefined {
  const some = random.below(4);
  if (some < 2) return undefined;
  const threads = some === 2 ? threadsOver(bytesOf(text)) : failing(bytesOf(text), 4);
  const run: Threads['run'] = async (task) => {
    const result = await threads.run(task);
    done.add(task.kind);
    return result;
  };
  return { count: 2 + random.below(3), run };
}

/** A column as the package reads it, in the words of the oracle. */
async function columnOf(table: TextTable, place: number): Promise<Values> {
  const { type, values, valid, rows } = await table.readColumn(place);
  const row = <T>(value: (row: number) => T): (T | null)[] =>
    Array.from({ length: rows }, (_, i) => {
      const isNull = valid !== undefined && (((valid[i >> 3] as number) >> (i & 7)) & 1) === 0;
      return isNull ? null : value(i);
    });
  if (values.kind === 'fixed') {
    const view = new DataView(values.bytes.buffer);
    if (type.kind === 'integer') {
      return { kind: 'integer', values: row((i) => view.getBigInt64(8 * i, true)) };
    }
    return { kind: 'float', values: row((i) => view.getFloat64(8 * i, true)) };
  }
  if (values.kind !== 'variable') throw new Error('text has no dictionary');
  const { offsets, bytes } = values;
  // Those of nulls, too: a sort takes text whose offsets descend nowhere.
  const isDescent = (offset: number, i: number): boolean => offset < (offsets[i - 1] ?? 0);
  expect([offsets.length, offsets.findIndex(isDescent)]).toEqual([rows + 1, -1]);
  expect(offsets[rows]).toBeLessThanOrEqual(bytes.length);
  const text = Buffer.from(bytes);
  return { kind: 'text', values: row((i) => text.toString('latin1', offsets[i], offsets[i + 1])) };
}

async function written(table: TextTable, order: Uint32Array): Promise<string> {
  const pieces: Buffer[] = [];
  const sink = {
    async write(bytes: Uint8Array): Promise<void> {
      pieces.push(Buffer.from(bytes));
    },
  };
  await table.writeRows(sink, order, () => {});
  return Buffer.concat(pieces).toString('latin1');
}

function shuffled(random: Random, rows: number): Uint32Array {
  const order = Uint32Array.from({ length: rows }, (_, i) => i);
  for (let i = rows - 1; i > 0; i--) {
    const other = random.below(i + 1);
    [order[i], order[other]] = [order[other] as number, order[i] as number];
  }
  return order;
}

/** Compares a text as the package reads and writes it with what the oracle says. */
async function expectAsOracle(random: Random, given: Text, about: string): Promise<boolean> {
  const expected = parse(given.text, given);
  let table: TextTable;
  try {
    table = await open(given, someThreads(random, given));
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    if (!('wrongLine' in expected)) throw new Error(`${about}: ${error.message}`);
    expect(error.message, about).toContain(`line ${expected.wrongLine} of 'in' `);
    return false;
  }
  if ('wrongLine' in expected) throw new Error(`${about}: line ${expected.wrongLine} is wrong`);
  const { bom, names, all } = expected;
  const rows = given.hasHeader ? all.slice(1) : all;
  expect(table.columns.length, about).toBe(names.length);
  if (!/[^\0-\x7f]/.test(names.join(''))) {
    expect(
      table.columns.map(({ name }) => name),
      about,
    ).toEqual(names);
  }
  for (const place of names.keys()) {
    const fields = rows.map(({ fields }) => fields[place] as string);
    expect(await columnOf(table, place), `${about}, column ${place}`).toEqual(valuesOf(fields));
  }
  const order = shuffled(random, rows.length);
  const raw = [...order].map((row) => (rows[row] as (typeof rows)[0]).raw).join('');
  const head = given.hasHeader ? (all[0]?.raw ?? '') : '';
  expect((await written(table, order)) === bom + head + raw, about).toBe(true);
  return true;
}

function damagedBytes(random: Random, { text, ...reading }: Text): Text {
  const bytes = bytesOf(text);
  const content = new Uint8Array(bytes.length);
  const mutant = bytes.length === 0 ? { bytes } : mutate({ bytes, content }, random);
  return { text: Buffer.from(mutant.bytes).toString('latin1'), ...reading };
}

describe('a table of text', () => {
  it(`is read as RFC 4180 says, and its rows are written as they came (seed ${SEED})`, async () => {
    const random = new Random(SEED);
    for (let i = 0; i < TEXTS; i++) {
      const text = randomText(random, i % 50 === 0 ? 6000 : 40);
      expect(await expectAsOracle(random, text, `seed ${SEED}, text ${i}`)).toBe(true);
    }
    expect([...done].sort()).toEqual(['gather', 'parse', 'scan']);
  });

  it(`that is damaged is refused by its line, or loses nothing (seed ${SEED})`, async () => {
    const random = new Random(SEED);
    let readable = 0;
    for (let i = 0; i < DAMAGED; i++) {
      const whole = randomText(random, 30);
      // In every third, bytes are damaged as those of other files are.
      const text = i % 3 === 0 ? damagedBytes(random, whole) : damaged(random, whole);
      if (await expectAsOracle(random, text, `seed ${SEED}, damaged text ${i}`)) readable++;
    }
    // Both happen, or the damages test nothing.
    expect(readable).toBeGreaterThan(DAMAGED / 20);
    expect(readable).toBeLessThan((DAMAGED * 19) / 20);
  });

  it('has rows of any length, even longer than one write', async () => {
    const long = 'y'.repeat(9_000_000);
    const text = `a,b\n2,${long}\n1,x\n`;
    const table = await open({ text, delimiter: ',', hasQuotes: true, hasHeader: true });
    expect((await written(table, Uint32Array.of(1, 0))) === `a,b\n1,x\n2,${long}\n`).toBe(true);
    expect(table.lineOf(1)).toBe(3);
  });

  it('is read as numbers by its name, and as text if asked', async () => {
    const csv = { delimiter: ',', hasQuotes: true, hasHeader: true };
    const table = await open({ text: 'a,b,c\n2,x,\n10,y,1\n', ...csv });
    expect(await table.read('a')).toEqual(BigInt64Array.of(2n, 10n));
    expect((await table.readColumn(0, 'text')).type).toEqual({ kind: 'text' });
    await expect(table.read('b')).rejects.toThrow("column 'b' of 'in' is not numeric but text");
    await expect(table.read('c')).rejects.toThrow(
      "column 'c' of 'in' has nulls (the first in row 0)",
    );
    await expect(table.read('d')).rejects.toThrow("no column 'd'; its columns are: a, b, c");
  });

  it('has numbers with blanks on either side of them', async () => {
    const csv = { delimiter: ',', hasQuotes: true, hasHeader: false };
    for (const blanks of [' ', '\t', ' \t', '\t ', '  ', '\t\t']) {
      const text = `5${blanks},1\n${blanks}12${blanks},2\n${blanks}7,3\n${blanks}8${blanks}`;
      const table = await open({ ...csv, text: `${text},4${blanks}\n` });
      expect(await table.read('1')).toEqual(BigInt64Array.of(5n, 12n, 7n, 8n));
      expect(await table.read('2')).toEqual(BigInt64Array.of(1n, 2n, 3n, 4n));
    }
  });

  it.each(['"5"x', '"5" ', '"5"\r', '"5""', '"5'])('refuses %j for a field', async (field) => {
    const csv = { delimiter: ',', hasQuotes: true, hasHeader: false };
    for (const end of ['\n', '\n7\n', ',1\n', 'x\n', '']) {
      if (field.endsWith('\r') && end.startsWith('\n')) continue;
      await expect(open({ ...csv, text: `${field}${end}` })).rejects.toThrow(FileError);
    }
  });

  it.each([
    [{ delimiter: '' }, 'how.delimiter must be one ASCII character'],
    [{ delimiter: ',,' }, 'how.delimiter must be one ASCII character'],
    [{ delimiter: '"' }, 'neither a quote'],
    [{ delimiter: '\u00e4' }, 'how.delimiter must be one ASCII character'],
    [{ delimiter: 7 }, 'how.delimiter must be one ASCII character'],
    [{ header: 'no' }, 'how.header must be true or false'],
  ])('is not opened with %o', async (options, message) => {
    const how = { format: 'csv', ...options } as never;
    const opening = openTable(bytesSource("'in'", bytesOf('a\n')), how);
    await expect(opening).rejects.toThrow(TypeError);
    await expect(opening).rejects.toThrow(message);
  });

  it(`has numbers of any length, read as JavaScript reads them (seed ${SEED})`, async () => {
    const random = new Random(SEED);
    const digits = (count: number): string =>
      Array.from({ length: count }, () => random.below(10)).join('');
    const numbers = Array.from({ length: 20_000 }, () => {
      const value = (random.unit() + random.unit() * 2 ** -32) * 10 ** (random.below(20) - 5);
      if (random.below(2) === 0) return value.toFixed(random.below(21));
      return `${digits(1 + random.below(20))}.${digits(random.below(25))}`;
    });
    // Half way between two doubles, and next to it: the even one is nearest.
    for (let i = 0; i < 2000; i++) {
      const whole = 2n ** 53n + 2n * BigInt(random.below(2 ** 30)) + 1n;
      for (const more of ['', '0', '000001'])
        numbers.push(`${whole}.${more}`, `${whole - 1n}.9999`);
      numbers.push(`${2 ** 51 + random.below(2 ** 30)}.${['25', '75', '7500001'][i % 3]}`);
    }
    const signed = numbers.map((number, i) => (i % 3 === 0 ? `-${number}` : number));
    const table = await open({
      ...{ text: signed.join('\n'), delimiter: ',', hasQuotes: true, hasHeader: false },
    });
    const { kind, values } = await columnOf(table, 0);
    expect(kind).toBe('float');
    const wrong = signed.filter((number, i) => !Object.is(values[i], Number(number)));
    expect(wrong).toEqual([]);
  });

  it('takes no more memory than it may', async () => {
    const source = bytesSource("'in'", bytesOf(`a\n${'1\n'.repeat(100_000)}`));
    const opening = openTable(source, { format: 'csv', memory: 150_000 });
    await expect(opening).rejects.toThrow(MemoryError);
    const table = await openTable(source, { format: 'csv', memory: 1_000_000 });
    await expect(table.readColumn(0)).rejects.toThrow(MemoryError);
    const { columns, reading } = table.memoryOf([0]);
    const whole = await openTable(source, { format: 'csv', memory: columns + reading });
    expect((await whole.readColumn(0)).rows).toBe(100_000);
  });

  it('counts the memory of columns, of which a comma makes one', async () => {
    const source = bytesSource("'in'", bytesOf(`${','.repeat(1_000_000)}\n`));
    for (const header of [true, false]) {
      const opening = openTable(source, { format: 'csv', header, memory: 20_000_000 });
      const error = await opening.then(
        () => undefined,
        (error: unknown) => error,
      );
      expect(error).toBeInstanceOf(MemoryError);
      expect((error as MemoryError).needed).toBeGreaterThan(100_000_000);
      const table = await openTable(source, { format: 'csv', header, memory: 200_000_000 });
      expect(table.columns.length).toBe(1_000_001);
      const { columns, reading } = table.memoryOf([0]);
      const whole = openTable(source, { format: 'csv', header, memory: columns + reading });
      expect((await (await whole).readColumn(1_000_000)).rows).toBe(header ? 0 : 1);
    }
  });

  it.each(['', '"'])('finds the names of 200,000 columns in one pass, in quotes: %j', async (q) => {
    const names = Array.from({ length: 200_000 }, (_, i) => `name ${i}`);
    const text = `${names.map((name) => q + name + q).join(',')}\n${','.repeat(199_999)}\n`;
    const table = await openTable(bytesSource("'in'", bytesOf(text)), { format: 'csv' });
    expect(table.columns.map(({ name }) => name)).toEqual(names);
  });
});
