/**
 * Runs blocks of code in this process, one after the other, with the values that names.d.ts
 * declares:
 *
 *   node run-blocks.mjs FILE…
 *
 * Prints a line of JSON: for each file null, or the stack of the error that it threw. What blocks
 * print themselves is not shown.
 */

import { writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { cpu } from '@keysweep/cpu';
import { openTable, writeTable } from '@keysweep/files';
import { RadixSorter } from '@keysweep/webgpu';
import { tableFromArrays } from 'apache-arrow';
import * as keysweep from 'keysweep';
import * as sync from 'keysweep/sync';
import { valuesOf } from './values.mjs';

const values = await valuesOf(keysweep);

Object.assign(globalThis, keysweep, sync, { cpu, openTable, RadixSorter, writeTable }, values);
globalThis.table = tableFromArrays({ day: values.day, delay: values.delay });
// Files that blocks sort, in the folder of this process.
writeFileSync('ids.u64', BigUint64Array.of(3n, 1n, 2n));
writeFileSync('rows.bin', new Uint8Array(300));

const print = console.log;
console.log = () => {};
const outcomes = [];
for (const file of process.argv.slice(2)) {
  try {
    await import(pathToFileURL(file).href);
    outcomes.push(null);
  } catch (error) {
    outcomes.push(`${error?.stack ?? error}`);
  }
}
print(JSON.stringify(outcomes));
process.exit();
