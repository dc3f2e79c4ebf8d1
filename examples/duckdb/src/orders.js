/** A table in DuckDB, its columns as arrays, and the same orders by both. */

import { DuckDBInstance } from '@duckdb/node-api';
import { argsort } from 'keysweep';

/** The same orders, for DuckDB and for keysweep. Rows that tie keep the order of their ids. */
export const ORDERS = [
  { sql: 'day', columns: ({ day }) => [day] },
  {
    sql: 'delay DESC NULLS LAST, day',
    columns: ({ delay, day }) => [{ ...delay, order: 'descending', nulls: 'last' }, day],
  },
  {
    sql: 'city, fare DESC',
    columns: ({ city, fare }) => [city, { keys: fare.keys, order: 'descending' }],
  },
];

/** A table of `count` trips, in memory. */
export async function makeTrips(count) {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  await connection.run(`
    CREATE TABLE trips AS SELECT
      id::INTEGER AS id,
      (hash(id) % 365)::SMALLINT AS day,
      CASE WHEN hash(id + 1e9) % 50 > 0 THEN (hash(id + 2e9) % 240)::SMALLINT END AS delay,
      (hash(id + 3e9) % 1000000) / 100 AS fare,
      ['Lima', 'Oslo', 'Quito', 'Rome', 'Zürich'][(hash(id + 4e9) % 5 + 1)::INTEGER] AS city
    FROM range(${count}) AS numbers(id)`);
  return connection;
}

/**
 * A column of numbers for `argsort`: a typed array, and Arrow's bitmap of the rows that are no
 * nulls. Chunk by chunk, so that no array of plain values is made.
 */
function readNumbers(chunks, index, Keys, count) {
  const keys = new Keys(count);
  const valid = new Uint8Array(Math.ceil(count / 8));
  let row = 0;
  for (const chunk of chunks) {
    const vector = chunk.getColumnVector(index);
    for (let i = 0; i < vector.itemCount; i++, row++) {
      const value = vector.getItem(i);
      if (value === null) continue;
      keys[row] = value;
      valid[row >> 3] |= 1 << (row & 7);
    }
  }
  return { keys, valid };
}

/** The table's columns, in the order of ids. */
export async function readTrips(connection, count) {
  const result = await connection.run('SELECT day, delay, fare, city FROM trips ORDER BY id');
  const chunks = await result.fetchAllChunks();
  return {
    day: readNumbers(chunks, 0, Int16Array, count),
    delay: readNumbers(chunks, 1, Int16Array, count),
    fare: readNumbers(chunks, 2, Float64Array, count),
    city: { keys: chunks.flatMap((chunk) => chunk.getColumnValues(3)) },
  };
}

/** Ids in an order, by DuckDB. */
export async function orderByDuckDB(connection, count, sql) {
  const result = await connection.run(`SELECT id FROM trips ORDER BY ${sql}, id`);
  return readNumbers(await result.fetchAllChunks(), 0, Uint32Array, count).keys;
}

/** Ids in an order, by keysweep: the rows were read in the order of ids, so row i has id i. */
export const orderByKeysweep = (columns) => argsort(columns);
