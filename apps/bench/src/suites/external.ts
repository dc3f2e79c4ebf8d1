/**
 * `external`: `sortFile` beside DuckDB, on a file larger than the memory that both may take.
 */

import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { checkFile } from '@keysweep/external';
import { type ByteSource, bytesOf, openTable } from '@keysweep/files';
import { type SortedFile, sortAlone, sortedOf } from '../commands/sort-file.js';
import type { Way } from '../measure/runner.js';
import { areRight, type SuiteCase, suite } from '../measure/suite.js';
import type { Command } from '../program/command.js';
import { someOf, wholeNumber } from '../program/options.js';
import { connect } from '../references/duckdb.js';
import { faultOfFile } from './processes.js';

/** The values of row i, of which there are n, in DuckDB's words. */
const KINDS = {
  uniform: 'hash(i)',
  zipf: 'pow(n, hash(i) / 18446744073709551616.0)::UBIGINT',
  equal: '42::UBIGINT',
  sorted: 'i::UBIGINT',
  reversed: '(n - i)::UBIGINT',
} as const;

/** Parquet of as many bytes as the values are. */
const PLAIN = '(FORMAT parquet, COMPRESSION uncompressed, DICTIONARY_SIZE_LIMIT 0)';

type Kind = keyof typeof KINDS;

/** Sorts of one file, in turns. */
export interface ExternalResult {
  readonly keys: Kind;
  readonly count: number;
  /** Bytes that each may take. */
  readonly memory: number;
  /** Milliseconds. */
  readonly ours: readonly number[];
  readonly theirs: readonly number[];
  /** Of GNU sort, where it was asked for. */
  readonly gnu?: readonly number[];
  /** Most bytes of memory that the process of sortFile had, whatever for. */
  readonly peaks: readonly number[];
  readonly passes: number;
  readonly verified: boolean;
}

export const command: Command = suite({
  help: `Makes a Parquet file of one column of 64-bit integers with DuckDB, which
'npm run build:references' gets, and a raw file of the same values. Sorts both in turns: the raw one
by sortFile, in a process of its own, the Parquet one by COPY … ORDER BY. It is written without
compression and dictionary, so that both read and write as many bytes. Both may take the same
memory. Checks the order and the checksum of what sortFile writes.

  --count N       values (100000000, which are 800 MB)
  --memory N      bytes of memory for each (100000000)
  --keys KINDS    uniform, zipf, equal, sorted, reversed, or several with commas (all)
  --gnu           GNU sort, too, of the same values as text: lines of 20 digits
  --folder PATH   where files are made (the system's for temporary files)`,
  flags: {
    ...{ count: '100000000', memory: '100000000', keys: Object.keys(KINDS).join() },
    gnu: false,
    folder: tmpdir(),
  },
  open(values) {
    const count = wholeNumber('--count', values.count, 1);
    const memory = wholeNumber('--memory', values.memory, 65_536);
    const kinds = someOf('--keys', values.keys, Object.keys(KINDS) as Kind[]);
    return {
      columns: [{ title: 'peak', width: 8, align: 'right' }],
      cases: kinds.map((kind) => caseOf(kind, count, memory, values.folder, values.gnu)),
    };
  },
});

/** What sortFile did; undefined of others. */
type Outcome = SortedFile | undefined;

function caseOf(
  kind: Kind,
  count: number,
  memory: number,
  parent: string,
  withGnu: boolean,
): SuiteCase<ExternalResult> {
  let folder: string | undefined;
  let made: ReturnType<typeof makeFiles> | undefined;
  return {
    name: kind,
    samples: 3,
    warmUps: 0,
    makeRound() {
      folder ??= mkdtempSync(join(parent, 'keysweep-bench-'));
      made ??= makeFiles(kind, count, memory, folder, withGnu);
      return made;
    },
    // Without the start of the process.
    timeOf: (sorted: Outcome) => sorted?.milliseconds,
    noteOf: (sorted: Outcome) => sorted,
    cellsOf({ notes }) {
      const peaks = (notes as readonly Outcome[]).flatMap((sorted) => sorted?.peak ?? []);
      return [peaks.length === 0 ? '' : `${Math.round(Math.max(...peaks) / 1e6)} MB`];
    },
    resultsOf(timings) {
      const [ours, theirs, gnu] = timings.map(({ milliseconds }) => milliseconds);
      const sorted = (timings[0]?.notes ?? []) as readonly SortedFile[];
      const result = {
        ...{ keys: kind, count, memory, ours: ours ?? [], theirs: theirs ?? [] },
        ...(gnu && { gnu }),
        peaks: sorted.map(({ peak }) => peak),
        passes: Math.max(...sorted.map(({ report }) => report.passes)),
        verified: areRight(timings),
      };
      return [result];
    },
    async close() {
      if (folder !== undefined) rmSync(folder, { recursive: true });
    },
  };
}

