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

/** Where a record has its number; above the digits from `LEAST_DIGIT` on it has zeros. */
const DIGITS = { at: 12, end: 44 };
const LEAST_DIGIT = DIGITS.end - 14;
const HEX = '0123456789ABCDEF';
const [ZERO, A] = [48, 65];

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
    let written: Promise<void> = Promise.resolve();
    for (let first = 0; first < records; first += STEP) {
      const bytes = makeRecords(first, Math.min(STEP, records - first), random);
      await written;
      written = opened.write(bytes);
      // An error is thrown where this is awaited.
      written.catch(() => {});
    }
    await written;
    await opened.commit();
  } catch (error) {
    await opened.discard();
    throw error;
  }
}

/** Ten random bytes, the number of the record in 32 hexadecimal digits, and a filler. */
function makeRecords(first: number, count: number, random: Random): Uint8Array {
  const keys = random.fill(new Uint8Array(count * KEY));
  const bytes = new Uint8Array(count * WIDTH);
  const record = new Uint8Array(WIDTH).fill(ZERO, DIGITS.at, DIGITS.end);
  for (const [from, mark] of MARKS) record.set(mark, from);
  for (let i = 0, at = 0; i < count; i++, at += WIDTH) {
    for (let j = 0; j < KEY; j++) record[j] = keys[i * KEY + j] as number;
    for (let left = first + i, j = DIGITS.end - 1; j >= LEAST_DIGIT; j--) {
      record[j] = HEX.charCodeAt(left % 16);
      left = Math.floor(left / 16);
    }
    // Twelve letters, each four times.
    let letter = (first + i) % 26;
    for (let j = 48; j < 96; j += 4) {
      record.fill(A + letter, j, j + 4);
      letter = letter === 25 ? 0 : letter + 1;
    }
    bytes.set(record, at);
  }
  return bytes;
}
