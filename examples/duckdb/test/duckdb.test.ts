/** Both order the same rows; and the program that prints it runs. */

import { execFileSync, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { isThorough } from '@keysweep/conformance/data';
import { expect, it } from 'vitest';
import { saveConsole } from '../../../tools/test/example-picture.js';

const COUNT = isThorough ? 3_000_000 : 30_000;

it('orders as DuckDB does: by several columns, text, floats, with nulls last', async () => {
  // It brings no types.
  const { makeTrips, ORDERS, orderByDuckDB, orderByKeysweep, readTrips } = await import(
    '../src/orders.js' as string
  );
  const connection = await makeTrips(COUNT);
  const trips = await readTrips(connection, COUNT);
  const nulls = COUNT - countBits(trips.delay.valid);
  expect([nulls > COUNT / 100, nulls < COUNT / 20]).toEqual([true, true]);
  const seen = new Set<string>();
  for (const { sql, columns } of ORDERS) {
    const ids: Uint32Array = await orderByDuckDB(connection, COUNT, sql);
    expect(await orderByKeysweep(columns(trips))).toEqual(ids);
    seen.add(ids.subarray(0, 9).join());
  }
  expect(seen.size).toBe(3);
  connection.closeSync();
});

const countBits = (bytes: Uint8Array): number =>
  bytes.reduce((sum, byte) => sum + byte.toString(2).replaceAll('0', '').length, 0);

it('prints that the orders are the same', async () => {
  const main = fileURLToPath(new URL('../src/main.js', import.meta.url));
  const isPictured = process.env.KEYSWEEP_PICTURES === '1';
  const rows = isPictured ? [] : ['2000'];
  const printed = execFileSync(process.execPath, [main, ...rows], { encoding: 'utf8' });
  expect(printed.match(/the same order/g)).toHaveLength(3);
  if (!isPictured) return;
  const file = fileURLToPath(new URL('../screenshot.webp', import.meta.url));
  await saveConsole(`$ npm run --silent example -- duckdb\n${printed}`, file);
});

it('says what it takes instead of a number of rows', () => {
  const main = fileURLToPath(new URL('../src/main.js', import.meta.url));
  const { status, stderr } = spawnSync(process.execPath, [main, 'many'], { encoding: 'utf8' });
  expect([status, stderr]).toEqual([2, 'How many rows? many is no whole number.\n']);
});
