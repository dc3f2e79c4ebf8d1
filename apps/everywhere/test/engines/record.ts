/** The record of all engines, of which apps/bench makes a table: see its `EnginesRecord`. */

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Found } from './found.js';

const RECORD = fileURLToPath(new URL('../../../bench/records/engines.json', import.meta.url));

/** What a trial found. */
export interface Row extends Pick<Found, 'served' | 'warnings' | 'backends' | 'hasSharedMemory'> {
  readonly engine: string;
  readonly version: string;
  readonly way: string;
  readonly date: string;
  readonly passed: number;
  readonly failed: readonly string[];
}

/** "2.9.6", of what the engine says of itself. */
const numberIn = (text: string): string => /\d[\w.-]*/.exec(text)?.[0] ?? '';

export function rowOf(engine: string, name: string, way: string, found: Found): Row {
  const { served, warnings, backends, hasSharedMemory, results } = found;
  return {
    engine,
    version: numberIn(name),
    way,
    date: new Date().toISOString().slice(0, 10),
    passed: results.reduce((sum, { passed }) => sum + passed, 0),
    failed: results.flatMap(({ failed }) => failed),
    served,
    warnings,
    hasSharedMemory,
    backends,
  };
}

/** Writes a row; those of other trials stay, in the order of `trials`. */
export function keepRow(row: Row, trials: readonly Pick<Row, 'engine' | 'way'>[]): void {
  const before: Row[] = existsSync(RECORD) ? JSON.parse(readFileSync(RECORD, 'utf8')).rows : [];
  const rows = trials.flatMap(({ engine, way }) => {
    const found = [row, ...before].find((one) => one.engine === engine && one.way === way);
    return found === undefined ? [] : [found];
  });
  writeFileSync(RECORD, `${JSON.stringify({ rows }, null, 2)}\n`);
}
