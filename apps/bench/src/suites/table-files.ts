/** `table-files`: the command keysweep on files of tables, beside DuckDB and GNU sort. */

import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runAlone } from '../measure/alone.js';
import type { Way } from '../measure/runner.js';
import { areRight, type SuiteCase, suite } from '../measure/suite.js';
import type { Command } from '../program/command.js';
import { wholeNumber } from '../program/options.js';
import { type Connection, connect } from '../references/duckdb.js';

/** The columns of a table; `i` is the row. DuckDB's hash makes the values, always the same. */
const TABLES = {
  numbers: `(hash(i) % 1000000000000)::BIGINT AS id,
    hash(i + 1) / 1.8446744073709552e19 * 1000 AS value, (hash(i + 2) % 100000)::INTEGER AS code`,
  flights: `DATE '2020-01-01' + (hash(i) % 730)::INTEGER AS day,
    (hash(i + 1) % 2000)::INTEGER - 100 AS delay, (hash(i + 2) % 5000)::INTEGER AS distance,
    'A' || (hash(i + 3) % 300)::VARCHAR AS origin,
    'B' || (hash(i + 4) % 300)::VARCHAR AS destination,
    ['AA', 'UA', 'DL', 'WN', 'B6'][1 + (hash(i + 5) % 5)::INTEGER] AS carrier,
    (hash(i + 6) % 1000000)::DOUBLE / 100 AS price, i::BIGINT AS id,
    'passenger ' || (hash(i + 7) % 4000000)::VARCHAR AS name,
    CASE WHEN hash(i + 8) % 10 = 0 THEN NULL ELSE (hash(i + 9) % 100)::INTEGER END AS seats`,
} as const;

type TableName = keyof typeof TABLES;
type Format = 'parquet' | 'arrow' | 'csv';

/** What is sorted, and how. */
interface Definition {
  readonly table: TableName;
  readonly format: Format;
  readonly keys: readonly string[];
  /** Rows that are written; all, unless it says how many. */
  readonly head?: number;
}

const KEYS: Readonly<Record<TableName, readonly string[]>> = {
  numbers: ['id', 'code,value'],
  flights: ['delay', 'origin,price'],
};

const DEFINITIONS: readonly Definition[] = (['parquet', 'arrow', 'csv'] as const).flatMap(
  (format) =>
    (['numbers', 'flights'] as const).flatMap((table) => {
      const all = KEYS[table].map((keys) => ({ table, format, keys: keys.split(',') }));
      const [first] = all;
      return first ? [...all, { ...first, head: 100 }] : all;
    }),
);

/** Sorts of one file by turns. */
export interface TableFilesResult extends Definition {
  readonly rows: number;
  /** Milliseconds of the whole process. */
  readonly ours: readonly number[];
  readonly theirs: readonly number[];
  /** Milliseconds of DuckDB's statement, without the start of its process. */
  readonly statements: readonly number[];
  /** Of GNU sort, which sorts lines of text. */
  readonly gnu?: readonly number[];
  /** Most bytes of memory, in the same order: keysweep, DuckDB, GNU sort. */
  readonly peaks: readonly number[];
  readonly verified: boolean;
}

/** How a sort ran. */
interface Outcome {
  readonly milliseconds: number;
  readonly peak: number;
  readonly statement?: number;
}

export const command: Command = suite({
  help: `Makes tables of three columns of numbers and of ten with text, as Parquet, Arrow and CSV.
The command keysweep and DuckDB, which 'npm run build:references' gets, sort them by turns, each in
a process of its own; CSV is sorted by GNU sort, too. DuckDB sorts Parquet where keysweep sorts
Arrow. Times are those of the processes, with their start; the record has the time of DuckDB's
statement beside it. DuckDB checks the order and the rows of what keysweep writes; of
Arrow the rows only, turned into Parquet, and the order is checked by 'keysweep sort --check'.

  --rows N        rows (5000000)
  --folder PATH   where files are made (the system's for temporary files)`,
  flags: { rows: '5000000', folder: tmpdir() },
  open(values) {
    const rows = wholeNumber('--rows', values.rows, 1);
    const files = new Files(rows, values.folder);
    return {
      columns: [{ title: 'peak', width: 8, align: 'right' }],
      cases: DEFINITIONS.map((definition) => caseOf(definition, rows, files)),
      close: () => files.close(),
    };
  },
});

