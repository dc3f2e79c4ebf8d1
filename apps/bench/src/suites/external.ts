/**
 * `external`: the command keysweep beside DuckDB, on a file larger than the memory that both may
 * take.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkFile } from '@keysweep/external';
import { type ByteSource, bytesOf, openTable } from '@keysweep/files';
import { type Alone, runAlone } from '../measure/alone.js';
import type { Way } from '../measure/runner.js';
import { areRight, type SuiteCase, suite } from '../measure/suite.js';
import type { Command } from '../program/command.js';
import { someOf, wholeNumber } from '../program/options.js';
import { connect } from '../references/duckdb.js';
import { KEYSWEEP } from './table-files.js';

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
  /** Milliseconds: of the command's process, and of DuckDB's statement. */
  readonly ours: readonly number[];
  readonly theirs: readonly number[];
  /** Most bytes of memory that the command's process had, whatever for. */
  readonly peaks: readonly number[];
  readonly verified: boolean;
}

export const command: Command = suite({
  help: `Makes a Parquet file of one column of 64-bit integers with DuckDB, which
'npm run build:references' gets, and a raw file of the same values. Sorts both in turns: the raw one
by the command keysweep, the Parquet one by COPY … ORDER BY. It is written without compression and
dictionary, so that both read and write as many bytes. Both may take the same memory. Checks the
order and the checksum of what keysweep writes, whose time has the start of its process in it.

  --count N       values (100000000, which are 800 MB)
  --memory N      bytes of memory for each (100000000)
  --keys KINDS    uniform, zipf, equal, sorted, reversed, or several with commas (all)
  --folder PATH   where files are made (the system's for temporary files)`,
  flags: {
    ...{ count: '100000000', memory: '100000000', keys: Object.keys(KINDS).join() },
    folder: tmpdir(),
  },
  open(values) {
    const count = wholeNumber('--count', values.count, 1);
    const memory = wholeNumber('--memory', values.memory, 65_536);
    const kinds = someOf('--keys', values.keys, Object.keys(KINDS) as Kind[]);
    return {
      columns: [{ title: 'peak', width: 8, align: 'right' }],
      cases: kinds.map((kind) => caseOf(kind, count, memory, values.folder)),
    };
  },
});

/** What the command did; undefined of DuckDB. */
type Outcome = Alone | undefined;

function caseOf(
  kind: Kind,
  count: number,
  memory: number,
  parent: string,
): SuiteCase<ExternalResult> {
  let folder: string | undefined;
  let made: ReturnType<typeof makeFiles> | undefined;
  return {
    name: kind,
    samples: 3,
    warmUps: 0,
    makeRound() {
      folder ??= mkdtempSync(join(parent, 'keysweep-bench-'));
      made ??= makeFiles(kind, count, memory, folder);
      return made;
    },
    noteOf: (sorted: Outcome) => sorted,
    cellsOf({ notes }) {
      const peaks = (notes as readonly Outcome[]).flatMap((sorted) => sorted?.peak ?? []);
      return [peaks.length === 0 ? '' : `${Math.round(Math.max(...peaks) / 1e6)} MB`];
    },
    resultsOf(timings) {
      const [ours, theirs] = timings.map(({ milliseconds }) => milliseconds);
      const sorted = (timings[0]?.notes ?? []) as readonly Alone[];
      const result = {
        ...{ keys: kind, count, memory, ours: ours ?? [], theirs: theirs ?? [] },
        peaks: sorted.map(({ peak }) => peak),
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
async function makeFiles(kind: Kind, count: number, memory: number, folder: string) {
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
  const { checksum } = await checkFile(at('in.u64'), { type: 'u64' });
  const duckdb = async (): Promise<undefined> => {
    await connection.run(
      `COPY (SELECT k FROM '${at('in.parquet')}' ORDER BY k) TO '${at('out.parquet')}' ${PLAIN}`,
    );
  };
  const args = ['sort', '--type', 'u64', '--memory', `${memory}`];
  const files = [at('in.u64'), '-o', at('out.u64')];
  const ways: Way<Outcome>[] = [
    { name: 'keysweep', run: () => runAlone(process.execPath, [KEYSWEEP, ...args, ...files]) },
    { name: 'DuckDB', run: duckdb },
  ];
  const check = (sorted: Outcome) => sorted && faultOfFile(at('out.u64'), count, checksum);
  return { ways, check };
}

/** What is wrong with a sorted file of `count` u64 with such a checksum, or undefined. */
async function faultOfFile(
  path: string,
  count: number,
  checksum: bigint,
): Promise<string | undefined> {
  const after = await checkFile(path, { type: 'u64' });
  if (after.records !== count) return `it has ${after.records} values instead of ${count}`;
  if (after.misplaced !== -1) return `value ${after.misplaced} is smaller than the one before`;
  return after.checksum === checksum ? undefined : 'its checksum is not that of the input';
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