/** Makes the files, and the ways to sort them. DuckDB's hash makes the keys, always the same. */
async function makeFiles(
  kind: Kind,
  count: number,
  memory: number,
  folder: string,
  withGnu: boolean,
) {
  const at = (name: string): string => join(folder, name);
  const connection = await connect();
  await connection.run(
    `COPY (SELECT ${KINDS[kind]} AS k ` +
      `FROM (SELECT i, ${count} AS n FROM range(${count}) t(i))) ` +
      `TO '${at('in.parquet')}' ${PLAIN}`,
  );
  await writeRaw(at('in.parquet'), at('in.u64'));
  await connection.run(`SET memory_limit = '${memory}B'`);
  await connection.run(`SET threads = ${availableParallelism()}`);
  await connection.run(`SET temp_directory = '${at('duckdb')}'`);
  if (withGnu) await writeText(at('in.u64'), at('in.txt'));
  const { checksum } = await checkFile(at('in.u64'), { type: 'u64' });
  const duckdb = async (): Promise<undefined> => {
    await connection.run(
      `COPY (SELECT k FROM '${at('in.parquet')}' ORDER BY k) TO '${at('out.parquet')}' ${PLAIN}`,
    );
  };
  const ways: Way<Outcome>[] = [
    { name: 'sortFile', run: () => sortAlone(at('in.u64'), memory) },
    { name: 'DuckDB', run: duckdb },
  ];
  if (withGnu) ways.push({ name: 'GNU sort', run: () => sortText(at('in.txt'), memory, folder) });
  const check = (sorted: Outcome) => sorted && faultOfFile(sortedOf(at('in.u64')), count, checksum);
  return { ways, check };
}

/** Writes the values of a Parquet file as they are. */
async function writeRaw(from: string, to: string): Promise<void> {
  const handle = await open(from);
  const output = await open(to, 'w');
  try {
    const { size } = await handle.stat();
    const source: ByteSource = {
      name: `'${from}'`,
      size,
      async read(first, end) {
        const bytes = new Uint8Array(end - first);
        await handle.read(bytes, 0, bytes.length, first);
        return bytes;
      },
    };
    const table = await openTable(source, { format: 'parquet' });
    await output.writeFile(bytesOf(await table.read('k')));
  } finally {
    await output.close();
    await handle.close();
  }
}

/** Values that are made text at a time. */
const LINES = 250_000;

/** Writes the values of a raw file as lines of 20 digits, whose order is that of the values. */
async function writeText(from: string, to: string): Promise<void> {
  const input = await open(from);
  const output = await open(to, 'w');
  try {
    const values = new BigUint64Array(LINES);
    for (let more = true; more; ) {
      const { bytesRead } = await input.read(values);
      const some = Array.from(values.subarray(0, bytesRead / 8), (value) => `${value}`);
      await output.write(some.map((digits) => `${digits.padStart(20, '0')}\n`).join(''));
      more = bytesRead > 0;
    }
  } finally {
    await output.close();
    await input.close();
  }
}

/** Sorts lines in the order of their bytes, within the same memory and by as many threads. */
async function sortText(path: string, memory: number, folder: string): Promise<undefined> {
  const limits = [`--buffer-size=${memory}b`, `--parallel=${availableParallelism()}`];
  const files = ['--temporary-directory', folder, '--output', `${path}.sorted`, path];
  const env = { ...process.env, LC_ALL: 'C' };
  await promisify(execFile)('sort', [...limits, ...files], { env });
}