function caseOf(definition: Definition, rows: number, files: Files): SuiteCase<TableFilesResult> {
  const { table, format, keys, head } = definition;
  let made: Promise<{ ways: Way<Outcome>[] }> | undefined;
  const checked = new Set<string>();
  return {
    name: `${format} ${table} by ${keys.join()}${head === undefined ? '' : ` head ${head}`}`,
    samples: 5,
    warmUps: 1,
    async makeRound() {
      made ??= waysOf(definition, files);
      const check = async (_: Outcome, way: string): Promise<string | undefined> => {
        // Every run writes the same bytes; one check takes as long as several sorts.
        if (way !== 'keysweep' || checked.has(way)) return undefined;
        checked.add(way);
        return faultOf(definition, rows, files);
      };
      return { ...(await made), check };
    },
    timeOf: ({ milliseconds }: Outcome) => milliseconds,
    noteOf: (outcome: Outcome) => outcome,
    cellsOf({ notes }) {
      return [`${Math.round(peakIn(notes as readonly Outcome[]) / 1e6)} MB`];
    },
    resultsOf(timings) {
      const [ours, theirs, gnu] = timings.map(({ milliseconds }) => milliseconds);
      const notes = timings.map((timing) => timing.notes as readonly Outcome[]);
      const result = {
        ...{ ...definition, rows, ours: ours ?? [], theirs: theirs ?? [] },
        statements: (notes[1] ?? []).flatMap(({ statement }) => statement ?? []),
        ...(gnu && { gnu }),
        peaks: notes.map(peakIn),
        verified: areRight(timings),
      };
      return [result];
    },
  };
}

const peakIn = (notes: readonly Outcome[]): number => Math.max(...notes.map(({ peak }) => peak));

/** The program that this is, and the command. */
const MAIN = process.argv[1] as string;
export const KEYSWEEP: string = fileURLToPath(
  new URL('../../../cli/bin/keysweep.js', import.meta.url),
);

async function waysOf(
  { table, format, keys, head }: Definition,
  files: Files,
): Promise<{ ways: Way<Outcome>[] }> {
  const input = await files.of(table, format);
  const limits = head === undefined ? [] : ['--head', `${head}`];
  const args = ['sort', input, '-c', keys.join(), ...limits, '-o', files.at(`out.${format}`)];
  // DuckDB reads no Arrow.
  const kind = format === 'arrow' ? 'parquet' : format;
  const from = await files.of(table, kind);
  const sql =
    `COPY (SELECT * FROM '${from}' ORDER BY ${keys.join()} ${head ? `LIMIT ${head}` : ''}) ` +
    `TO '${files.at(`duckdb.${kind}`)}' (FORMAT ${kind})`;
  const duckdb = async (): Promise<Outcome> => {
    const { stdout, ...own } = await runAlone(process.execPath, [MAIN, 'duckdb', sql]);
    const { milliseconds } = JSON.parse(stdout) as { milliseconds: number };
    return { ...own, statement: milliseconds };
  };
  const ways: Way<Outcome>[] = [
    { name: 'keysweep', run: () => runAlone(process.execPath, [KEYSWEEP, ...args]) },
    { name: 'DuckDB', run: duckdb },
  ];
  if (format === 'csv' && head === undefined)
    ways.push({ name: 'GNU sort', run: () => files.sortLines(table, keys) });
  return { ways };
}

