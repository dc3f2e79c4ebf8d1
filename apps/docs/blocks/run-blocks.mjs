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

const day = Int32Array.of(2, 1, 2);
const delay = Int16Array.of(5, 7, 6);

Object.assign(globalThis, keysweep, sync, { cpu, openTable, RadixSorter, writeTable });
Object.assign(globalThis, {
  keys: Float32Array.of(3, 1, 2),
  values: Uint32Array.of(10, 20, 30),
  depths: Float32Array.of(3, 1, 2),
  sorter: await keysweep.createSorter(),
  ids: Uint32Array.of(10, 20, 30),
  xs: Float32Array.of(1, 2, 3),
  quads: new Float32Array(12),
  order: Uint32Array.of(2, 0, 1),
  visible: Uint32Array.of(0, 2),
  day,
  delay,
  bitmap: Uint8Array.of(0b101),
  offsets: Int32Array.of(0, 1, 2, 3),
  bytes: new TextEncoder().encode('bac'),
  table: tableFromArrays({ day, delay }),
  telemetry: { send() {} },
});
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
