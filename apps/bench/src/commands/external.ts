/**
 * `external`: `sortFile` beside DuckDB, on a file larger than the memory that both may take.
 */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { checkFile, type FileReport, sortFile } from '@keysweep/external';
import { type ByteSource, bytesOf, openTable } from '@keysweep/files';
import { oneOf, wholeNumber } from '../program/options.js';
import { formatRatio, formatTime } from '../program/table.js';

export const help: string = `Makes a Parquet file of one column of 64-bit integers with DuckDB,
which 'npm run build:references' gets, and a raw file of the same values. Sorts both in turn: the
raw one by sortFile, the Parquet one by COPY … ORDER BY, without compression. Both may take the same
memory. Checks the order and the checksum of what sortFile writes.

  --count N       values (100000000, which are 800 MB)
  --memory N      bytes of memory for each (100000000)
  --keys KIND     uniform, zipf, equal, sorted or reversed (uniform)
  --folder PATH   where files are made (the system's for temporary files)`;

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

export async function run(args: string[]): Promise<boolean> {
  const text = { type: 'string' } as const;
  const { values: given } = parseArgs({
    args,
    options: {
      count: { ...text, default: '100000000' },
      memory: { ...text, default: '100000000' },
      keys: { ...text, default: 'uniform' },
      folder: { ...text, default: tmpdir() },
    },
  });
  const count = wholeNumber('--count', given.count, 1);
  const memory = wholeNumber('--memory', given.memory, 65_536);
  const kinds = Object.keys(KINDS) as (keyof typeof KINDS)[];
  const kind = oneOf('--keys', given.keys, kinds);
  const folder = mkdtempSync(join(given.folder, 'keysweep-bench-'));
  try {
    const connection = await connect();
    const at = (name: string): string => join(folder, name);
    await connection.run(
      `COPY (SELECT ${KINDS[kind]} AS k ` +
        `FROM (SELECT i, ${count} AS n FROM range(${count}) t(i))) ` +
        `TO '${at('in.parquet')}' (COMPRESSION uncompressed)`,
    );
    await writeRaw(at('in.parquet'), at('in.u64'));
    console.log(`${count} u64 values, ${kind}; ${memory} bytes of memory for each`);
    let report: FileReport | undefined;
    const ours = await timeOf(() =>
      sortFile(at('in.u64'), at('out.u64'), {
        type: 'u64',
        memory,
        onReport: (of) => {
          report = of;
        },
      }),
    );
    const [before, after] = [await check(at('in.u64')), await check(at('out.u64'))];
    const isRight =
      after.misplaced === -1 && after.records === count && after.checksum === before.checksum;
    console.log(`sortFile  ${formatTime(ours)}  ${isRight ? 'right' : 'WRONG'}`);
    console.log(JSON.stringify(report));
    await connection.run(`SET memory_limit = '${memory}B'`);
    await connection.run(`SET threads = ${availableParallelism()}`);
    await connection.run(`SET temp_directory = '${at('duckdb')}'`);
    const theirs = await timeOf(() =>
      connection.run(
        `COPY (SELECT k FROM '${at('in.parquet')}' ORDER BY k) TO '${at('out.parquet')}' ` +
          '(COMPRESSION uncompressed)',
      ),
    );
    console.log(`DuckDB    ${formatTime(theirs)}  ${formatRatio(theirs / ours)} of sortFile`);
    return isRight;
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
    writeFileSync(to, bytesOf(await table.read('k')));
  } finally {
    await handle.close();
  }
}

const check = (path: string) => checkFile(path, { type: 'u64' });

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
