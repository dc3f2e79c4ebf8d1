/**
 * `external`: `sortFile` beside DuckDB, on a file larger than the memory that both may take.
 */

import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { median } from '@keysweep/conformance/statistics';
import { checkFile, type FileReport, sortFile } from '@keysweep/external';
import { type ByteSource, bytesOf, openTable } from '@keysweep/files';
import { oneOf, wholeNumber } from '../program/options.js';
import { formatRatio, formatTime } from '../program/table.js';
import { addResult, newRecord } from '../record/record.js';

export const help: string = `Makes a Parquet file of one column of 64-bit integers with DuckDB,
which 'npm run build:references' gets, and a raw file of the same values. Sorts both by turns: the
raw one by sortFile, in a process of its own, the Parquet one by COPY … ORDER BY. It is written
without compression and dictionary, so that both read and write as many bytes. Both may take the
same memory. Checks the order and the checksum of what sortFile writes.

  --count N       values (100000000, which are 800 MB)
  --memory N      bytes of memory for each (100000000)
  --keys KINDS    uniform, zipf, equal, sorted, reversed, or several with commas (all)
  --samples N     sorts of each (3)
  --gnu           GNU sort, too, of the same values as text: lines of 20 digits
  --folder PATH   where files are made (the system's for temporary files)
  --json FILE     writes the samples
  --only FILE     only sorts FILE to FILE.sorted; prints the time and the peak of memory as JSON`;

/** The values of row i, of which there are n, in DuckDB's words. */
const KINDS = {
  uniform: 'hash(i)',
  zipf: 'pow(n, hash(i) / 18446744073709551616.0)::UBIGINT',
  equal: '42::UBIGINT',
  sorted: 'i::UBIGINT',
  reversed: '(n - i)::UBIGINT',
} as const;

/** The part of @duckdb/node-api that is used. */
interface Connection {
  run(sql: string): Promise<unknown>;
}
interface DuckDB {
  readonly DuckDBInstance: {
    create(path: string): Promise<{ connect(): Promise<Connection> }>;
  };
}

/** Parquet of as many bytes as the values are. */
const PLAIN = '(FORMAT parquet, COMPRESSION uncompressed, DICTIONARY_SIZE_LIMIT 0)';

type Kind = keyof typeof KINDS;

/** Sorts of one file by turns. */
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

/** What a process that only sorts prints. */
interface Outcome {
  readonly milliseconds: number;
  readonly peak: number;
  readonly passes: number;
}

export async function run(args: string[]): Promise<boolean> {
  const text = { type: 'string' } as const;
  const { values: given } = parseArgs({
    args,
    options: {
      count: { ...text, default: '100000000' },
      memory: { ...text, default: '100000000' },
      keys: { ...text, default: Object.keys(KINDS).join() },
      samples: { ...text, default: '3' },
      gnu: { type: 'boolean', default: false },
      folder: { ...text, default: tmpdir() },
      json: text,
      only: text,
    },
  });
  const memory = wholeNumber('--memory', given.memory, 65_536);
  if (given.only !== undefined) {
    console.log(JSON.stringify(await sortOnce(given.only, memory)));
    return true;
  }
  const count = wholeNumber('--count', given.count, 1);
  const samples = wholeNumber('--samples', given.samples, 1);
  const kinds = Object.keys(KINDS) as Kind[];
  // DuckDB's own hash makes the keys: the same ones in each run.
  const record = newRecord<ExternalResult, object>(0, {});
  for (const name of given.keys.split(',')) {
    const kind = oneOf('--keys', name, kinds);
    const result = await measure(kind, count, memory, samples, given.folder, given.gnu);
    addResult(record, result, given.json);
    const [ours, theirs] = [median(result.ours), median(result.theirs)];
    const peak = Math.round(Math.max(...result.peaks) / 1e6);
    if (result.gnu !== undefined) console.log(`GNU sort ${formatTime(median(result.gnu))}`);
    console.log(
      `${kind.padEnd(9)} sortFile ${formatTime(ours)}, at most ${peak} MB of memory; ` +
        `DuckDB ${formatTime(theirs)}  ${formatRatio(theirs / ours)}` +
        `  ${result.verified ? 'right' : 'WRONG'}`,
    );
  }
  return record.results.every(({ verified }) => verified);
}

