/** `keysweep gen`: records of the sort benchmark's layout, to try a sort with. */

import { Random } from '@keysweep/core/random';
import type { GenCommand } from '../arguments/command.js';
import { UsageError } from '../failure.js';
import { openOutput } from '../io/output.js';

/** Bytes of a record, and of its key. */
const WIDTH = 100;
const KEY = 10;
/** Records that are made at a time. */
const STEP = 40_000;

/** The bytes of a record that are always the same: between key, number and filler, and behind. */
const MARKS: readonly (readonly [at: number, bytes: readonly number[]])[] = [
  [10, [0x00, 0x11]],
  [44, [0x88, 0x99, 0xaa, 0xbb]],
  [96, [0xcc, 0xdd, 0xee, 0xff]],
];

/** Carries out `command`. @throws Failure; the output is then as it was before */
export async function runGen({ records, seed, output, explicitOutput }: GenCommand): Promise<void> {
  if (output === undefined && !explicitOutput && process.stdout.isTTY) {
    throw new UsageError(
      'name a file with -o, or pipe the records on: standard output is a terminal',
    );
  }
  const opened = await openOutput(output);
  try {
    const random = new Random(seed);
    for (let first = 0; first < records; first += STEP) {
      await opened.write(makeRecords(first, Math.min(STEP, records - first), random));
    }
    await opened.commit();
  } catch (error) {
    await opened.discard();
    throw error;
  }
}

/** Ten random bytes, the number of the record in 32 hexadecimal digits, and a filler. */
function makeRecords(first: number, count: number, random: Random): Uint8Array {
  const bytes = Buffer.alloc(count * WIDTH);
  const key = new Uint8Array(KEY);
  for (let i = 0, at = 0; i < count; i++, at += WIDTH) {
    bytes.set(random.fill(key), at);
    const digits = (first + i).toString(16).toUpperCase().padStart(32, '0');
    bytes.write(digits, at + 12, 'latin1');
    // Twelve letters, each four times.
    for (let letter = 0; letter < 12; letter++) {
      const code = 65 + ((first + i + letter) % 26);
      bytes.fill(code, at + 48 + 4 * letter, at + 52 + 4 * letter);
    }
    for (const [from, mark] of MARKS) bytes.set(mark, at + from);
  }
  return bytes;
}
