/** Tables that DuckDB writes, in the orders that DuckDB gives them. */

import { readFileSync } from 'node:fs';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { runSeed, sample } from '@keysweep/conformance/data';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testRandom } from '../../../tools/test/random.js';
import { inProcess, scratch } from './command.js';

const SEED = runSeed();
const random = testRandom();
const path = scratch();

/** More than a row group, or a vector, of DuckDB's has. */
const ROWS = 5000;

/** Columns by what makes them of the number h, which is random for each row. */
const COLUMNS = {
  flag: 'h % 2 = 0',
  tiny: '(h % 256 - 128)::TINYINT',
  short: '(h % 9)::SMALLINT',
  whole: '(h % 4294967296 - 2147483648)::INTEGER',
  long: '(h % 7 * 1e18 - 3e18 + h % 3)::BIGINT',
  byte: '(h % 256)::UTINYINT',
  wide: 'h::UBIGINT * 2 + 1',
  // DuckDB takes −0 and +0 for equal.
  single: "CASE h % 9 WHEN 0 THEN 'nan'::REAL WHEN 1 THEN '-inf' ELSE h % 100 - 50.5 END",
  double: "CASE h % 9 WHEN 0 THEN 'nan'::DOUBLE WHEN 1 THEN 'inf' ELSE (h % 100 - 50.5) / 7 END",
  price: '(h % 100000 / 100.0 - 500)::DECIMAL(9, 2)',
  sum: '((h % 1000000)::HUGEINT * 1000000007 - 500000000000000)::DECIMAL(18, 0)',
  huge: '((h % 1000)::HUGEINT * 100000000000000000000 - 50000000000000000000000)::DECIMAL(38, 0)',
  day: "DATE '1900-01-01' + (h % 80000)::INTEGER",
  clock: "TIME '00:00:00' + INTERVAL (h % 86400) SECOND",
  time: "TIMESTAMP '1969-12-31 23:59:00' + INTERVAL (h % 120000000) MICROSECOND",
  city: "['Lima', 'Oslo', '', 'Zürich', '東京', '🚀', 'Öland'][(h % 7 + 1)::INTEGER]",
  name: "concat('the same beginning ', h % 1000, ' and an end')",
  bytes: "unhex(printf('%04x', (h % 65536)::INTEGER))",
} as const;

type Name = keyof typeof COLUMNS;
const NAMES = Object.keys(COLUMNS) as Name[];

const CODECS = ['snappy', 'zstd', 'gzip', 'lz4_raw', 'uncompressed'] as const;

/** What has no text of its own in a CSV file, or another order there. */
const NOT_IN_CSV: readonly Name[] = ['bytes', 'flag', 'wide', 'sum', 'huge'];

/** A column to sort by. */
interface Spec {
  readonly name: Name;
  readonly isDescending: boolean;
  readonly areNullsFirst: boolean;
}

const specOf = (name: Name): Spec => ({
  name,
  isDescending: random.below(2) === 0,
  areNullsFirst: random.below(2) === 0,
});

const forCommand = ({ name, isDescending, areNullsFirst }: Spec): string[] => [
  '-c',
  `${name}:${isDescending ? 'desc' : 'asc'}:nulls-${areNullsFirst ? 'first' : 'last'}`,
];

const forDuckDB = ({ name, isDescending, areNullsFirst }: Spec): string =>
  `${name} ${isDescending ? 'DESC' : 'ASC'} NULLS ${areNullsFirst ? 'FIRST' : 'LAST'}`;

let connection: DuckDBConnection;

beforeAll(async () => {
  connection = await (await DuckDBInstance.create(':memory:', { threads: '1' })).connect();
  const made = Object.entries(COLUMNS).map(
    ([name, make], i) =>
      `CASE WHEN hash(id, ${SEED}, ${i}) % 11 > 0 THEN ` +
      `${make.replaceAll(/\bh\b/g, `(hash(id, ${SEED}, ${100 + i}) >> 1)::BIGINT`)} END AS ${name}`,
  );
  await connection.run(
    `CREATE TABLE rows AS SELECT id::INTEGER AS id, ${made.join(', ')} FROM range(${ROWS}) t(id)`,
  );
});

