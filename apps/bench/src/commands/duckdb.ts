/** `duckdb`: one statement in a process that does nothing else, for the benchmarks. Prints JSON. */

import { availableParallelism } from 'node:os';
import type { Command } from '../program/command.js';
import { connect } from '../references/duckdb.js';

const help = `Has DuckDB, which 'npm run build:references' gets, run the statement SQL by as
many threads as there are cores, and prints the milliseconds of the statement as JSON.

duckdb SQL`;

async function run([sql]: string[]): Promise<boolean> {
  if (sql === undefined) throw new Error('SQL is missing: the statement to run');
  const connection = await connect();
  await connection.run(`SET threads = ${availableParallelism()}`);
  const start = performance.now();
  await connection.run(sql);
  console.log(JSON.stringify({ milliseconds: performance.now() - start }));
  return true;
}

export const command: Command = { help, run };
