/** Files of random numbers. */

import { closeSync, openSync, writeSync } from 'node:fs';
import { Random } from '@keysweep/core/random';

/** Numbers that are made at a time. */
const STEP = 2 ** 20;

/** Writes `count` random 64-bit integers, each time the same ones. */
export function writeNumbers(path: string, count: number): void {
  const random = new Random(1);
  const words = new Uint32Array(2 * Math.min(STEP, count));
  const file = openSync(path, 'w');
  for (let left = count; left > 0; left -= STEP) {
    writeSync(file, random.fill(words).subarray(0, 2 * left));
  }
  closeSync(file);
}
