/** DuckDB, which `npm run build:references` installs beside the build. */

import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

/** The part of @duckdb/node-api that is used. */
export interface Connection {
  run(sql: string): Promise<unknown>;
  runAndReadAll(sql: string): Promise<{ getRows(): readonly (readonly unknown[])[] }>;
}
interface DuckDB {
  readonly DuckDBInstance: {
    create(path: string): Promise<{ connect(): Promise<Connection> }>;
  };
}

/** @throws Error where DuckDB is not installed */
export async function connect(): Promise<Connection> {
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