const sortedOf = (input: string): string => `${input}.sorted`;

/** Sorts a file of u64 in this process. */
async function sortOnce(input: string, memory: number): Promise<Outcome> {
  let passes = 0;
  const onReport = (report: FileReport): void => {
    passes = report.passes;
  };
  const milliseconds = await timeOf(() =>
    sortFile(input, sortedOf(input), { type: 'u64', memory, onReport }),
  );
  return { milliseconds, peak: peakMemory(), passes };
}

/** Most bytes of memory that this process had, as Linux says. */
function peakMemory(): number {
  const [, kilobytes] =
    /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  return 1024 * Number(kilobytes);
}

/** The same in a process that does nothing else. */
async function sortAlone(input: string, memory: number): Promise<Outcome> {
  const program = [process.argv[1] as string, 'external', '--only', input];
  const { stdout } = await promisify(execFile)(process.execPath, [
    ...program,
    ...['--memory', String(memory)],
  ]);
  return JSON.parse(stdout) as Outcome;
}

async function measure(
  kind: Kind,
  count: number,
  memory: number,
  samples: number,
  parent: string,
  withGnu: boolean,
): Promise<ExternalResult> {
  const folder = mkdtempSync(join(parent, 'keysweep-bench-'));
  const at = (name: string): string => join(folder, name);
  try {
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
    const theirSort = (): Promise<number> =>
      timeOf(() =>
        connection.run(
          `COPY (SELECT k FROM '${at('in.parquet')}' ORDER BY k) ` +
            `TO '${at('out.parquet')}' ${PLAIN}`,
        ),
      );
    if (withGnu) await writeText(at('in.u64'), at('in.txt'));
    const outcomes: Outcome[] = [];
    const theirs: number[] = [];
    const gnu: number[] = [];
    for (let sample = 0; sample < samples; sample++) {
      // They change who comes first.
      if (sample % 2 === 1) theirs.push(await theirSort());
      outcomes.push(await sortAlone(at('in.u64'), memory));
      if (sample % 2 === 0) theirs.push(await theirSort());
      if (withGnu) gnu.push(await timeOf(() => sortText(at('in.txt'), memory, folder)));
    }
    const [before, after] = [await check(at('in.u64')), await check(sortedOf(at('in.u64')))];
    const verified =
      after.misplaced === -1 && after.records === count && after.checksum === before.checksum;
    return {
      ...{ keys: kind, count, memory, theirs, verified, ...(withGnu && { gnu }) },
      ours: outcomes.map(({ milliseconds }) => milliseconds),
      peaks: outcomes.map(({ peak }) => peak),
      passes: Math.max(...outcomes.map(({ passes }) => passes)),
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** @throws Error where DuckDB is not installed */
async function connect(): Promise<Connection> {
  const require = createRequire(new URL('../../dist/peers/', import.meta.url));
  let file: string;
  try {
    file = require.resolve('@duckdb/node-api');
  } catch {
    throw new Error('@duckdb/node-api is not installed: npm run build:references');
  }
  const loaded = (await import(pathToFileURL(file).href)) as DuckDB & { default?: DuckDB };
  const { DuckDBInstance } = loaded.default ?? loaded;
  return (await DuckDBInstance.create(':memory:')).connect();
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
async function sortText(path: string, memory: number, folder: string): Promise<void> {
  const limits = [`--buffer-size=${memory}b`, `--parallel=${availableParallelism()}`];
  const files = ['--temporary-directory', folder, '--output', `${path}.sorted`, path];
  const env = { ...process.env, LC_ALL: 'C' };
  await promisify(execFile)('sort', [...limits, ...files], { env });
}

const check = (path: string) => checkFile(path, { type: 'u64' });

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