/** What is wrong with the output of keysweep, as DuckDB reads it. */
async function faultOf(
  { table, format, keys, head }: Definition,
  rows: number,
  files: Files,
): Promise<string | undefined> {
  const { connection } = files;
  let output = files.at(`out.${format}`);
  if (format === 'arrow') {
    // DuckDB sees the rows when they are Parquet; their order is that of the command's own check.
    await runAlone(process.execPath, [KEYSWEEP, 'sort', output, '-c', keys.join(), '--check']);
    const parquet = files.at('out-of-arrow.parquet');
    await runAlone(process.execPath, [KEYSWEEP, 'sort', output, '-c', keys.join(), '-o', parquet]);
    output = parquet;
  }
  const read = async (sql: string): Promise<string> =>
    `${(await (await connection()).runAndReadAll(sql)).getRows()[0]}`;
  const count = head ?? rows;
  const input = await files.of(table, format === 'csv' ? 'csv' : 'parquet');
  // The sum of hashes is that of the same rows in any order.
  // Which of the rows with equal keys are the first ones is anybody's choice; their keys are not.
  const compared = head === undefined ? '*' : keys.join();
  const sum = (from: string): string =>
    `SELECT count(*), sum(hash(t)) FROM (SELECT ${compared} FROM ${from}) t`;
  const expected = `(SELECT * FROM '${input}' ORDER BY ${keys.join()} LIMIT ${count})`;
  const [got, wanted] = [await read(sum(`'${output}'`)), await read(sum(expected))];
  if (got !== wanted) return `its rows are ${got}, not ${wanted}`;
  const row = `(${keys.join()})`;
  const misplaced =
    `SELECT count(*) FROM (SELECT ROW${row} AS k, lag(ROW${row}) OVER () AS before ` +
    `FROM '${output}') WHERE before > k`;
  const [out, of] = [await read(misplaced), await read(`SELECT count(*) FROM '${output}'`)];
  return out === '0' && of === `${count}` ? undefined : `${out} of ${of} rows are out of order`;
}

/** Files of tables, made when they are asked for. */
class Files {
  readonly #rows: number;
  readonly #parent: string;
  readonly #made = new Map<string, Promise<string>>();
  #folder: string | undefined;
  #connection: Promise<Connection> | undefined;

  constructor(rows: number, parent: string) {
    this.#rows = rows;
    this.#parent = parent;
  }

  at(name: string): string {
    this.#folder ??= mkdtempSync(join(this.#parent, 'keysweep-bench-'));
    return join(this.#folder, name);
  }

  readonly connection = (): Promise<Connection> => {
    this.#connection ??= connect();
    return this.#connection;
  };

  of(table: TableName, format: Format): Promise<string> {
    const path = this.at(`${table}.${format}`);
    const made = this.#made.get(path) ?? this.#make(table, format, path);
    this.#made.set(path, made);
    return made;
  }

  async #make(table: TableName, format: Format, path: string): Promise<string> {
    if (format === 'arrow') {
      // In the order of a column that nothing is sorted by.
      const [by] = table === 'numbers' ? ['value'] : ['id'];
      const from = await this.of(table, 'parquet');
      const args = [KEYSWEEP, 'sort', from, '-c', by as string, '-o', path];
      await runAlone(process.execPath, args);
      return path;
    }
    const connection = await this.connection();
    await connection.run(
      `COPY (SELECT ${TABLES[table]} FROM range(${this.#rows}) t(i)) TO '${path}' ` +
        `(FORMAT ${format})`,
    );
    return path;
  }

  /** GNU sort, which knows no names: the line with them is sorted among the others. */
  async sortLines(table: TableName, keys: readonly string[]): Promise<Outcome> {
    const names = [...TABLES[table].matchAll(/ AS (\w+)/g)].map(([, name]) => name);
    const places = keys.map((key) => {
      const place = names.indexOf(key) + 1;
      return `--key=${place},${place}${key === 'origin' ? '' : 'n'}`;
    });
    const input = await this.of(table, 'csv');
    const args = [...places, '--stable', '--field-separator=,'];
    const limits = [`--parallel=${availableParallelism()}`, '--buffer-size=4G'];
    const files = ['--output', this.at('gnu.csv'), input];
    return runAlone('sort', [...args, ...limits, ...files], { ...process.env, LC_ALL: 'C' });
  }

  async close(): Promise<void> {
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true });
  }
}