afterAll(() => connection.closeSync());

/** The ids of `from` in the order of a query. */
async function idsOf(query: string): Promise<number[]> {
  const result = await connection.runAndReadAll(query);
  return result.getRows().map(([id]) => Number(id));
}

const inOrder = (specs: readonly Spec[]): string => [...specs.map(forDuckDB), 'id'].join(', ');

async function sort(args: readonly string[]): Promise<void> {
  expect(await inProcess(['sort', ...args])).toEqual({ code: 0, stderr: '' });
}

describe(`tables of DuckDB (KEYSWEEP_SEED=${SEED})`, () => {
  it.each(sample(CODECS, 1, SEED))(
    'of Parquet by %s have the order of ORDER BY, by each type of column',
    async (codec) => {
      const file = path('in.parquet');
      const version = random.below(2) === 0 ? 'V1' : 'V2';
      const options = `CODEC ${codec}, PARQUET_VERSION ${version}, ROW_GROUP_SIZE 2048`;
      await connection.run(
        `COPY (FROM rows ORDER BY id) TO '${file}' (FORMAT parquet, ${options})`,
      );
      for (const name of sample(NAMES, 9, SEED)) {
        const others = Array.from({ length: random.below(3) }, () => NAMES[random.below(18)]);
        const specs = [...new Set([name, ...(others as Name[])])].map(specOf);
        await sort(['--argsort', ...specs.flatMap(forCommand), file, '-o', path('order')]);
        const { buffer } = new Uint8Array(readFileSync(path('order')));
        const expected = await idsOf(`SELECT id FROM rows ORDER BY ${inOrder(specs)}`);
        expect([specs, [...new Uint32Array(buffer)]]).toEqual([specs, expected]);
      }
    },
  );

  it.each(['parquet', 'arrow'])('are written as %s with every value that they have', async (to) => {
    const file = path('in.parquet');
    await connection.run(`COPY (FROM rows ORDER BY id) TO '${file}' (FORMAT parquet)`);
    const specs = [specOf('city'), specOf('double')];
    const out = path(`out.${to}`);
    await sort([...specs.flatMap(forCommand), file, '-o', out]);
    // DuckDB reads no Arrow files by itself.
    if (to === 'arrow') await sort(['-c', 'id', out, '-o', path('again.parquet')]);
    const [written, order] = to === 'arrow' ? [path('again.parquet'), 'id'] : [out, inOrder(specs)];
    const numbered = (from: string, by: string): string =>
      `SELECT row_number() OVER (${by}) AS place, * FROM ${from}`;
    const [actual, expected] = [
      numbered(`'${written}'`, ''),
      numbered('rows', `ORDER BY ${order}`),
    ];
    expect(await idsOf(`SELECT count(*) FROM (${actual})`)).toEqual([ROWS]);
    expect(await idsOf(`SELECT count(*) FROM (${actual} EXCEPT ${expected})`)).toEqual([0]);
  });

  it('of CSV have the order of ORDER BY, with quotes and empty fields', async () => {
    const file = path('in.csv');
    await connection.run(`COPY (FROM rows ORDER BY id) TO '${file}' (FORMAT csv, HEADER true)`);
    // A text of no letters and a null are the same empty field there.
    const ordered = NAMES.filter((name) => !NOT_IN_CSV.includes(name) && name !== 'city');
    for (const name of ordered) {
      const spec = specOf(name);
      await sort(['--argsort', ...forCommand(spec), file, '-o', path('order')]);
      const { buffer } = new Uint8Array(readFileSync(path('order')));
      const expected = await idsOf(`SELECT id FROM rows ORDER BY ${inOrder([spec])}`);
      expect([spec, [...new Uint32Array(buffer)]]).toEqual([spec, expected]);
    }
  });
});
