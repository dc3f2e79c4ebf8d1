/** Prints how long both take, and whether they agree: `npm start -- 5000000` for more rows. */

import { makeTrips, ORDERS, orderByDuckDB, orderByKeysweep, readTrips } from './orders.js';

const count = Number(process.argv[2] ?? 1_000_000);
if (!Number.isSafeInteger(count) || count < 0) {
  console.error(`How many rows? ${process.argv[2]} is no whole number.`);
  process.exit(2);
}
const connection = await makeTrips(count);

async function timed(work) {
  const start = performance.now();
  const result = await work();
  return { result, milliseconds: Math.round(performance.now() - start) };
}

const { result: trips, milliseconds } = await timed(() => readTrips(connection, count));
console.log(`${count.toLocaleString('en')} rows; reading four columns took ${milliseconds} ms\n`);

let areSame = true;
for (const { sql, columns } of ORDERS) {
  // The first call of each starts its threads.
  await orderByKeysweep(columns(trips));
  const duckdb = await timed(() => orderByDuckDB(connection, count, sql));
  const keysweep = await timed(() => orderByKeysweep(columns(trips)));
  const isSame = duckdb.result.every((id, i) => id === keysweep.result[i]);
  areSame &&= isSame;
  console.log(`ORDER BY ${sql}`);
  console.log(`  DuckDB, ids fetched  ${duckdb.milliseconds} ms`);
  console.log(`  keysweep, argsort    ${keysweep.milliseconds} ms`);
  console.log(`  ${isSame ? 'the same order' : 'DIFFERENT ORDERS'}\n`);
}
connection.closeSync();
process.exitCode = areSame ? 0 : 1;
