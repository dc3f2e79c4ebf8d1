/** The memory that a command takes, over the size of its input. */

import { writeFileSync } from 'node:fs';
import { Random, sample } from '@keysweep/conformance/data';
import { describe, expect, it } from 'vitest';
import { scratch, shell } from './command.js';
import { SEED } from './keys.js';

const path = scratch();

/** Prints the most memory that the command had, in bytes, on standard error as it ends. */
const WATCH = `
import { readFileSync, writeFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';
if (isMainThread) process.on('exit', () => {
  let peak = process.resourceUsage().maxRSS * 1024;
  // On Linux that may be the memory of who started the command, which this figure is not.
  try {
    peak = Number(/VmHWM:\\s+(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]) * 1024;
  } catch {
    // Only Linux has that file: elsewhere the figure of the system is the right one.
  }
  console.error(peak);
});`;

/** Runs a script; resolves to the most memory that $KEYSWEEP took in it. */
async function peakOf(script: string): Promise<number> {
  writeFileSync(path('watch.mjs'), WATCH);
  const { code, stderr } = await shell(
    script.replace('$KEYSWEEP', 'NODE_OPTIONS="--import ./watch.mjs" $KEYSWEEP'),
    path(''),
  );
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(/^\d+\n$/) });
  return Number(stderr);
}

const LITTLE = 8e6;
const MUCH = 40e6;

/** By how much the peak grows from a small input to a large one, for each byte more. */
async function growth(script: string): Promise<number> {
  const numbers = new Random(SEED).fill(new Uint8Array(MUCH));
  writeFileSync(path('in'), numbers.subarray(0, LITTLE));
  const little = await peakOf(script);
  writeFileSync(path('in'), numbers);
  return ((await peakOf(script)) - little) / (MUCH - LITTLE);
}

describe('the memory of a sort', () => {
  const ways = [
    // Bytes are counted where they lie, so that nothing but the input has to be held.
    ['a file', '$KEYSWEEP sort -t u8 in -o out', 1.5],
    ['a file, to a pipe', '$KEYSWEEP sort -t u8 in | cat > out', 1.5],
    // Its chunks are held until their sum is known.
    ['standard input', 'cat in | $KEYSWEEP sort -t u8 -o out', 2.5],
    // V8's heap grows by up to some 40 MB; chunks that were kept would come on top.
    ['standard input, bounded', 'cat in | $KEYSWEEP sort -t u8 --memory 2M -o out', 1.2],
  ] as const;

  it.each(sample(ways, 2, SEED))('is in proportion: of %s', async (_, script, most) => {
    expect(await growth(script), `seed ${SEED}`).toBeLessThan(most);
  });
});
